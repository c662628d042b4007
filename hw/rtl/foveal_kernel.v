// The Foveal kernel: triangle records in memory to pixels in memory, inside the regions only. An RTL kernel in
// the Vitis sense (ap_ctrl_hs over s_axi_control, three AXI4 masters, one clock, synchronous reset).
// Records are fetched band by band (gmem0), culled, rasterised into one of two band banks; the other
// bank is scanned, clipped, shaded and written (gmem1). Materials come through gmem2 while the ego is in
// the zone. Frames start with ap_start and always end with ap_done: a memory error is kept in STATUS,
// an engine that times out ends the frame early and asks for CTRL_RESET. Formats and rules: SPEC.md.
// With SHADE_PORT a kernel outside shades; it may sample the texture store, which fills together with the materials.
// Reset clears everything; CTRL_RESET everything but the registers' configuration and the firewalls at the memory
// ports, which complete there what was begun. The first frame
// after a reset waits until the band banks are clear (32 * 4096 / PPC cycles).
`default_nettype none
`timescale 1ns / 1ps

`include "foveal_regs.vh"

// One clock. Co-simulation leaves out edges that change nothing in a part at rest, and gives each part a name for its own.
`ifdef FOVEAL_REST
`define CLK_REGS clk_regs
`define CLK_RECORDS clk_records
`define CLK_PIXELS clk_pixels
`define CLK_MATERIALS clk_materials
`else
`define CLK_REGS ap_clk
`define CLK_RECORDS ap_clk
`define CLK_PIXELS ap_clk
`define CLK_MATERIALS ap_clk
`endif

