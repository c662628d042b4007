// Loads the material table (256 entries, 1,024 bytes) and texture pages when the ego is inside the zone, and only then.
// The position is judged once at each frame start: outside (0) -> armed (1) -> loading (2) -> resident (3). What is
// resident is kept until the ego leaves the zone widened by the margin; the table is read again only if its address
// changed or after `mat_invalidate`. An empty zone never holds the ego. A table whose read ends in an error or a timeout
// leads back to outside with `dma_error` set; a page (see tex_pages) only stays absent, with `dma_error` set, too.
// `pending` is high from the frame start (that cycle included) until the decision and all loads are through; then
// `resident` holds for the frame. A decision takes 3 cycles; the table is written through `mat_*`, 16 entries a beat.
// Table and pages may start at any byte.
// `dma_counters` = {bytes read, frames without a table load, tables loaded}. Reset forgets everything.
`default_nettype none
`timescale 1ns / 1ps

module dma_trigger #(
    parameter OUTSTANDING = 2,  // read bursts in flight, 1 to 64
    parameter SLOTS = 16        // pages of the texture store: 2, 4, 8, 16, 32 or 64
) (
    input  wire                clk,
    input  wire                rst_n,
    input  wire                port_rst_n,  // of the memory port
    input  wire                frame_start,
    input  wire signed [ 31:0] cfg_ego_x,
    input  wire signed [ 31:0] cfg_ego_y,
    input  wire signed [ 31:0] cfg_zone_x0,
    input  wire signed [ 31:0] cfg_zone_y0,
    input  wire signed [ 31:0] cfg_zone_x1,
    input  wire signed [ 31:0] cfg_zone_y1,
    input  wire        [ 31:0] cfg_zone_margin,
    input  wire        [ 63:0] cfg_mat_base,
    input  wire                mat_invalidate,
    input  wire        [ 63:0] cfg_tex_base,
    input  wire        [  6:0] cfg_tex_pages,
    input  wire                tex_invalidate,
    input  wire        [ 31:0] timeout,
    // texture store
    input  wire        [    SLOTS-1:0] tex_resident,
    output wire                        tex_forget,
    output wire                        tex_we,
    output wire [$clog2(SLOTS*64)-1:0] tex_waddr,
    output wire [               511:0] tex_wdata,
    output wire                        tex_done,
    output wire    [$clog2(SLOTS)-1:0] tex_slot,
    // material table
    output wire                mat_we,
    output wire        [  3:0] mat_waddr,
    output wire        [511:0] mat_wdata,
    output wire                resident,
    output wire                pending,
    // memory
    output wire                m_axi_gmem2_arid,
    output wire        [ 63:0] m_axi_gmem2_araddr,
    output wire        [  7:0] m_axi_gmem2_arlen,
    output wire        [  2:0] m_axi_gmem2_arsize,
    output wire        [  1:0] m_axi_gmem2_arburst,
    output wire        [  3:0] m_axi_gmem2_arcache,
    output wire        [  2:0] m_axi_gmem2_arprot,
    output wire                m_axi_gmem2_arvalid,
    input  wire                m_axi_gmem2_arready,
    input  wire                m_axi_gmem2_rid,
    input  wire        [511:0] m_axi_gmem2_rdata,
    input  wire        [  1:0] m_axi_gmem2_rresp,
    input  wire                m_axi_gmem2_rlast,
    input  wire                m_axi_gmem2_rvalid,
    output wire                m_axi_gmem2_rready,
    // status
    output wire        [  1:0] dma_state,
    output wire                dma_error,
    output wire                error,
    output wire        [  1:0] resp,
    output wire                timed_out,
    output wire                undrained,
    output wire        [ 31:0] stat_bursts,
    output wire        [ 31:0] stat_bytes,
    output wire        [ 95:0] dma_counters,
    output wire        [ 63:0] tex_counters  // {pages skipped, pages loaded}
);

  localparam OUTSIDE = 2'd0;
  localparam ARMED = 2'd1;
  localparam LOADING = 2'd2;
  localparam RESIDENT = 2'd3;
  localparam [31:0] TABLE_BYTES = 32'd1024;
  localparam [31:0] PAGE_BYTES = 32'd4096;

  // ---- Where the ego is: comparisons, then the verdict -----------------------------------------------------------
  // 34 bits hold a 32-bit coordinate plus or minus an unsigned 32-bit margin.
  wire signed [33:0] ego_x = {{2{cfg_ego_x[31]}}, cfg_ego_x};
  wire signed [33:0] ego_y = {{2{cfg_ego_y[31]}}, cfg_ego_y};
  wire signed [33:0] margin = {2'b00, cfg_zone_margin};
  wire signed [33:0] x0 = {{2{cfg_zone_x0[31]}}, cfg_zone_x0};
  wire signed [33:0] y0 = {{2{cfg_zone_y0[31]}}, cfg_zone_y0};
  wire signed [33:0] x1 = {{2{cfg_zone_x1[31]}}, cfg_zone_x1};
  wire signed [33:0] y1 = {{2{cfg_zone_y1[31]}}, cfg_zone_y1};

  reg signed [33:0] wide_x0_reg;
  reg signed [33:0] wide_y0_reg;
  reg signed [33:0] wide_x1_reg;
  reg signed [33:0] wide_y1_reg;
  reg               inside_reg;
  reg               near_reg;  // inside the widened zone
  reg               some_reg;  // the zone is not empty

  always @(posedge clk) begin
    wide_x0_reg <= x0 - margin;
    wide_y0_reg <= y0 - margin;
    wide_x1_reg <= x1 + margin;
    wide_y1_reg <= y1 + margin;
    some_reg    <= (x0 < x1) & (y0 < y1);
    inside_reg  <= (x0 <= ego_x) & (ego_x < x1) & (y0 <= ego_y) & (ego_y < y1);
    near_reg    <= (wide_x0_reg <= ego_x) & (ego_x < wide_x1_reg) & (wide_y0_reg <= ego_y) & (ego_y < wide_y1_reg);
  end

  // ---- State -----------------------------------------------------------------------------------------------------
  reg  [ 1:0] state_reg;
  reg  [ 1:0] judge_reg;  // counts down to the verdict
  reg  [63:0] base_reg;  // where the resident table came from
  reg         stale_reg;  // the table must be read again
  reg         failed_reg;  // a beat of the running load was bad
  reg         error_reg;
  reg  [ 3:0] row_reg;
  reg  [31:0] loads_reg;
  reg  [31:0] skipped_reg;
  reg  [31:0] total_reg;

  wire        cmd_ready;
  wire        a_valid;
  wire        a_last;
  wire        a_user;
  wire [63:0] a_keep;
  wire        reader_busy;

  wire        verdict = judge_reg == 2'd1;
  wire        reload = stale_reg | mat_invalidate | (base_reg != cfg_mat_base);
  wire        keep = (state_reg == RESIDENT) & near_reg & some_reg;
  wire        want = keep ? reload : inside_reg & some_reg;
  wire        bad = failed_reg | a_user;

  // ---- Pages, once the table is there ----------------------------------------------------------------------------
  wire        table_end = (state_reg == LOADING) & a_valid & a_last;
  wire        stays = verdict & keep & ~want;  // resident without reading the table
  wire        leaves = (verdict & ~keep & ~want) | (table_end & bad);
  wire        page_busy;
  wire        page_failed;
  wire        page_cmd_valid;
  wire [63:0] page_addr;

  tex_pages #(
      .SLOTS(SLOTS)
  ) u_pages (
      .clk           (clk),
      .rst_n         (rst_n),
      .cfg_base      (cfg_tex_base),
      .cfg_pages     (cfg_tex_pages),
      .invalidate    (tex_invalidate),
      .start         (stays | (table_end & ~bad)),
      .leave         (leaves),
      .busy          (page_busy),
      .failed        (page_failed),
      .cmd_valid     (page_cmd_valid),
      .cmd_ready     (cmd_ready),
      .cmd_addr      (page_addr),
      .s_beat_valid  (a_valid & page_busy),
      .s_beat_last   (a_last),
      .s_beat_bad    (a_user),
      .resident      (tex_resident),
      .forget        (tex_forget),
      .page_we       (tex_we),
      .page_waddr    (tex_waddr),
      .page_done     (tex_done),
      .page_slot     (tex_slot),
      .stat_loaded   (tex_counters[31:0]),
      .stat_skipped  (tex_counters[63:32])
  );

  assign tex_wdata = mat_wdata;

  always @(posedge clk) begin
    if (!rst_n) begin
      state_reg   <= OUTSIDE;
      judge_reg   <= 2'd0;
      stale_reg   <= 1'b0;
      error_reg   <= 1'b0;
      loads_reg   <= 32'd0;
      skipped_reg <= 32'd0;
      total_reg   <= 32'd0;
    end else begin
      if (frame_start) judge_reg <= 2'd3;
      else if (judge_reg != 2'd0) judge_reg <= judge_reg - 2'd1;
      if (mat_invalidate) stale_reg <= 1'b1;
      if (frame_start) error_reg <= 1'b0;
      else if (page_failed) error_reg <= 1'b1;

      if (verdict) begin
        if (want) begin
          state_reg <= ARMED;
          stale_reg <= 1'b0;  // this load satisfies whatever was asked for up to here
        end else begin
          if (!keep) state_reg <= OUTSIDE;
          skipped_reg <= skipped_reg + 32'd1;
        end
      end else if (state_reg == ARMED) begin
        if (cmd_ready) state_reg <= LOADING;
      end else if (table_end) begin
        state_reg <= bad ? OUTSIDE : RESIDENT;
        error_reg <= bad;
        if (!bad) loads_reg <= loads_reg + 32'd1;
      end
      // What the firewall takes and drops after a reset belongs to no load.
      if (m_axi_gmem2_rvalid & m_axi_gmem2_rready & ~undrained) total_reg <= total_reg + 32'd64;
    end
  end

  always @(posedge clk) begin
    if (state_reg == ARMED) begin
      base_reg   <= cfg_mat_base;
      failed_reg <= 1'b0;
      row_reg    <= 4'd0;
    end else if (a_valid & (state_reg == LOADING)) begin
      failed_reg <= bad;
      row_reg    <= row_reg + 4'd1;
    end
  end

  assign mat_we    = a_valid & ~a_user & (state_reg == LOADING);
  assign mat_waddr = row_reg;

  // Table and pages may lie at any byte: the beats that cover them are read, and moved to their bytes' place.
  wire         asks = (state_reg == ARMED) | page_cmd_valid;
  wire [ 63:0] ask_addr = page_busy ? page_addr : cfg_mat_base;
  wire [ 31:0] ask_bytes = page_busy ? PAGE_BYTES : TABLE_BYTES;
  wire         reader_ready;
  wire         align_ready;
  wire         r_valid;
  wire         r_ready;
  wire [511:0] r_data;
  wire [ 63:0] r_keep;
  wire         r_last;
  wire         r_user;
  assign cmd_ready = reader_ready & align_ready;

  axi_align #(
      .DATA_W(512)
  ) align (
      .clk          (clk),
      .rst_n        (rst_n),
      .cmd_valid    (asks & reader_ready),
      .cmd_ready    (align_ready),
      .cmd_offset   (ask_addr[5:0]),
      .cmd_bytes    (ask_bytes),
      .s_axis_tvalid(r_valid),
      .s_axis_tready(r_ready),
      .s_axis_tdata (r_data),
      .s_axis_tlast (r_last),
      .s_axis_tuser (r_user),
      .m_axis_tvalid(a_valid),
      .m_axis_tready(1'b1),
      .m_axis_tdata (mat_wdata),
      .m_axis_tkeep (a_keep),
      .m_axis_tlast (a_last),
      .m_axis_tuser (a_user)
  );

  axi_read #(
      .DATA_W     (512),
      .OUTSTANDING(OUTSTANDING),
      .ID_W       (1)
  ) reader (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .cmd_valid    (asks & align_ready),
      .cmd_ready    (reader_ready),
      .cmd_addr     ({ask_addr[63:6], 6'd0}),
      .cmd_bytes    (ask_bytes + {26'd0, ask_addr[5:0]}),
      .m_axis_tvalid(r_valid),
      .m_axis_tready(r_ready),
      .m_axis_tdata (r_data),
      .m_axis_tkeep (r_keep),
      .m_axis_tlast (r_last),
      .m_axis_tuser (r_user),
      .m_axi_arid   (m_axi_gmem2_arid),
      .m_axi_araddr (m_axi_gmem2_araddr),
      .m_axi_arlen  (m_axi_gmem2_arlen),
      .m_axi_arsize (m_axi_gmem2_arsize),
      .m_axi_arburst(m_axi_gmem2_arburst),
      .m_axi_arcache(m_axi_gmem2_arcache),
      .m_axi_arprot (m_axi_gmem2_arprot),
      .m_axi_arvalid(m_axi_gmem2_arvalid),
      .m_axi_arready(m_axi_gmem2_arready),
      .m_axi_rid    (m_axi_gmem2_rid),
      .m_axi_rdata  (m_axi_gmem2_rdata),
      .m_axi_rresp  (m_axi_gmem2_rresp),
      .m_axi_rlast  (m_axi_gmem2_rlast),
      .m_axi_rvalid (m_axi_gmem2_rvalid),
      .m_axi_rready (m_axi_gmem2_rready),
      .timeout      (timeout),
      .clear        (frame_start),
      .busy         (reader_busy),
      .error        (error),
      .resp         (resp),
      .timed_out    (timed_out),
      .undrained    (undrained),
      .stat_bursts  (stat_bursts),
      .stat_bytes   (stat_bytes)
  );

  assign resident     = state_reg == RESIDENT;
  assign pending      = frame_start | (judge_reg != 2'd0) | (state_reg == ARMED) | (state_reg == LOADING)
                      | page_busy;
  assign dma_state    = page_busy ? LOADING : state_reg;
  assign dma_error    = error_reg;
  assign dma_counters = {total_reg, skipped_reg, loads_reg};

  wire unused = &{1'b0, a_keep, r_keep, reader_busy, 1'b0};

endmodule

`default_nettype wire
