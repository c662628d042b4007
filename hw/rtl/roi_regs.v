// The registers behind `s_axi_control` (AXI4-Lite, map in foveal.rdl) and the start and end of a frame (ap_ctrl_hs).
// A frame starts 2 cycles after the write of ap_start: `frame_start` is high for one cycle, in which `cfg_*` and
// `roi_set` already hold the frame's copies. A configuration that must not run ends at once, without `frame_start`.
// Region registers are a shadow that ROI_COMMIT hands to roi_sets as a whole.
// CTRL_RESET holds `soft_rst_n` low for 4 cycles and clears frame state, status and counters, not the configuration.
// Reads and writes take 3 cycles. Up to the last writable register every write answers OKAY, gaps included (SPEC section
// 8); other bad addresses answer SLVERR. Reset clears everything.
`default_nettype none
`timescale 1ns / 1ps
`include "foveal_regs.vh"

module roi_regs #(
    parameter NUM_ROI = 16,  // regions in a set, 1 to 16
    parameter PPC = 8,       // pixels a clock: 1, 2, 4, 8, 16
    parameter TEX_SLOTS = 16 // pages of the texture store, 0 to 64
) (
    input  wire                                  clk,
    input  wire                                  rst_n,
    // AXI4-Lite
    input  wire        [                   11:0] s_axi_control_awaddr,
    input  wire                                  s_axi_control_awvalid,
    output wire                                  s_axi_control_awready,
    input  wire        [                   31:0] s_axi_control_wdata,
    input  wire        [                    3:0] s_axi_control_wstrb,
    input  wire                                  s_axi_control_wvalid,
    output wire                                  s_axi_control_wready,
    output wire        [                    1:0] s_axi_control_bresp,
    output wire                                  s_axi_control_bvalid,
    input  wire                                  s_axi_control_bready,
    input  wire        [                   11:0] s_axi_control_araddr,
    input  wire                                  s_axi_control_arvalid,
    output wire                                  s_axi_control_arready,
    output wire        [                   31:0] s_axi_control_rdata,
    output wire        [                    1:0] s_axi_control_rresp,
    output wire                                  s_axi_control_rvalid,
    input  wire                                  s_axi_control_rready,
    /* verilator lint_off SYMRSVDWORD */
    output wire                                  interrupt,  // the name that Vitis expects
    /* verilator lint_on SYMRSVDWORD */
    // frame
    output wire                                  soft_rst_n,
    output wire                                  frame_start,
    input  wire                                  frame_done,
    output reg         [                   63:0] cfg_tri_base,
    output reg         [                   63:0] cfg_band_base,
    output reg         [                   63:0] cfg_out_base,
    output reg         [                   63:0] cfg_mat_base,
    output reg         [                   12:0] cfg_width,
    output reg         [                   12:0] cfg_height,
    output reg         [                   31:0] cfg_stride,
    output reg         [                   31:0] cfg_background,
    output reg                                   cfg_strided,
    output reg                                   cfg_depth_out,
    output reg                                   cfg_immediate,
    output reg         [                   31:0] cfg_timeout,
    output reg  signed [                   31:0] cfg_zone_x0,
    output reg  signed [                   31:0] cfg_zone_y0,
    output reg  signed [                   31:0] cfg_zone_x1,
    output reg  signed [                   31:0] cfg_zone_y1,
    output reg         [                   31:0] cfg_zone_margin,
    output reg  signed [                   31:0] cfg_ego_x,
    output reg  signed [                   31:0] cfg_ego_y,
    output reg         [                   63:0] cfg_tex_base,
    output reg         [                    6:0] cfg_tex_pages,
    output wire                                  mat_invalidate,
    output wire                                  tex_invalidate,
    // regions
    output wire        [         NUM_ROI*52-1:0] roi_set,
    output wire        [         NUM_ROI*52-1:0] clip_set,
    output wire                                  roi_change,
    input  wire                                  clip_pending,
    input  wire                                  clip_stalled,
    input  wire                                  clip_fire,
    input  wire                                  clip_fresh,
    // status
    input  wire [32*`FOVEAL_FRAME_COUNTERS-1:0] frame_counters,
    input  wire        [                   95:0] dma_counters,
    input  wire        [                   95:0] tex_counters,
    input  wire                                  err_gmem0,
    input  wire                                  err_gmem1,
    input  wire                                  err_gmem2,
    input  wire        [                    1:0] resp_gmem0,
    input  wire        [                    1:0] resp_gmem1,
    input  wire        [                    1:0] resp_gmem2,
    input  wire                                  timeout_gmem0,
    input  wire                                  timeout_gmem1,
    input  wire                                  timeout_gmem2,
    input  wire                                  err_shade,
    input  wire                                  timeout_shade,
    input  wire [2:0]                             undrained,
    input  wire                                  dma_error,
    input  wire        [                    1:0] dma_state
);

  localparam OKAY = 2'b00;
  localparam SLVERR = 2'b10;
  localparam STRIDE_LB = $clog2(4 * PPC);
  localparam [31:0] MAX_SIZE = 32'd4096;
  localparam [31:0] MAX_PAGES = TEX_SLOTS;

  initial begin
    if (NUM_ROI < 1 || NUM_ROI > 16) begin
      $display("%m: NUM_ROI must be 1 to 16, it is %0d", NUM_ROI);
      $finish;
    end
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
    if (TEX_SLOTS < 0 || TEX_SLOTS > 64) begin
      $display("%m: TEX_SLOTS must be 0 to 64, it is %0d", TEX_SLOTS);
      $finish;
    end
  end

  // ---- Write channel: address and data are kept until both are there, then act in one cycle ----------------------
  reg         up_reg;  // low in reset and the first cycle after it
  reg         aw_full_reg;
  reg         w_full_reg;
  reg  [11:2] aw_reg;
  reg  [31:0] w_reg;
  reg  [ 3:0] strb_reg;
  reg         bvalid_reg;
  reg  [ 1:0] bresp_reg;

  wire        write = aw_full_reg & w_full_reg & (~bvalid_reg | s_axi_control_bready);
  wire [11:0] waddr = {aw_reg, 2'b00};
  wire        accepted = waddr <= `FOVEAL_LAST_WRITABLE;  // gaps too, which keep nothing

  assign s_axi_control_awready = up_reg & ~aw_full_reg;
  assign s_axi_control_wready  = up_reg & ~w_full_reg;
  assign s_axi_control_bvalid  = bvalid_reg;
  assign s_axi_control_bresp   = bresp_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      up_reg      <= 1'b0;
      aw_full_reg <= 1'b0;
      w_full_reg  <= 1'b0;
      bvalid_reg  <= 1'b0;
      bresp_reg   <= OKAY;
    end else begin
      up_reg <= 1'b1;
      if (write) aw_full_reg <= 1'b0;
      else if (s_axi_control_awvalid & s_axi_control_awready) aw_full_reg <= 1'b1;
      if (write) w_full_reg <= 1'b0;
      else if (s_axi_control_wvalid & s_axi_control_wready) w_full_reg <= 1'b1;
      if (write) begin
        bvalid_reg <= 1'b1;
        bresp_reg  <= accepted ? OKAY : SLVERR;
      end else if (s_axi_control_bready) bvalid_reg <= 1'b0;
    end
  end

  always @(posedge clk) begin
    if (s_axi_control_awready) aw_reg <= s_axi_control_awaddr[11:2];
    if (s_axi_control_wready) begin
      w_reg    <= s_axi_control_wdata;
      strb_reg <= s_axi_control_wstrb;
    end
  end

  wire [31:0] wmask = {{8{strb_reg[3]}}, {8{strb_reg[2]}}, {8{strb_reg[1]}}, {8{strb_reg[0]}}};
  wire        set0 = w_reg[0] & strb_reg[0];  // of registers that act on a 1 in bit 0

  // ---- Words that keep what is written: the configuration, and from ROI_0_LO on the shadow of the region set -------
  localparam ROI_WORD = `FOVEAL_REG_ROI_0_LO / 4;
  localparam WORDS = ROI_WORD + 2 * NUM_ROI;
  localparam [32*(ROI_WORD+32)-1:0] ALL_KEPT = `FOVEAL_KEPT_BITS;
  localparam [32*(ROI_WORD+32)-1:0] ALL_RESET = `FOVEAL_KEPT_RESET;
  localparam [32*WORDS-1:0] KEPT = ALL_KEPT[32*WORDS-1:0];  // without the regions that are not there

  reg [32*WORDS-1:0] word_reg;  // the register at byte offset n has bits 8n + 31 to 8n

  integer w;
  always @(posedge clk) begin
    if (!rst_n) word_reg <= ALL_RESET[32*WORDS-1:0];
    else if (write)
      for (w = 0; w < WORDS; w = w + 1)
        if ({22'd0, aw_reg} == w)
          word_reg[32*w+:32] <= ((word_reg[32*w+:32] & ~wmask) | (w_reg & wmask)) & KEPT[32*w+:32];
  end

  wire [31:0] width = word_reg[8*`FOVEAL_REG_WIDTH+:32];
  wire [31:0] height = word_reg[8*`FOVEAL_REG_HEIGHT+:32];
  wire [31:0] stride = word_reg[8*`FOVEAL_REG_STRIDE+:32];
  wire [63:0] tri_base = word_reg[8*`FOVEAL_REG_TRI_BASE_LO+:64];
  wire [63:0] band_base = word_reg[8*`FOVEAL_REG_BAND_BASE_LO+:64];
  wire [63:0] out_base = word_reg[8*`FOVEAL_REG_OUT_BASE_LO+:64];
  wire [63:0] mat_base = word_reg[8*`FOVEAL_REG_MAT_BASE_LO+:64];
  wire [63:0] tex_base = word_reg[8*`FOVEAL_REG_TEX_BASE_LO+:64];
  wire [31:0] tex_pages = word_reg[8*`FOVEAL_REG_TEX_PAGES+:32];
  wire [ 1:0] enabled = word_reg[8*`FOVEAL_REG_IER+:2];  // interrupts

  // ---- Words that act on a write ----------------------------------------------------------------------------------
  wire        wr_ctrl = write & (waddr == `FOVEAL_REG_CTRL) & set0;
  wire        wr_isr = write & (waddr == `FOVEAL_REG_ISR) & strb_reg[0];
  wire        wr_commit = write & (waddr == `FOVEAL_REG_ROI_COMMIT) & set0;
  wire        wr_reset = write & (waddr == `FOVEAL_REG_CTRL_RESET) & set0;
  wire        wr_invalidate = write & (waddr == `FOVEAL_REG_MAT_INVALIDATE) & set0;
  wire        wr_tex_invalidate = write & (waddr == `FOVEAL_REG_TEX_INVALIDATE) & set0;

  // ---- Frame: ap_ctrl_hs ------------------------------------------------------------------------------------------
  localparam IDLE = 2'd0;
  localparam CHECK = 2'd1;
  localparam RUN = 2'd2;

  reg  [1:0] state_reg;
  reg        frame_start_reg;
  reg        start_reg;
  reg        done_reg;
  reg        ready_reg;
  reg  [1:0] isr_reg;
  reg        interrupt_reg;
  reg  [2:0] hold_reg;  // cycles of the internal reset that are left
  reg        soft_rst_n_reg;
  reg        invalidate_reg;
  reg        tex_invalidate_reg;

  wire       bad = (width == 32'd0) | (width > MAX_SIZE) | (height == 32'd0) | (height > MAX_SIZE)
                 | (tri_base[5:0] != 6'd0) | (band_base[5:0] != 6'd0)
                 | (out_base[11:0] != 12'd0) | (stride[STRIDE_LB-1:0] != 0)
                 | (tex_pages > MAX_PAGES);
  wire       checking = state_reg == CHECK;
  wire       begins = checking & ~bad & ~wr_reset;
  wire       ends = (checking & bad) | ((state_reg == RUN) & frame_done);
  wire       read_ctrl;

  always @(posedge clk) begin
    if (!rst_n) begin
      hold_reg       <= 3'd0;
      soft_rst_n_reg <= 1'b0;
      invalidate_reg <= 1'b0;
      tex_invalidate_reg <= 1'b0;
    end else begin
      hold_reg       <= wr_reset ? 3'd4 : hold_reg - {2'd0, hold_reg != 3'd0};
      soft_rst_n_reg <= ~wr_reset & (hold_reg <= 3'd1);
      invalidate_reg <= wr_invalidate;
      tex_invalidate_reg <= wr_tex_invalidate;
    end
  end

  always @(posedge clk) begin
    if (!rst_n | wr_reset) begin
      state_reg       <= IDLE;
      frame_start_reg <= 1'b0;
      start_reg       <= 1'b0;
      done_reg        <= 1'b0;
      ready_reg       <= 1'b0;
      isr_reg         <= 2'd0;
      interrupt_reg   <= 1'b0;
    end else begin
      frame_start_reg <= begins;
      case (state_reg)
        IDLE:    if (start_reg & soft_rst_n_reg) state_reg <= CHECK;
        CHECK:   state_reg <= bad ? IDLE : RUN;
        default: if (frame_done) state_reg <= IDLE;
      endcase
      // A start that is written just as the frame ends starts the next one; a read never hides an end.
      start_reg     <= wr_ctrl | (start_reg & ~ends);
      done_reg      <= ends | (done_reg & ~read_ctrl);
      ready_reg     <= ends | (ready_reg & ~read_ctrl);
      isr_reg       <= (isr_reg ^ (wr_isr ? w_reg[1:0] : 2'd0)) | (ends ? enabled : 2'd0);
      interrupt_reg <= word_reg[8*`FOVEAL_REG_GIE] & (isr_reg != 2'd0);
    end
  end

  always @(posedge clk) begin
    if (!rst_n) begin
      cfg_immediate <= 1'b0;  // clip_set depends on it before the first frame
    end else if (begins) begin
      cfg_immediate <= word_reg[8*`FOVEAL_REG_FLAGS+`FOVEAL_FLAGS_IMMEDIATE_LSB];
    end
    if (begins) begin
      cfg_tri_base    <= tri_base;
      cfg_band_base   <= band_base;
      cfg_out_base    <= out_base;
      cfg_mat_base    <= mat_base;
      cfg_width       <= width[12:0];
      cfg_height      <= height[12:0];
      cfg_stride      <= stride;
      cfg_background  <= word_reg[8*`FOVEAL_REG_BACKGROUND+:32];
      cfg_strided     <= word_reg[8*`FOVEAL_REG_FLAGS+`FOVEAL_FLAGS_STRIDED_LSB];
      cfg_depth_out   <= word_reg[8*`FOVEAL_REG_FLAGS+`FOVEAL_FLAGS_DEPTH_OUT_LSB];
      cfg_timeout     <= word_reg[8*`FOVEAL_REG_TIMEOUT+:32];
      cfg_zone_x0     <= word_reg[8*`FOVEAL_REG_ZONE_X0+:32];
      cfg_zone_y0     <= word_reg[8*`FOVEAL_REG_ZONE_Y0+:32];
      cfg_zone_x1     <= word_reg[8*`FOVEAL_REG_ZONE_X1+:32];
      cfg_zone_y1     <= word_reg[8*`FOVEAL_REG_ZONE_Y1+:32];
      cfg_zone_margin <= word_reg[8*`FOVEAL_REG_ZONE_MARGIN+:32];
      cfg_ego_x       <= word_reg[8*`FOVEAL_REG_EGO_X+:32];
      cfg_ego_y       <= word_reg[8*`FOVEAL_REG_EGO_Y+:32];
      cfg_tex_base    <= tex_base;
      cfg_tex_pages   <= tex_pages[6:0];
    end
  end

  assign soft_rst_n     = soft_rst_n_reg;
  assign frame_start    = frame_start_reg;
  assign interrupt      = interrupt_reg;
  assign mat_invalidate = invalidate_reg;
  assign tex_invalidate = tex_invalidate_reg;

  // ---- Region sets ------------------------------------------------------------------------------------------------
  wire [11*32-1:0] set_counters;
  reg  [ 31:0] frames_reg;

  roi_sets #(
      .NUM_ROI(NUM_ROI)
  ) sets (
      .clk         (clk),
      .rst_n       (rst_n),
      .clear       (wr_reset),
      .shadow      (word_reg[32*ROI_WORD+:64*NUM_ROI]),
      .commit      (wr_commit),
      .frame_begins(begins),
      .immediate   (cfg_immediate),
      .roi_set     (roi_set),
      .clip_set    (clip_set),
      .roi_change  (roi_change),
      .clip_pending(clip_pending),
      .clip_stalled(clip_stalled),
      .clip_fire   (clip_fire),
      .clip_fresh  (clip_fresh),
      .counters    (set_counters)
  );

  always @(posedge clk) begin
    if (!rst_n | wr_reset) frames_reg <= 32'd0;
    else if (ends) frames_reg <= frames_reg + 32'd1;
  end

  // ---- Status: what the engines said during the frame -------------------------------------------------------------
  reg        failed_reg, timed_out_reg, dma_error_reg, bad_config_reg;
  reg  [1:0] resp_reg, port_reg;
  wire       fault0 = err_gmem0 | timeout_gmem0;
  wire       fault1 = err_gmem1 | timeout_gmem1;
  wire       fault2 = err_gmem2 | timeout_gmem2;
  wire       fault3 = err_shade | timeout_shade;
  // In the cycle of the frame start the engines still show the frame before.
  wire       listening = (state_reg == RUN) & ~frame_start_reg;

  always @(posedge clk) begin
    if (!rst_n | wr_reset) begin
      {failed_reg, timed_out_reg, dma_error_reg, bad_config_reg} <= 4'd0;
      {resp_reg, port_reg} <= 4'd0;
    end else if (checking) begin
      {failed_reg, timed_out_reg, dma_error_reg} <= 3'd0;
      {resp_reg, port_reg} <= 4'd0;
      bad_config_reg <= bad;
    end else if (listening) begin
      if (!failed_reg & (fault0 | fault1 | fault2 | fault3)) begin
        failed_reg <= 1'b1;
        port_reg   <= fault0 ? 2'd0 : fault1 ? 2'd1 : fault2 ? 2'd2 : 2'd3;
        resp_reg   <= fault0 ? {2{err_gmem0}} & resp_gmem0
                    : fault1 ? {2{err_gmem1}} & resp_gmem1 : fault2 ? {2{err_gmem2}} & resp_gmem2 : 2'd0;
      end
      timed_out_reg <= timed_out_reg | timeout_gmem0 | timeout_gmem1 | timeout_gmem2 | timeout_shade;
      dma_error_reg <= dma_error_reg | dma_error;
    end
  end

  // ---- Read channel -----------------------------------------------------------------------------------------------
  localparam COUNTERS = `FOVEAL_FRAME_COUNTERS + `FOVEAL_TOTAL_COUNTERS;
  wire [32*COUNTERS-1:0] counters = {tex_counters, frames_reg, set_counters, dma_counters, frame_counters};

  reg         ar_full_reg;
  reg  [11:2] ar_reg;
  reg         rvalid_reg;
  reg  [ 1:0] rresp_reg;
  reg  [31:0] rdata_reg;
  reg  [31:0] value;
  reg         mapped;
  wire        read = ar_full_reg & (~rvalid_reg | s_axi_control_rready);
  wire [11:0] raddr = {ar_reg, 2'b00};

  integer c;
  always @* begin
    mapped = 1'b1;
    value  = 32'd0;
    c      = 0;  // a loop inside a branch leaves it a latch otherwise
    // Only while a read waits, so that the counters' many bits do not toggle this logic in every cycle of a frame.
    if (ar_full_reg) case (raddr)
      `FOVEAL_REG_CTRL:    value = {28'd0, ready_reg, (state_reg == IDLE) & ~start_reg, done_reg, start_reg};
      `FOVEAL_REG_ISR:     value = {30'd0, isr_reg};
      `FOVEAL_REG_ROI_COMMIT, `FOVEAL_REG_CTRL_RESET, `FOVEAL_REG_MAT_INVALIDATE, `FOVEAL_REG_TEX_INVALIDATE:
      value = 32'd0;
      `FOVEAL_REG_ID:      value = `FOVEAL_DEFAULT_ID;
      `FOVEAL_REG_VERSION: value = `FOVEAL_DEFAULT_VERSION;
      `FOVEAL_REG_CONFIG:  value = {TEX_SLOTS[7:0], 8'd32, NUM_ROI[7:0], PPC[7:0]};
      `FOVEAL_REG_STATUS:
      value = {19'd0, undrained, dma_state, port_reg, resp_reg, bad_config_reg, dma_error_reg, timed_out_reg,
               failed_reg | bad_config_reg};
      default: begin
        mapped = 1'b0;
        for (c = 0; c < WORDS; c = c + 1)
          if ({22'd0, ar_reg} == c && KEPT[32*c+:32] != 32'd0) begin
            mapped = 1'b1;
            value  = value | word_reg[32*c+:32];
          end
        for (c = 0; c < COUNTERS; c = c + 1)
          if ({20'd0, raddr} == {20'd0, `FOVEAL_REG_FRAME_CYCLES} + 4 * c) begin
            mapped = 1'b1;
            value  = value | counters[32*c+:32];
          end
      end
    endcase
  end

  assign read_ctrl             = read & (raddr == `FOVEAL_REG_CTRL);
  assign s_axi_control_arready = up_reg & ~ar_full_reg;
  assign s_axi_control_rvalid  = rvalid_reg;
  assign s_axi_control_rresp   = rresp_reg;
  assign s_axi_control_rdata   = rdata_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      ar_full_reg <= 1'b0;
      rvalid_reg  <= 1'b0;
      rresp_reg   <= OKAY;
    end else begin
      if (read) ar_full_reg <= 1'b0;
      else if (s_axi_control_arvalid & s_axi_control_arready) ar_full_reg <= 1'b1;
      if (read) begin
        rvalid_reg <= 1'b1;
        rresp_reg  <= mapped ? OKAY : SLVERR;
      end else if (s_axi_control_rready) rvalid_reg <= 1'b0;
    end
  end

  always @(posedge clk) begin
    if (s_axi_control_arready) ar_reg <= s_axi_control_araddr[11:2];
    if (read) rdata_reg <= value;
  end

  wire unused = &{1'b0, s_axi_control_awaddr[1:0], s_axi_control_araddr[1:0], 1'b0};

endmodule

`default_nettype wire
