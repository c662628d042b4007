// Rasterises the triangles of one band: records with tightened bounds in, blocks of PPC x 1 pixels out
// (row in the band, block column, cover bits, depths, surface). Pixels outside the bounds are not
// covered; a block that is empty, meets no region inside the bounds, or is hidden with all of its tile,
// is not emitted. tile_origin moves the edges to the first tile, tile_walk passes a tile a clock, tile_cover
// tests its pixels, tile_depth drops it if it lies behind, and after a small buffer tile_emit gives a block a
// clock. Blocks keep the triangles' order; within one they go tile by tile. An end-of-band token (s_tri_tuser)
// comes out as m_blk_end. The scan_* inputs are the band scan's reads of the other bank.
// Contract: bounds are not empty and within the band; roi_set, band_y0 and wr_bank hold while busy; band_y0 is
// a multiple of 32. Latency of a lone triangle 15 cycles. Reset empties it; s_tri_tready is low in reset.
`default_nettype none
`timescale 1ns / 1ps

module tile_raster #(
    parameter PPC     = 8,                  // pixels a block: 1, 2, 4, 8 or 16
    parameter NUM_ROI = 16,                 // regions in roi_set
    parameter COLW    = $clog2(4096 / PPC)  // bits of a block's column; leave at its default
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire [NUM_ROI*52-1:0] roi_set,        // region n at [52*n +: 52] = {y1, x1, y0, x0}
    input  wire [          12:0] band_y0,        // first row of the band
    input  wire                  wr_bank,
    input  wire                  scan_en,
    input  wire                  scan_bank,
    input  wire [           1:0] scan_trow,      // row of tiles
    input  wire [      COLW-1:0] scan_col,
    input  wire                  s_tri_tvalid,
    output wire                  s_tri_tready,
    input  wire [         511:0] s_tri_tdata,
    input  wire                  s_tri_tuser,
    input  wire [          51:0] s_tri_bounds,   // {y1, x1, y0, x0}
    output wire                  m_blk_tvalid,
    input  wire                  m_blk_tready,
    output wire [           4:0] m_blk_row,
    output wire [      COLW-1:0] m_blk_col,
    output wire [       PPC-1:0] m_blk_cover,
    output wire [    PPC*24-1:0] m_blk_depth,
    output wire [          31:0] m_blk_surface,
    output wire                  m_blk_end,
    output wire                  stat_walked,
    output wire                  stat_outside,
    output wire                  stat_empty,
    output wire                  stat_hidden,
    output wire                  busy
);

  localparam TILES = 32;  // tiles buffered between test and emission: four rows of a 64-pixel triangle at PPC 8
  localparam TILE_W = 1 + COLW + 2 + 8 + 8 * PPC + 56 + 40 + 40 + 32;

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