module foveal_kernel #(
    parameter PPC = 8,         // pixels a clock: 1, 2, 4, 8 or 16; gmem1 has PPC * 32 bits
    parameter OUTSTANDING = 8, // requests in flight on gmem0 and gmem1, 1 to 64
    parameter TEX_SLOTS = 16,  // pages of the texture store: 2, 4, 8, 16, 32, 64, or 0 for no store
    parameter SHADE_PORT = 0   // 0 shades inside; 1 sends clipped beats out and takes shaded ones back
) (
    input  wire               ap_clk,
    input  wire               ap_rst_n,
    output wire               interrupt,
    // Control
    input  wire [       11:0] s_axi_control_awaddr,
    input  wire               s_axi_control_awvalid,
    output wire               s_axi_control_awready,
    input  wire [       31:0] s_axi_control_wdata,
    input  wire [        3:0] s_axi_control_wstrb,
    input  wire               s_axi_control_wvalid,
    output wire               s_axi_control_wready,
    output wire [        1:0] s_axi_control_bresp,
    output wire               s_axi_control_bvalid,
    input  wire               s_axi_control_bready,
    input  wire [       11:0] s_axi_control_araddr,
    input  wire               s_axi_control_arvalid,
    output wire               s_axi_control_arready,
    output wire [       31:0] s_axi_control_rdata,
    output wire [        1:0] s_axi_control_rresp,
    output wire               s_axi_control_rvalid,
    input  wire               s_axi_control_rready,
    // Memory 0: triangle records and the band table, read only
    output wire               m_axi_gmem0_arid,
    output wire        [63:0] m_axi_gmem0_araddr,
    output wire         [7:0] m_axi_gmem0_arlen,
    output wire         [2:0] m_axi_gmem0_arsize,
    output wire         [1:0] m_axi_gmem0_arburst,
    output wire         [3:0] m_axi_gmem0_arcache,
    output wire         [2:0] m_axi_gmem0_arprot,
    output wire               m_axi_gmem0_arvalid,
    input  wire               m_axi_gmem0_arready,
    input  wire               m_axi_gmem0_rid,
    input  wire       [511:0] m_axi_gmem0_rdata,
    input  wire         [1:0] m_axi_gmem0_rresp,
    input  wire               m_axi_gmem0_rlast,
    input  wire               m_axi_gmem0_rvalid,
    output wire               m_axi_gmem0_rready,
    output wire               m_axi_gmem0_awid,
    output wire        [63:0] m_axi_gmem0_awaddr,
    output wire         [7:0] m_axi_gmem0_awlen,
    output wire         [2:0] m_axi_gmem0_awsize,
    output wire         [1:0] m_axi_gmem0_awburst,
    output wire         [3:0] m_axi_gmem0_awcache,
    output wire         [2:0] m_axi_gmem0_awprot,
    output wire               m_axi_gmem0_awvalid,
    input  wire               m_axi_gmem0_awready,
    output wire       [511:0] m_axi_gmem0_wdata,
    output wire        [63:0] m_axi_gmem0_wstrb,
    output wire               m_axi_gmem0_wlast,
    output wire               m_axi_gmem0_wvalid,
    input  wire               m_axi_gmem0_wready,
    input  wire               m_axi_gmem0_bid,
    input  wire         [1:0] m_axi_gmem0_bresp,
    input  wire               m_axi_gmem0_bvalid,
    output wire               m_axi_gmem0_bready,
    // Memory 1: pixels, write only
    output wire               m_axi_gmem1_arid,
    output wire        [63:0] m_axi_gmem1_araddr,
    output wire         [7:0] m_axi_gmem1_arlen,
    output wire         [2:0] m_axi_gmem1_arsize,
    output wire         [1:0] m_axi_gmem1_arburst,
    output wire         [3:0] m_axi_gmem1_arcache,
    output wire         [2:0] m_axi_gmem1_arprot,
    output wire               m_axi_gmem1_arvalid,
    input  wire               m_axi_gmem1_arready,
    input  wire               m_axi_gmem1_rid,
    input  wire  [PPC*32-1:0] m_axi_gmem1_rdata,
    input  wire         [1:0] m_axi_gmem1_rresp,
    input  wire               m_axi_gmem1_rlast,
    input  wire               m_axi_gmem1_rvalid,
    output wire               m_axi_gmem1_rready,
    output wire               m_axi_gmem1_awid,
    output wire        [63:0] m_axi_gmem1_awaddr,
    output wire         [7:0] m_axi_gmem1_awlen,
    output wire         [2:0] m_axi_gmem1_awsize,
    output wire         [1:0] m_axi_gmem1_awburst,
    output wire         [3:0] m_axi_gmem1_awcache,
    output wire         [2:0] m_axi_gmem1_awprot,
    output wire               m_axi_gmem1_awvalid,
    input  wire               m_axi_gmem1_awready,
    output wire  [PPC*32-1:0] m_axi_gmem1_wdata,
    output wire   [PPC*4-1:0] m_axi_gmem1_wstrb,
    output wire               m_axi_gmem1_wlast,
    output wire               m_axi_gmem1_wvalid,
    input  wire               m_axi_gmem1_wready,
    input  wire               m_axi_gmem1_bid,
    input  wire         [1:0] m_axi_gmem1_bresp,
    input  wire               m_axi_gmem1_bvalid,
    output wire               m_axi_gmem1_bready,
    // Memory 2: the material table, read only
    output wire               m_axi_gmem2_arid,
    output wire        [63:0] m_axi_gmem2_araddr,
    output wire         [7:0] m_axi_gmem2_arlen,
    output wire         [2:0] m_axi_gmem2_arsize,
    output wire         [1:0] m_axi_gmem2_arburst,
    output wire         [3:0] m_axi_gmem2_arcache,
    output wire         [2:0] m_axi_gmem2_arprot,
    output wire               m_axi_gmem2_arvalid,
    input  wire               m_axi_gmem2_arready,
    input  wire               m_axi_gmem2_rid,
    input  wire       [511:0] m_axi_gmem2_rdata,
    input  wire         [1:0] m_axi_gmem2_rresp,
    input  wire               m_axi_gmem2_rlast,
    input  wire               m_axi_gmem2_rvalid,
    output wire               m_axi_gmem2_rready,
    output wire               m_axi_gmem2_awid,
    output wire        [63:0] m_axi_gmem2_awaddr,
    output wire         [7:0] m_axi_gmem2_awlen,
    output wire         [2:0] m_axi_gmem2_awsize,
    output wire         [1:0] m_axi_gmem2_awburst,
    output wire         [3:0] m_axi_gmem2_awcache,
    output wire         [2:0] m_axi_gmem2_awprot,
    output wire               m_axi_gmem2_awvalid,
    input  wire               m_axi_gmem2_awready,
    output wire       [511:0] m_axi_gmem2_wdata,
    output wire        [63:0] m_axi_gmem2_wstrb,
    output wire               m_axi_gmem2_wlast,
    output wire               m_axi_gmem2_wvalid,
    input  wire               m_axi_gmem2_wready,
    input  wire               m_axi_gmem2_bid,
    input  wire         [1:0] m_axi_gmem2_bresp,
    input  wire               m_axi_gmem2_bvalid,
    output wire               m_axi_gmem2_bready,
    // Shading stream (SPEC section 12), at rest with SHADE_PORT = 0
    output wire                  m_axis_shade_tvalid,
    input  wire                  m_axis_shade_tready,
    output wire [(PPC+1)*80-1:0] m_axis_shade_tdata,
    output wire                  m_axis_shade_tlast,
    input  wire                  s_axis_shade_tvalid,
    output wire                  s_axis_shade_tready,
    input  wire     [PPC*32-1:0] s_axis_shade_tdata,
    input  wire                  s_axis_shade_tlast,
    // Texture samples (SPEC section 11), at rest with TEX_SLOTS = 0
    input  wire                  s_axis_tex_tvalid,
    output wire                  s_axis_tex_tready,
    input  wire           [63:0] s_axis_tex_tdata,
    output wire                  m_axis_tex_tvalid,
    input  wire                  m_axis_tex_tready,
    output wire           [39:0] m_axis_tex_tdata
);

  localparam NUM_ROI = 16;
  localparam COLW = $clog2(4096 / PPC);
  localparam PIXEL_W = PPC * 56;

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
    if (SHADE_PORT != 0 && SHADE_PORT != 1) begin
      $display("%m: SHADE_PORT must be 0 or 1, it is %0d", SHADE_PORT);
      $finish;
    end
  end

  // ---- Registers ----------------------------------------------------------------------------------
  wire                  rst_n;  // of everything but the registers
  wire                  frame_start;
  wire                  frame_done;
  wire [          63:0] cfg_tri_base;
  wire [          63:0] cfg_band_base;
  wire [          63:0] cfg_out_base;
  wire [          63:0] cfg_mat_base;
  wire [          12:0] cfg_width;
  wire [          12:0] cfg_height;
  wire [          31:0] cfg_stride;
  wire [          31:0] cfg_background;
  wire                  cfg_strided;
  wire                  cfg_depth_out;
  wire                  cfg_immediate;
  wire [          31:0] cfg_timeout;
  wire [          31:0] cfg_zone_x0;
  wire [          31:0] cfg_zone_y0;
  wire [          31:0] cfg_zone_x1;
  wire [          31:0] cfg_zone_y1;
  wire [          31:0] cfg_zone_margin;
  wire [          31:0] cfg_ego_x;
  wire [          31:0] cfg_ego_y;
  wire [          63:0] cfg_tex_base;
  wire [           6:0] cfg_tex_pages;
  wire                  mat_invalidate;
  wire                  tex_invalidate;
  wire [NUM_ROI*52-1:0] roi_set;
  wire [NUM_ROI*52-1:0] clip_set;
  wire                  roi_change;

  wire [32*`FOVEAL_FRAME_COUNTERS-1:0] frame_counters;
  wire [      3*32-1:0] dma_counters;
  wire [      3*32-1:0] tex_counters;
  wire                  fetch_error;
  wire [           1:0] fetch_resp;
  wire                  fetch_timed_out;
  wire                  fetch_undrained;
  wire                  write_error;
  wire [           1:0] write_resp;
  wire                  write_timed_out;
  wire                  write_undrained;
  wire                  mat_error;
  wire [           1:0] mat_resp;
  wire                  mat_timed_out;
  wire                  mat_undrained;
  wire                  shade_error;
  wire                  shade_timed_out;
  wire                  dma_error;
  wire [           1:0] dma_state;
  wire                  clip_active;
  wire                  clip_pending;
  wire                  clip_stalled;
  wire                  clip_fire;
  wire                  clip_fresh;

  roi_regs #(
      .NUM_ROI(NUM_ROI),
      .PPC(PPC),
      .TEX_SLOTS(TEX_SLOTS)
  ) u_regs (
      .clk(`CLK_REGS),
      .rst_n(ap_rst_n),
      .s_axi_control_awaddr(s_axi_control_awaddr),
      .s_axi_control_awvalid(s_axi_control_awvalid),
      .s_axi_control_awready(s_axi_control_awready),
      .s_axi_control_wdata(s_axi_control_wdata),
      .s_axi_control_wstrb(s_axi_control_wstrb),
      .s_axi_control_wvalid(s_axi_control_wvalid),
      .s_axi_control_wready(s_axi_control_wready),
      .s_axi_control_bresp(s_axi_control_bresp),
      .s_axi_control_bvalid(s_axi_control_bvalid),
      .s_axi_control_bready(s_axi_control_bready),
      .s_axi_control_araddr(s_axi_control_araddr),
      .s_axi_control_arvalid(s_axi_control_arvalid),
      .s_axi_control_arready(s_axi_control_arready),
      .s_axi_control_rdata(s_axi_control_rdata),
      .s_axi_control_rresp(s_axi_control_rresp),
      .s_axi_control_rvalid(s_axi_control_rvalid),
      .s_axi_control_rready(s_axi_control_rready),
      .interrupt(interrupt),
      .soft_rst_n(rst_n),
      .frame_start(frame_start),
      .frame_done(frame_done),
      .cfg_tri_base(cfg_tri_base),
      .cfg_band_base(cfg_band_base),
      .cfg_out_base(cfg_out_base),
      .cfg_mat_base(cfg_mat_base),
      .cfg_width(cfg_width),
      .cfg_height(cfg_height),
      .cfg_stride(cfg_stride),
      .cfg_background(cfg_background),
      .cfg_strided(cfg_strided),
      .cfg_depth_out(cfg_depth_out),
      .cfg_immediate(cfg_immediate),
      .cfg_timeout(cfg_timeout),
      .cfg_zone_x0(cfg_zone_x0),
      .cfg_zone_y0(cfg_zone_y0),
      .cfg_zone_x1(cfg_zone_x1),
      .cfg_zone_y1(cfg_zone_y1),
      .cfg_zone_margin(cfg_zone_margin),
      .cfg_ego_x(cfg_ego_x),
      .cfg_ego_y(cfg_ego_y),
      .cfg_tex_base(cfg_tex_base),
      .cfg_tex_pages(cfg_tex_pages),
      .mat_invalidate(mat_invalidate),
      .tex_invalidate(tex_invalidate),
      .roi_set(roi_set),
      .clip_set(clip_set),
      .roi_change(roi_change),
      .frame_counters(frame_counters),
      .dma_counters(dma_counters),
      .tex_counters(tex_counters),
      .err_gmem0(fetch_error),
      .err_gmem1(write_error),
      .err_gmem2(mat_error),
      .resp_gmem0(fetch_resp),
      .resp_gmem1(write_resp),
      .resp_gmem2(mat_resp),
      .timeout_gmem0(fetch_timed_out),
      .timeout_gmem1(write_timed_out),
      .timeout_gmem2(mat_timed_out),
      .err_shade(shade_error),
      .timeout_shade(shade_timed_out),
      .undrained({mat_undrained, write_undrained, fetch_undrained}),
      .dma_error(dma_error),
      .dma_state(dma_state),
      .clip_pending(clip_pending),
      .clip_stalled(clip_stalled),
      .clip_fire(clip_fire),
      .clip_fresh(clip_fresh)
  );

  // ---- Records --------------------------------------------------------------------------------------
  wire         load_valid;
  wire         load_ready;
  wire [  7:0] load_bands;
  wire         band_valid;
  wire         band_ready;
  wire [  6:0] band_index;
  wire         tri_valid;
  wire         tri_ready;
  wire [511:0] tri_data;
  wire         tri_end;
  wire [ 31:0] fetch_bursts;
  wire [ 31:0] fetch_bytes;
  wire         fetch_busy;

  tri_fetch #(
      .OUTSTANDING(OUTSTANDING)
  ) u_fetch (
      .clk(`CLK_RECORDS),
      .rst_n(rst_n),
      .port_rst_n(ap_rst_n),
      .cfg_tri_base(cfg_tri_base),
      .cfg_band_base(cfg_band_base),
      .timeout(cfg_timeout),
      .clear(frame_start),
      .load_valid(load_valid),
      .load_ready(load_ready),
      .load_bands(load_bands),
      .band_valid(band_valid),
      .band_ready(band_ready),
      .band_index(band_index),
      .m_tri_tvalid(tri_valid),
      .m_tri_tready(tri_ready),
      .m_tri_tdata(tri_data),
      .m_tri_tuser(tri_end),
      .m_axi_gmem0_arid(m_axi_gmem0_arid),
      .m_axi_gmem0_araddr(m_axi_gmem0_araddr),
      .m_axi_gmem0_arlen(m_axi_gmem0_arlen),
      .m_axi_gmem0_arsize(m_axi_gmem0_arsize),
      .m_axi_gmem0_arburst(m_axi_gmem0_arburst),
      .m_axi_gmem0_arcache(m_axi_gmem0_arcache),
      .m_axi_gmem0_arprot(m_axi_gmem0_arprot),
      .m_axi_gmem0_arvalid(m_axi_gmem0_arvalid),
      .m_axi_gmem0_arready(m_axi_gmem0_arready),
      .m_axi_gmem0_rid(m_axi_gmem0_rid),
      .m_axi_gmem0_rdata(m_axi_gmem0_rdata),
      .m_axi_gmem0_rresp(m_axi_gmem0_rresp),
      .m_axi_gmem0_rlast(m_axi_gmem0_rlast),
      .m_axi_gmem0_rvalid(m_axi_gmem0_rvalid),
      .m_axi_gmem0_rready(m_axi_gmem0_rready),
      .busy(fetch_busy),
      .error(fetch_error),
      .resp(fetch_resp),
      .timed_out(fetch_timed_out),
      .undrained(fetch_undrained),
      .stat_bursts(fetch_bursts),
      .stat_bytes(fetch_bytes)
  );

  // Records of the next band wait here until the raster takes it up: band_y0 and wr_bank belong to one band.
  wire gate_open;
  wire cull_ready;
  assign tri_ready = cull_ready & gate_open;

  wire [ 12:0] band_y0;
  wire         culled_valid;
  wire         culled_ready;
  wire [511:0] culled_data;
  wire         culled_end;
  wire [ 51:0] culled_bounds;
  wire         stat_culled;
  wire         stat_fetched;

  // Pixels beyond the frame would stay in the bank, for the scan never reads them, and show in a later, larger frame.
  function [15:0] within_frame(input [15:0] bound, input [12:0] size);
    within_frame = bound > {3'd0, size} ? {3'd0, size} : bound;
  endfunction

  roi_cull #(
      .NUM_ROI(NUM_ROI)
  ) u_cull (
      .clk(`CLK_RECORDS),
      .rst_n(rst_n),
      .roi_set(roi_set),
      .band_y0(band_y0),
      .s_tri_tvalid(tri_valid & gate_open),
      .s_tri_tready(cull_ready),
      .s_tri_tdata({
        tri_data[511:64],
        within_frame(tri_data[63:48], cfg_height),
        within_frame(tri_data[47:32], cfg_width),
        tri_data[31:0]
      }),
      .s_tri_tuser(tri_end),
      .m_tri_tvalid(culled_valid),
      .m_tri_tready(culled_ready),
      .m_tri_tdata(culled_data),
      .m_tri_tuser(culled_end),
      .m_tri_bounds(culled_bounds),
      .stat_culled(stat_culled),
      .stat_fetched(stat_fetched)
  );

  // ---- Raster ---------------------------------------------------------------------------------------
  wire               blk_valid;
  wire               blk_ready;
  wire [        4:0] blk_row;
  wire [   COLW-1:0] blk_col;
  wire [    PPC-1:0] blk_cover;
  wire [ PPC*24-1:0] blk_depth;
  wire [       31:0] blk_surface;
  wire               blk_end;
  wire               stat_walked;
  wire               stat_outside;
  wire               stat_empty;
  wire               stat_hidden;
  wire               raster_busy;
  wire               wr_bank;
  wire               scan_en;
  wire               scan_bank;
  wire [        4:0] scan_row;
  wire [   COLW-1:0] scan_col;

  tile_raster #(
      .PPC    (PPC),
      .NUM_ROI(NUM_ROI)
  ) u_raster (
      .clk(ap_clk),
      .rst_n(rst_n),
      .roi_set(roi_set),
      .band_y0(band_y0),
      .wr_bank(wr_bank),
      .scan_en(scan_en),
      .scan_bank(scan_bank),
      .scan_trow(scan_row[4:3]),
      .scan_col(scan_col),
      .s_tri_tvalid(culled_valid),
      .s_tri_tready(culled_ready),
      .s_tri_tdata(culled_data),
      .s_tri_tuser(culled_end),
      .s_tri_bounds(culled_bounds),
      .m_blk_tvalid(blk_valid),
      .m_blk_tready(blk_ready),
      .m_blk_row(blk_row),
      .m_blk_col(blk_col),
      .m_blk_cover(blk_cover),
      .m_blk_depth(blk_depth),
      .m_blk_surface(blk_surface),
      .m_blk_end(blk_end),
      .stat_walked(stat_walked),
      .stat_outside(stat_outside),
      .stat_empty(stat_empty),
      .stat_hidden(stat_hidden),
      .busy(raster_busy)
  );

  wire               blk_done;
  wire               init_done;
  wire [PIXEL_W-1:0] scan_data;
  wire               stat_blocks;

  band_store #(
      .PPC(PPC)
  ) u_store (
      .clk(ap_clk),
      .rst_n(rst_n),
      .s_blk_tvalid(blk_valid),
      .s_blk_tready(blk_ready),
      .s_blk_row(blk_row),
      .s_blk_col(blk_col),
      .s_blk_cover(blk_cover),
      .s_blk_depth(blk_depth),
      .s_blk_surface(blk_surface),
      .s_blk_end(blk_end),
      .wr_bank(wr_bank),
      .blk_done(blk_done),
      .init_done(init_done),
      .scan_en(scan_en),
      .scan_bank(scan_bank),
      .scan_row(scan_row),
      .scan_col(scan_col),
      .scan_data(scan_data),
      .stat_blocks(stat_blocks)
  );

  // ---- Pixels ---------------------------------------------------------------------------------------
  wire               start_valid;
  wire               start_ready;
  wire               start_bank;
  wire [       12:0] start_y0;
  wire [       31:0] start_rows;
  wire               scan_busy;
  wire               scan_stalled;
  wire               scanned_valid;
  wire               scanned_ready;
  wire [PIXEL_W-1:0] scanned_data;
  wire [       13:0] scanned_user;
  wire               scanned_last;

  band_scan #(
      .PPC(PPC)
  ) u_scan (
      .clk(`CLK_PIXELS),
      .rst_n(rst_n),
      .start_valid(start_valid),
      .start_ready(start_ready),
      .start_bank(start_bank),
      .start_y0(start_y0),
      .start_rows(start_rows),
      .cfg_width(cfg_width),
      .frame_start(frame_start),
      .scan_en(scan_en),
      .scan_bank(scan_bank),
      .scan_row(scan_row),
      .scan_col(scan_col),
      .scan_data(scan_data),
      .m_axis_tvalid(scanned_valid),
      .m_axis_tready(scanned_ready),
      .m_axis_tdata(scanned_data),
      .m_axis_tuser(scanned_user),
      .m_axis_tlast(scanned_last),
      .busy(scan_busy),
      .stalled(scan_stalled)
  );

  wire               clipped_valid;
  wire               clipped_ready;
  wire [PIXEL_W-1:0] clipped_data;
  wire [    PPC-1:0] clipped_keep;
  wire [       13:0] clipped_user;
  wire               clipped_last;
  wire               unused_err_sof;  // band_scan marks every frame's first beat

  roi_clip #(
      .PPC    (PPC),
      .PIX_W  (56),
      .NUM_ROI(NUM_ROI)
  ) u_clip (
      .clk(`CLK_PIXELS),
      .rst_n(rst_n),
      .frame_start(frame_start),
      .cfg_width(cfg_width),
      .roi_set(clip_set),
      .roi_change(roi_change),
      .immediate(cfg_immediate),
      .s_axis_tvalid(scanned_valid),
      .s_axis_tready(scanned_ready),
      .s_axis_tdata(scanned_data),
      .s_axis_tuser(scanned_user),
      .s_axis_tlast(scanned_last),
      .m_axis_tvalid(clipped_valid),
      .m_axis_tready(clipped_ready),
      .m_axis_tdata(clipped_data),
      .m_axis_tkeep(clipped_keep),
      .m_axis_tuser(clipped_user),
      .m_axis_tlast(clipped_last),
      .clip_active(clip_active),
      .clip_pending(clip_pending),
      .clip_stalled(clip_stalled),
      .clip_fire(clip_fire),
      .clip_fresh(clip_fresh),
      .err_sof(unused_err_sof)
  );

  wire              mat_we;
  wire [       3:0] mat_waddr;
  wire [     511:0] mat_wdata;
  wire              mat_resident;
  wire              mat_pending;
  wire              shade_busy;
  wire              shaded_valid;
  wire              shaded_ready;
  wire [PPC*32-1:0] shaded_data;
  wire [   PPC-1:0] shaded_keep;
  wire [      13:0] shaded_user;
  wire              shaded_last;

  generate
    if (SHADE_PORT != 0) begin : g_shade_port
      shade_port #(
          .PPC(PPC)
      ) u_shade (
          .clk(`CLK_PIXELS),
          .rst_n(rst_n),
          .mat_we(mat_we),
          .mat_waddr(mat_waddr),
          .mat_wdata(mat_wdata),
          .use_table(mat_resident),
          .cfg_background(cfg_background),
          .cfg_depth_out(cfg_depth_out),
          .hold(mat_pending),
          .timeout(cfg_timeout),
          .clear(frame_start),
          .busy(shade_busy),
          .error(shade_error),
          .timed_out(shade_timed_out),
          .m_axis_shade_tvalid(m_axis_shade_tvalid),
          .m_axis_shade_tready(m_axis_shade_tready),
          .m_axis_shade_tdata(m_axis_shade_tdata),
          .m_axis_shade_tlast(m_axis_shade_tlast),
          .s_axis_shade_tvalid(s_axis_shade_tvalid),
          .s_axis_shade_tready(s_axis_shade_tready),
          .s_axis_shade_tdata(s_axis_shade_tdata),
          .s_axis_shade_tlast(s_axis_shade_tlast),
          .s_axis_tvalid(clipped_valid),
          .s_axis_tready(clipped_ready),
          .s_axis_tdata(clipped_data),
          .s_axis_tkeep(clipped_keep),
          .s_axis_tuser(clipped_user),
          .s_axis_tlast(clipped_last),
          .m_axis_tvalid(shaded_valid),
          .m_axis_tready(shaded_ready),
          .m_axis_tdata(shaded_data),
          .m_axis_tkeep(shaded_keep),
          .m_axis_tuser(shaded_user),
          .m_axis_tlast(shaded_last)
      );
    end else begin : g_shade
      surface_shade #(
          .PPC(PPC)
      ) u_shade (
          .clk(`CLK_PIXELS),
          .rst_n(rst_n),
          .mat_we(mat_we),
          .mat_waddr(mat_waddr),
          .mat_wdata(mat_wdata),
          .use_table(mat_resident),
          .cfg_background(cfg_background),
          .cfg_depth_out(cfg_depth_out),
          .hold(mat_pending),
          .busy(shade_busy),
          .s_axis_tvalid(clipped_valid),
          .s_axis_tready(clipped_ready),
          .s_axis_tdata(clipped_data),
          .s_axis_tkeep(clipped_keep),
          .s_axis_tuser(clipped_user),
          .s_axis_tlast(clipped_last),
          .m_axis_tvalid(shaded_valid),
          .m_axis_tready(shaded_ready),
          .m_axis_tdata(shaded_data),
          .m_axis_tkeep(shaded_keep),
          .m_axis_tuser(shaded_user),
          .m_axis_tlast(shaded_last)
      );
      assign shade_error = 1'b0;
      assign shade_timed_out = 1'b0;
      assign m_axis_shade_tvalid = 1'b0;
      assign m_axis_shade_tdata = {(PPC + 1) * 80{1'b0}};
      assign m_axis_shade_tlast = 1'b0;
      assign s_axis_shade_tready = 1'b0;
      wire unused = &{1'b0, m_axis_shade_tready, s_axis_shade_tvalid, s_axis_shade_tdata, s_axis_shade_tlast, 1'b0};
    end
  endgenerate

  wire              frame_end;
  wire              write_done;
  wire              beat_valid;
  wire              beat_ready;
  wire [      63:0] beat_addr;
  wire [PPC*32-1:0] beat_data;
  wire [ PPC*4-1:0] beat_strb;
  wire              beat_flush;
  wire [      31:0] pixels_kept;
  wire [      31:0] out_bytes;

  roi_write #(
      .PPC(PPC)
  ) u_write (
      .clk(`CLK_PIXELS),
      .rst_n(rst_n),
      .cfg_out_base(cfg_out_base),
      .cfg_stride(cfg_stride),
      .cfg_strided(cfg_strided),
      .frame_start(frame_start),
      .frame_end(frame_end),
      .write_done(write_done),
      .s_axis_tvalid(shaded_valid),
      .s_axis_tready(shaded_ready),
      .s_axis_tdata(shaded_data),
      .s_axis_tkeep(shaded_keep),
      .s_axis_tuser(shaded_user),
      .s_axis_tlast(shaded_last),
      .m_beat_valid(beat_valid),
      .m_beat_ready(beat_ready),
      .m_beat_addr(beat_addr),
      .m_beat_data(beat_data),
      .m_beat_strb(beat_strb),
      .m_beat_flush(beat_flush),
      .stat_pixels(pixels_kept),
      .stat_out_bytes(out_bytes)
  );

  wire        write_idle;
  wire [31:0] write_bursts;
  wire [31:0] write_bytes;

  axi_write #(
      .DATA_W     (PPC * 32),
      .OUTSTANDING(OUTSTANDING)
  ) u_axi_write (
      .clk(`CLK_PIXELS),
      .rst_n(rst_n),
      .port_rst_n(ap_rst_n),
      .s_beat_valid(beat_valid),
      .s_beat_ready(beat_ready),
      .s_beat_addr(beat_addr),
      .s_beat_data(beat_data),
      .s_beat_strb(beat_strb),
      .flush(beat_flush),
      .m_axi_awid(m_axi_gmem1_awid),
      .m_axi_awaddr(m_axi_gmem1_awaddr),
      .m_axi_awlen(m_axi_gmem1_awlen),
      .m_axi_awsize(m_axi_gmem1_awsize),
      .m_axi_awburst(m_axi_gmem1_awburst),
      .m_axi_awcache(m_axi_gmem1_awcache),
      .m_axi_awprot(m_axi_gmem1_awprot),
      .m_axi_awvalid(m_axi_gmem1_awvalid),
      .m_axi_awready(m_axi_gmem1_awready),
      .m_axi_wdata(m_axi_gmem1_wdata),
      .m_axi_wstrb(m_axi_gmem1_wstrb),
      .m_axi_wlast(m_axi_gmem1_wlast),
      .m_axi_wvalid(m_axi_gmem1_wvalid),
      .m_axi_wready(m_axi_gmem1_wready),
      .m_axi_bid(m_axi_gmem1_bid),
      .m_axi_bresp(m_axi_gmem1_bresp),
      .m_axi_bvalid(m_axi_gmem1_bvalid),
      .m_axi_bready(m_axi_gmem1_bready),
      .timeout(cfg_timeout),
      .clear(frame_start),
      .idle(write_idle),
      .error(write_error),
      .resp(write_resp),
      .timed_out(write_timed_out),
      .undrained(write_undrained),
      .stat_bursts(write_bursts),
      .stat_bytes(write_bytes)
  );

  // ---- Materials ------------------------------------------------------------------------------------
  wire [31:0] mat_bursts;
  wire [31:0] mat_bytes;

  localparam SLOTS = TEX_SLOTS == 0 ? 2 : TEX_SLOTS;  // without a store TEX_PAGES is 0 and nothing asks for it
  wire [    SLOTS-1:0] tex_resident;
  wire                 tex_forget;
  wire                 tex_we;
  wire [$clog2(SLOTS*64)-1:0] tex_waddr;
  wire [        511:0] tex_wdata;
  wire                 tex_done;
  wire [$clog2(SLOTS)-1:0] tex_slot;

  dma_trigger #(
      .SLOTS(SLOTS)
  ) u_dma (
      .clk(`CLK_MATERIALS),
      .rst_n(rst_n),
      .port_rst_n(ap_rst_n),
      .frame_start(frame_start),
      .cfg_ego_x(cfg_ego_x),
      .cfg_ego_y(cfg_ego_y),
      .cfg_zone_x0(cfg_zone_x0),
      .cfg_zone_y0(cfg_zone_y0),
      .cfg_zone_x1(cfg_zone_x1),
      .cfg_zone_y1(cfg_zone_y1),
      .cfg_zone_margin(cfg_zone_margin),
      .cfg_mat_base(cfg_mat_base),
      .mat_invalidate(mat_invalidate),
      .cfg_tex_base(cfg_tex_base),
      .cfg_tex_pages(cfg_tex_pages),
      .tex_invalidate(tex_invalidate),
      .tex_resident(tex_resident),
      .tex_forget(tex_forget),
      .tex_we(tex_we),
      .tex_waddr(tex_waddr),
      .tex_wdata(tex_wdata),
      .tex_done(tex_done),
      .tex_slot(tex_slot),
      .tex_counters(tex_counters[63:0]),
      .timeout(cfg_timeout),
      .mat_we(mat_we),
      .mat_waddr(mat_waddr),
      .mat_wdata(mat_wdata),
      .resident(mat_resident),
      .pending(mat_pending),
      .dma_state(dma_state),
      .dma_error(dma_error),
      .m_axi_gmem2_arid(m_axi_gmem2_arid),
      .m_axi_gmem2_araddr(m_axi_gmem2_araddr),
      .m_axi_gmem2_arlen(m_axi_gmem2_arlen),
      .m_axi_gmem2_arsize(m_axi_gmem2_arsize),
      .m_axi_gmem2_arburst(m_axi_gmem2_arburst),
      .m_axi_gmem2_arcache(m_axi_gmem2_arcache),
      .m_axi_gmem2_arprot(m_axi_gmem2_arprot),
      .m_axi_gmem2_arvalid(m_axi_gmem2_arvalid),
      .m_axi_gmem2_arready(m_axi_gmem2_arready),
      .m_axi_gmem2_rid(m_axi_gmem2_rid),
      .m_axi_gmem2_rdata(m_axi_gmem2_rdata),
      .m_axi_gmem2_rresp(m_axi_gmem2_rresp),
      .m_axi_gmem2_rlast(m_axi_gmem2_rlast),
      .m_axi_gmem2_rvalid(m_axi_gmem2_rvalid),
      .m_axi_gmem2_rready(m_axi_gmem2_rready),
      .error(mat_error),
      .resp(mat_resp),
      .timed_out(mat_timed_out),
      .undrained(mat_undrained),
      .stat_bursts(mat_bursts),
      .stat_bytes(mat_bytes),
      .dma_counters(dma_counters)
  );

  generate
    if (TEX_SLOTS != 0) begin : g_tex
      tex_store #(
          .SLOTS(SLOTS)
      ) u_tex (
          .clk(`CLK_MATERIALS),
          .rst_n(rst_n),
          .forget(tex_forget),
          .page_we(tex_we),
          .page_waddr(tex_waddr),
          .page_wdata(tex_wdata),
          .page_done(tex_done),
          .page_slot(tex_slot),
          .resident(tex_resident),
          .s_axis_tvalid(s_axis_tex_tvalid),
          .s_axis_tready(s_axis_tex_tready),
          .s_axis_tdata(s_axis_tex_tdata),
          .m_axis_tvalid(m_axis_tex_tvalid),
          .m_axis_tready(m_axis_tex_tready),
          .m_axis_tdata(m_axis_tex_tdata),
          .stat_missed(tex_counters[95:64])
      );
    end else begin : g_no_tex
      assign tex_resident = {SLOTS{1'b0}};
      assign s_axis_tex_tready = 1'b0;
      assign m_axis_tex_tvalid = 1'b0;
      assign m_axis_tex_tdata = 40'd0;
      assign tex_counters[95:64] = 32'd0;
      wire unused = &{1'b0, tex_forget, tex_we, tex_waddr, tex_wdata, tex_done, tex_slot,
        s_axis_tex_tvalid, s_axis_tex_tdata, m_axis_tex_tready, 1'b0};
    end
  endgenerate

  // ---- The frame ------------------------------------------------------------------------------------
  wire [7:0] now;
  wire [7:0] bands_skipped;
  wire [2:0] spent;
  assign now[5] = scan_stalled & now[4];

  // What each of the two busy ports does in a cycle of the frame: exactly one of beat, stall, latency, idle. What a
  // firewall takes or completes after a reset is no beat of this frame.
  wire       read_offered = m_axi_gmem0_rvalid & ~fetch_undrained & now[0];
  wire       write_offered = m_axi_gmem1_wvalid & ~write_undrained & now[0];
  wire [3:0] fetch_now = {
    now[0] & ~read_offered & ~fetch_busy,
    now[0] & ~read_offered & fetch_busy,
    read_offered & ~m_axi_gmem0_rready,
    read_offered & m_axi_gmem0_rready
  };
  wire [3:0] write_now = {
    now[0] & ~write_offered & write_idle,
    now[0] & ~write_offered & ~write_idle,
    write_offered & ~m_axi_gmem1_wready,
    write_offered & m_axi_gmem1_wready
  };

  frame_ctl #(
      .NUM_ROI(NUM_ROI)
  ) u_ctl (
      .clk(ap_clk),
      .rst_n(rst_n),
      .frame_start(frame_start),
      .frame_done(frame_done),
      // A material read that gives up does not stop the frame: it is drawn with lit colours.
      .aborted(fetch_timed_out | write_timed_out | shade_timed_out),
      .cfg_height(cfg_height),
      .cfg_immediate(cfg_immediate),
      .roi_set(roi_set),
      .load_valid(load_valid),
      .load_ready(load_ready),
      .load_bands(load_bands),
      .band_valid(band_valid),
      .band_ready(band_ready),
      .band_index(band_index),
      .gate_open(gate_open),
      .gate_valid(tri_valid),
      .gate_token(tri_valid & tri_ready & tri_end),
      .band_y0(band_y0),
      .wr_bank(wr_bank),
      .blk_done(blk_done),
      .init_done(init_done),
      .raster_busy(raster_busy),
      .scan_valid(start_valid),
      .scan_ready(start_ready),
      .scan_bank(start_bank),
      .scan_y0(start_y0),
      .scan_rows(start_rows),
      .scan_busy(scan_busy),
      .dma_pending(mat_pending),
      .pipe_busy(clip_active | shade_busy),
      .frame_end(frame_end),
      .write_done(write_done),
      .write_idle(write_idle),
      .write_failed(write_timed_out),
      .now_running(now[0]),
      .now_fetch_wait(now[1]),
      .now_raster(now[2]),
      .now_raster_stall(now[3]),
      .now_scan(now[4]),
      .now_drain(now[6]),
      .now_dma_wait(now[7]),
      .now_scan_alone(spent[0]),
      .now_dma_alone(spent[1]),
      .now_scan_idle(spent[2]),
      .bands_skipped(bands_skipped)
  );

  frame_stats u_stats (
      .clk(ap_clk),
      .rst_n(rst_n),
      .frame_start(frame_start),
      .now(now),
      .spent(spent),
      .fetch(fetch_now),
      .write(write_now),
      .event_pulse({stat_blocks, stat_hidden, stat_empty, stat_outside, stat_walked, stat_culled, stat_fetched}),
      .bands_skipped(bands_skipped),
      .pixels_kept(pixels_kept),
      .out_bytes(out_bytes),
      .rd_bursts(fetch_bursts + mat_bursts),
      .rd_bytes(fetch_bytes + mat_bytes),
      .wr_bursts(write_bursts),
      .wr_bytes(write_bytes),
      .frame_counters(frame_counters)
  );

`ifdef FOVEAL_REST
`include "foveal_rest.vh"
`endif

  // ---- Channels that a port must have and that this kernel does not use ----------------------------------
  assign m_axi_gmem0_awid = 1'b0;
  assign m_axi_gmem0_awaddr = 64'd0;
  assign m_axi_gmem0_awlen = 8'd0;
  assign m_axi_gmem0_awsize = 3'd0;
  assign m_axi_gmem0_awburst = 2'd0;
  assign m_axi_gmem0_awcache = 4'd0;
  assign m_axi_gmem0_awprot = 3'd0;
  assign m_axi_gmem0_awvalid = 1'b0;
  assign m_axi_gmem0_wdata = 512'd0;
  assign m_axi_gmem0_wstrb = 64'd0;
  assign m_axi_gmem0_wlast = 1'b0;
  assign m_axi_gmem0_wvalid = 1'b0;
  assign m_axi_gmem0_bready = 1'b0;
  assign m_axi_gmem1_arid = 1'b0;
  assign m_axi_gmem1_araddr = 64'd0;
  assign m_axi_gmem1_arlen = 8'd0;
  assign m_axi_gmem1_arsize = 3'd0;
  assign m_axi_gmem1_arburst = 2'd0;
  assign m_axi_gmem1_arcache = 4'd0;
  assign m_axi_gmem1_arprot = 3'd0;
  assign m_axi_gmem1_arvalid = 1'b0;
  assign m_axi_gmem1_rready = 1'b0;
  assign m_axi_gmem2_awid = 1'b0;
  assign m_axi_gmem2_awaddr = 64'd0;
  assign m_axi_gmem2_awlen = 8'd0;
  assign m_axi_gmem2_awsize = 3'd0;
  assign m_axi_gmem2_awburst = 2'd0;
  assign m_axi_gmem2_awcache = 4'd0;
  assign m_axi_gmem2_awprot = 3'd0;
  assign m_axi_gmem2_awvalid = 1'b0;
  assign m_axi_gmem2_wdata = 512'd0;
  assign m_axi_gmem2_wstrb = 64'd0;
  assign m_axi_gmem2_wlast = 1'b0;
  assign m_axi_gmem2_wvalid = 1'b0;
  assign m_axi_gmem2_bready = 1'b0;
  wire unused = &{1'b0,
    m_axi_gmem0_awready, m_axi_gmem0_wready, m_axi_gmem0_bid, m_axi_gmem0_bresp, m_axi_gmem0_bvalid, m_axi_gmem1_arready, m_axi_gmem1_rid, m_axi_gmem1_rdata, m_axi_gmem1_rresp, m_axi_gmem1_rlast, m_axi_gmem1_rvalid, m_axi_gmem2_awready, m_axi_gmem2_wready, m_axi_gmem2_bid, m_axi_gmem2_bresp, m_axi_gmem2_bvalid};

endmodule

`undef CLK_REGS
`undef CLK_RECORDS
`undef CLK_PIXELS
`undef CLK_MATERIALS
`default_nettype wire
