// roi_regs with its roi_sets: the AXI4-Lite rules; no set is torn: one arbitrary coordinate of it, written at any time
// and byte by byte, is what it was at the last COMMIT, so all of them are; a frame's set is that of the last COMMIT before
// it; a configuration changes only at a frame start; a frame starts only after a start was written and the one before
// has ended; a write answers OKAY up to the last writable register, SLVERR behind it. By induction: what the design's
// registers must be, seen from the bus, is asserted as well.
`default_nettype none
`include "foveal_regs.vh"

module roi_regs_formal #(
    parameter NUM_ROI = 1,
    parameter PPC     = 8
) (
    input wire        clk,
    input wire        rst_n,
    input wire [11:0] awaddr,
    input wire        awvalid,
    input wire [31:0] wdata,
    input wire [ 3:0] wstrb,
    input wire        wvalid,
    input wire        bready,
    input wire [11:0] araddr,
    input wire        arvalid,
    input wire        rready,
    input wire        frame_done,
    input wire        clip_pending,
    input wire        clip_stalled,
    input wire        clip_fire,
    input wire        clip_fresh,
    input wire [32*`FOVEAL_FRAME_COUNTERS-1:0] frame_counters,
    input wire [14:0] status
);

  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  wire soft_rst_n, frame_start, roi_change;
  wire [NUM_ROI*52-1:0] roi_set, clip_set;
  wire [63:0] tri_base;
  wire [12:0] width, height;
  wire [31:0] stride, timeout;
  wire immediate;

  roi_regs #(
      .NUM_ROI(NUM_ROI),
      .PPC    (PPC)
  ) dut (
      .clk                  (clk),
      .rst_n                (rst_n),
      .s_axi_control_awaddr (awaddr),
      .s_axi_control_awvalid(awvalid),
      .s_axi_control_awready(awready),
      .s_axi_control_wdata  (wdata),
      .s_axi_control_wstrb  (wstrb),
      .s_axi_control_wvalid (wvalid),
      .s_axi_control_wready (wready),
      .s_axi_control_bresp  (bresp),
      .s_axi_control_bvalid (bvalid),
      .s_axi_control_bready (bready),
      .s_axi_control_araddr (araddr),
      .s_axi_control_arvalid(arvalid),
      .s_axi_control_arready(arready),
      .s_axi_control_rdata  (rdata),
      .s_axi_control_rresp  (rresp),
      .s_axi_control_rvalid (rvalid),
      .s_axi_control_rready (rready),
      .soft_rst_n           (soft_rst_n),
      .frame_start          (frame_start),
      .frame_done           (frame_done),
      .cfg_tri_base         (tri_base),
      .cfg_width            (width),
      .cfg_height           (height),
      .cfg_stride           (stride),
      .cfg_timeout          (timeout),
      .cfg_immediate        (immediate),
      .roi_set              (roi_set),
      .clip_set             (clip_set),
      .roi_change              (roi_change),
      .clip_pending          (clip_pending),
      .clip_stalled         (clip_stalled),
      .clip_fire            (clip_fire),
      .clip_fresh             (clip_fresh),
      .frame_counters       (frame_counters),
      .dma_counters         (96'd0),
      .tex_counters         (96'd0),
      .err_shade            (1'b0),
      .undrained            (3'd0),
      .timeout_shade        (1'b0),
      .err_gmem0            (status[0]),
      .err_gmem1            (status[1]),
      .err_gmem2            (status[2]),
      .resp_gmem0           (status[4:3]),
      .resp_gmem1           (status[6:5]),
      .resp_gmem2           (status[8:7]),
      .timeout_gmem0        (status[9]),
      .timeout_gmem1        (status[10]),
      .timeout_gmem2        (status[11]),
      .dma_error            (status[12]),
      .dma_state            (status[14:13])
  );

  initial assume (!rst_n);

  axi4_lite_properties port (
      .clk    (clk),
      .rst_n  (rst_n),
      .awaddr (awaddr),
      .awvalid(awvalid),
      .awready(awready),
      .wdata  (wdata),
      .wstrb  (wstrb),
      .wvalid (wvalid),
      .wready (wready),
      .bresp  (bresp),
      .bvalid (bvalid),
      .bready (bready),
      .araddr (araddr),
      .arvalid(arvalid),
      .arready(arready),
      .rdata  (rdata),
      .rresp  (rresp),
      .rvalid (rvalid),
      .rready (rready)
  );

  // Writes as the bus sees them: the address and data taken last.
  reg [11:0] at_reg;
  reg [31:0] data_reg;
  reg [3:0] strb_reg;
  reg a_reg = 1'b0;
  reg d_reg = 1'b0;
  wire acts = a_reg & d_reg & (~bvalid | bready);  // the cycle before its response
  wire [11:0] at = {at_reg[11:2], 2'b00};
  wire sets_bit_0 = acts & data_reg[0] & strb_reg[0];
  wire commits = sets_bit_0 & (at == `FOVEAL_REG_ROI_COMMIT);
  wire starts = sets_bit_0 & (at == `FOVEAL_REG_CTRL);
  wire resets = sets_bit_0 & (at == `FOVEAL_REG_CTRL_RESET);

  // The watched coordinate: as written, of the last COMMIT, and of the last COMMIT before the frame.
  (* anyconst *) reg [5:0] watch;
  wire writes_it = acts & (at == `FOVEAL_REG_ROI_0_LO + 4 * watch[5:1]);
  wire [31:0] half = data_reg >> (16 * watch[0]);
  wire [ 3:0] lanes = strb_reg >> (2 * watch[0]);
  reg [15:0] written_reg = 16'd0;
  reg [12:0] committed_reg = 13'd0;
  reg [12:0] past_committed_reg = 13'd0;
  reg [12:0] framed_reg = 13'd0;
  wire [12:0] of_frame = frame_start ? past_committed_reg : framed_reg;
  wire [12:0] in_roi_set = roi_set >> (13 * watch);
  wire [12:0] in_clip_set = clip_set >> (13 * watch);

  function [12:0] limited(input [15:0] value);
    limited = value > 16'd8191 ? 13'd8191 : value[12:0];
  endfunction

  reg started_reg = 1'b0;
  reg known_reg = 1'b0;  // the configuration has been taken once
  reg start_owed_reg = 1'b0;
  reg running_reg = 1'b0;
  reg [154:0] config_reg;
  reg wrong_reg = 1'b0;  // the write that acted last lies behind the last writable register
  wire [154:0] config_now = {tri_base, width, height, stride, timeout, immediate};

  // What the proof by induction knows of the inside.
  localparam IDLE = 2'd0;
  localparam CHECK = 2'd1;
  localparam RUN = 2'd2;
  localparam SHADOW = 8 * `FOVEAL_REG_ROI_0_LO;
  (* hierconn *) wire \dut.aw_full_reg ;
  (* hierconn *) wire \dut.w_full_reg ;
  (* hierconn *) wire [11:2] \dut.aw_reg ;
  (* hierconn *) wire [31:0] \dut.w_reg ;
  (* hierconn *) wire [3:0] \dut.strb_reg ;
  (* hierconn *) wire \dut.ar_full_reg ;
  (* hierconn *) wire [SHADOW+64*NUM_ROI-1:0] \dut.word_reg ;
  (* hierconn *) wire [NUM_ROI*52-1:0] \dut.sets.commit_reg ;
  (* hierconn *) wire [1:0] \dut.state_reg ;
  (* hierconn *) wire \dut.start_reg ;
  (* hierconn *) wire [2:0] \dut.hold_reg ;
  (* hierconn *) wire [1:0] \port.addresses_reg ;
  (* hierconn *) wire [1:0] \port.data_reg ;
  (* hierconn *) wire [1:0] \port.reads_reg ;
  (* hierconn *) wire [1:0] \port.write_late_reg ;
  (* hierconn *) wire [1:0] \port.read_late_reg ;
  wire [15:0] in_shadow = \dut.word_reg [SHADOW+:64*NUM_ROI] >> (16 * watch);
  wire [12:0] in_commit = \dut.sets.commit_reg >> (13 * watch);

  always @* assume (watch < 4 * NUM_ROI);

  always @(posedge clk) begin
    started_reg        <= rst_n;
    known_reg          <= rst_n & (known_reg | frame_start);
    config_reg         <= config_now;
    past_committed_reg <= committed_reg;
    if (!rst_n) begin
      a_reg              <= 1'b0;
      d_reg              <= 1'b0;
      written_reg        <= 16'd0;
      committed_reg      <= 13'd0;
      past_committed_reg <= 13'd0;
      framed_reg         <= 13'd0;
      start_owed_reg     <= 1'b0;
      running_reg        <= 1'b0;
    end else begin
      a_reg <= (a_reg & ~acts) | (awvalid & awready);
      d_reg <= (d_reg & ~acts) | (wvalid & wready);
      if (awvalid & awready) at_reg <= awaddr;
      if (wvalid & wready) {data_reg, strb_reg} <= {wdata, wstrb};
      if (writes_it & lanes[1]) written_reg[15:8] <= half[15:8];
      if (writes_it & lanes[0]) written_reg[7:0] <= half[7:0];
      if (commits) committed_reg <= limited(written_reg);
      framed_reg <= of_frame;
      if (acts) wrong_reg <= at > `FOVEAL_LAST_WRITABLE;
      start_owed_reg <= ~resets & (starts | (start_owed_reg & ~frame_start));
      running_reg    <= ~resets & ~frame_done & (frame_start | running_reg);
    end
    if (rst_n & started_reg) begin
      assert (in_roi_set == of_frame);
      assert (in_clip_set == (immediate ? committed_reg : of_frame));
      if (bvalid) assert (bresp == (wrong_reg ? 2'b10 : 2'b00));
      if (frame_start) assert (!running_reg && start_owed_reg);
      if (frame_start) assert (width != 0 && width <= 13'd4096 && height != 0 && height <= 13'd4096 && tri_base[5:0] == 0);
      if (frame_start) assert (soft_rst_n);
      if (!frame_start & known_reg) assert (config_reg == config_now);
      cover (frame_start);
      cover (bvalid & wrong_reg);
      cover (committed_reg == 13'd8191);

      assert (a_reg == \dut.aw_full_reg && d_reg == \dut.w_full_reg );
      if (a_reg) assert (at_reg[11:2] == \dut.aw_reg );
      if (d_reg) assert (data_reg == \dut.w_reg && strb_reg == \dut.strb_reg );
      assert (in_shadow == written_reg);
      assert (in_commit == committed_reg);
      assert (\port.addresses_reg == a_reg + bvalid && \port.data_reg == d_reg + bvalid);
      assert (\port.reads_reg == \dut.ar_full_reg + rvalid);
      assert (\port.write_late_reg == 2'd0 || (bvalid && \port.write_late_reg == 2'd1));
      assert (\port.read_late_reg == 2'd0 || (rvalid && \port.read_late_reg == 2'd1));
      assert (\dut.state_reg == IDLE || \dut.state_reg == CHECK || \dut.state_reg == RUN);
      if (\dut.state_reg != RUN) assert (!running_reg && !frame_start);
      if (\dut.state_reg != IDLE) assert (soft_rst_n && \dut.start_reg );
      if (\dut.state_reg != RUN && \dut.start_reg ) assert (start_owed_reg);
      if (soft_rst_n) assert (\dut.hold_reg == 3'd0);
    end
  end

endmodule

`default_nettype wire