`ifndef SYNTHESIS
  // The band is read from the bounds alone (rows modulo 32), so a wrong pairing must not go unseen.
  always @(posedge clk) begin
    if (rst_n && s_tri_tvalid && s_tri_tready && !s_tri_tuser)
      if (s_tri_bounds[25:13] < band_y0 || s_tri_bounds[51:39] > band_y0 + 13'd32) begin
        $display("%m: rows %0d..%0d leave the band at %0d", s_tri_bounds[25:13], s_tri_bounds[51:39], band_y0);
        $finish;
      end
  end
`endif

  wire             origin_valid;
  wire             origin_ready;
  wire             origin_end;
  wire [     51:0] origin_bounds;
  wire [     71:0] origin_a;
  wire [     71:0] origin_b;
  wire [    119:0] origin_edge;
  wire [     83:0] origin_lead;
  wire [     55:0] origin_z;
  wire [     39:0] origin_dzdx;
  wire [     39:0] origin_dzdy;
  wire [     31:0] origin_surface;
  wire             origin_busy;

  tile_origin #(
      .PPC(PPC)
  ) origin (
      .clk      (clk),
      .rst_n    (rst_n),
      .s_tvalid (s_tri_tvalid),
      .s_tready (s_tri_tready),
      .s_tdata  (s_tri_tdata),
      .s_tuser  (s_tri_tuser),
      .s_bounds (s_tri_bounds),
      .m_valid  (origin_valid),
      .m_ready  (origin_ready),
      .m_end    (origin_end),
      .m_bounds (origin_bounds),
      .m_a      (origin_a),
      .m_b      (origin_b),
      .m_edge   (origin_edge),
      .m_lead   (origin_lead),
      .m_z      (origin_z),
      .m_dzdx   (origin_dzdx),
      .m_dzdy   (origin_dzdy),
      .m_surface(origin_surface),
      .busy     (origin_busy)
  );

  wire             walk_valid;
  wire             walk_ready;
  wire             walk_end;
  wire [ COLW-1:0] walk_col;
  wire [      1:0] walk_trow;
  wire [      7:0] walk_rows;
  wire [  PPC-1:0] walk_cols;
  wire [     89:0] walk_edge;
  wire [     71:0] walk_a;
  wire [     71:0] walk_b;
  wire [     55:0] walk_z;
  wire [     39:0] walk_dzdx;
  wire [     39:0] walk_dzdy;
  wire [     31:0] walk_surface;
  wire             walk_busy;

  tile_walk #(
      .PPC    (PPC),
      .NUM_ROI(NUM_ROI)
  ) walk (
      .clk         (clk),
      .rst_n       (rst_n),
      .roi_set     (roi_set),
      .s_valid     (origin_valid),
      .s_ready     (origin_ready),
      .s_end       (origin_end),
      .s_bounds    (origin_bounds),
      .s_a         (origin_a),
      .s_b         (origin_b),
      .s_edge      (origin_edge),
      .s_lead      (origin_lead),
      .s_z         (origin_z),
      .s_dzdx      (origin_dzdx),
      .s_dzdy      (origin_dzdy),
      .s_surface   (origin_surface),
      .m_valid     (walk_valid),
      .m_ready     (walk_ready),
      .m_end       (walk_end),
      .m_col       (walk_col),
      .m_trow      (walk_trow),
      .m_rows      (walk_rows),
      .m_cols      (walk_cols),
      .m_edge      (walk_edge),
      .m_a         (walk_a),
      .m_b         (walk_b),
      .m_z         (walk_z),
      .m_dzdx      (walk_dzdx),
      .m_dzdy      (walk_dzdy),
      .m_surface   (walk_surface),
      .busy        (walk_busy),
      .stat_walked (stat_walked),
      .stat_outside(stat_outside),
      .stat_empty  (stat_empty)
  );

  wire             cover_valid;
  wire             cover_ready;
  wire             cover_end;
  wire [ COLW-1:0] cover_col;
  wire [      1:0] cover_trow;
  wire [      7:0] cover_any;
  wire [8*PPC-1:0] cover_cover;
  wire [     55:0] cover_z;
  wire [     39:0] cover_dzdx;
  wire [     39:0] cover_dzdy;
  wire [     31:0] cover_surface;
  wire             cover_busy;

  tile_cover #(
      .PPC(PPC)
  ) coverage (
      .clk      (clk),
      .rst_n    (rst_n),
      .s_valid  (walk_valid),
      .s_ready  (walk_ready),
      .s_end    (walk_end),
      .s_col    (walk_col),
      .s_trow   (walk_trow),
      .s_rows   (walk_rows),
      .s_cols   (walk_cols),
      .s_edge   (walk_edge),
      .s_a      (walk_a),
      .s_b      (walk_b),
      .s_z      (walk_z),
      .s_dzdx   (walk_dzdx),
      .s_dzdy   (walk_dzdy),
      .s_surface(walk_surface),
      .m_valid  (cover_valid),
      .m_ready  (cover_ready),
      .m_end    (cover_end),
      .m_col    (cover_col),
      .m_trow   (cover_trow),
      .m_any    (cover_any),
      .m_cover  (cover_cover),
      .m_z      (cover_z),
      .m_dzdx   (cover_dzdx),
      .m_dzdy   (cover_dzdy),
      .m_surface(cover_surface),
      .busy     (cover_busy)
  );

  wire             seen_valid;
  wire             seen_ready;
  wire             seen_end;
  wire [ COLW-1:0] seen_col;
  wire [      1:0] seen_trow;
  wire [      7:0] seen_any;
  wire [8*PPC-1:0] seen_cover;
  wire [     55:0] seen_z;
  wire [     39:0] seen_dzdx;
  wire [     39:0] seen_dzdy;
  wire [     31:0] seen_surface;
  wire             depth_busy;

  tile_depth #(
      .PPC(PPC)
  ) behind (
      .clk        (clk),
      .rst_n      (rst_n),
      .wr_bank    (wr_bank),
      .s_valid    (cover_valid),
      .s_ready    (cover_ready),
      .s_end      (cover_end),
      .s_col      (cover_col),
      .s_trow     (cover_trow),
      .s_any      (cover_any),
      .s_cover    (cover_cover),
      .s_z        (cover_z),
      .s_dzdx     (cover_dzdx),
      .s_dzdy     (cover_dzdy),
      .s_surface  (cover_surface),
      .m_valid    (seen_valid),
      .m_ready    (seen_ready),
      .m_end      (seen_end),
      .m_col      (seen_col),
      .m_trow     (seen_trow),
      .m_any      (seen_any),
      .m_cover    (seen_cover),
      .m_z        (seen_z),
      .m_dzdx     (seen_dzdx),
      .m_dzdy     (seen_dzdy),
      .m_surface  (seen_surface),
      .busy       (depth_busy),
      .stat_hidden(stat_hidden),
      .clear_en   (scan_en),
      .clear_bank (scan_bank),
      .clear_trow (scan_trow),
      .clear_col  (scan_col)
  );

  wire                   tile_valid;
  wire                   tile_ready;
  wire [     TILE_W-1:0] tile;
  wire [$clog2(TILES):0] tile_count;

  stream_fifo #(
      .WIDTH(TILE_W),
      .DEPTH(TILES)
  ) tiles (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(seen_valid),
      .s_tready(seen_ready),
      .s_tdata ({seen_end, seen_col, seen_trow, seen_any, seen_cover, seen_z, seen_dzdx, seen_dzdy, seen_surface}),
      .m_tvalid(tile_valid),
      .m_tready(tile_ready),
      .m_tdata (tile),
      .count   (tile_count)
  );

  wire emit_busy;

  tile_emit #(
      .PPC(PPC)
  ) emission (
      .clk          (clk),
      .rst_n        (rst_n),
      .s_valid      (tile_valid),
      .s_ready      (tile_ready),
      .s_end        (tile[TILE_W-1]),
      .s_col        (tile[TILE_W-2-:COLW]),
      .s_trow       (tile[176+8*PPC+:2]),
      .s_any        (tile[168+8*PPC+:8]),
      .s_cover      (tile[168+:8*PPC]),
      .s_z          (tile[112+:56]),
      .s_dzdx       (tile[72+:40]),
      .s_dzdy       (tile[32+:40]),
      .s_surface    (tile[31:0]),
      .m_blk_tvalid (m_blk_tvalid),
      .m_blk_tready (m_blk_tready),
      .m_blk_row    (m_blk_row),
      .m_blk_col    (m_blk_col),
      .m_blk_cover  (m_blk_cover),
      .m_blk_depth  (m_blk_depth),
      .m_blk_surface(m_blk_surface),
      .m_blk_end    (m_blk_end),
      .busy         (emit_busy)
  );

  assign busy = origin_busy | walk_busy | cover_busy | depth_busy | (tile_count != 0) | emit_busy;

endmodule

`default_nettype wire
