// Walks the tiles (PPC x 8 pixels) of a triangle's bounds, a tile a clock, row of tiles by row of
// tiles, and passes on those that no edge rejects and of which some row meets a region. An edge that
// rejects a tile also tells where it rejects all that follow: the rest of the row, the tiles left of
// here in the rows below, or the rest of the triangle; those are not walked.
// Contract: the bounds are not empty and lie within one band (rows of a band = y modulo 32).
// A triangle takes as many clocks as tiles are walked: the next one is loaded with the last tile's step.
// An end token passes in order and takes a clock. Reset empties it.
// stat_walked pulses per tile walked; of these stat_empty were rejected by an edge, stat_outside by
// the regions alone.
`default_nettype none
`timescale 1ns / 1ps

module tile_walk #(
    parameter PPC     = 8,                 // pixels a tile is wide: 1, 2, 4, 8 or 16
    parameter NUM_ROI = 16,                // regions in roi_set
    parameter COLW    = $clog2(4096 / PPC)  // bits of a tile's column; leave at its default
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire [NUM_ROI*52-1:0] roi_set,    // region n at [52*n +: 52] = {y1, x1, y0, x0}
    // from tile_origin
    input  wire                  s_valid,
    output wire                  s_ready,
    input  wire                  s_end,
    input  wire [          51:0] s_bounds,
    input  wire [          71:0] s_a,
    input  wire [          71:0] s_b,
    input  wire [         119:0] s_edge,
    input  wire [          83:0] s_lead,
    input  wire [          55:0] s_z,
    input  wire [          39:0] s_dzdx,
    input  wire [          39:0] s_dzdy,
    input  wire [          31:0] s_surface,
    // tiles
    output wire                  m_valid,
    input  wire                  m_ready,
    output wire                  m_end,      // a token, no tile
    output wire [      COLW-1:0] m_col,
    output wire [           1:0] m_trow,     // row of tiles in the band
    output wire [           7:0] m_rows,     // rows of the tile that are in the bounds and meet a region
    output wire [       PPC-1:0] m_cols,     // columns of the tile that are in the bounds
    output wire [          89:0] m_edge,     // three edges at the first pixel, signed 30, at most 2^28
    output wire [          71:0] m_a,
    output wire [          71:0] m_b,
    output wire [          55:0] m_z,        // depth at the first pixel
    output wire [          39:0] m_dzdx,
    output wire [          39:0] m_dzdy,
    output wire [          31:0] m_surface,
    output wire                  busy,
    output wire                  stat_walked,
    output wire                  stat_outside,
    output wire                  stat_empty
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
    if (NUM_ROI < 1) begin
      $display("%m: NUM_ROI must be at least 1, it is %0d", NUM_ROI);
      $finish;
    end
  end

  localparam L = $clog2(PPC);
  localparam [15:0] LANE_MASK = (1 << L) - 1;

  // The triangle being walked. Edges are kept at the best corner of the tile, so that a sign bit rejects.
  reg            active_reg;
  reg            end_reg;
  reg [    71:0] a_reg;
  reg [    71:0] b_reg;
  reg [    27:0] lead_reg    [        0:2];
  reg [     2:0] a_pos_reg;
  reg [     2:0] b_pos_reg;
  reg [    39:0] dzdx_reg;
  reg [    39:0] dzdy_reg;
  reg [    31:0] surface_reg;
  reg [     3:0] lane0_reg;    // first lane in the bounds, of the first column of tiles
  reg [     3:0] lane1_reg;    // last lane in the bounds, of the last column of tiles
  reg [COLW-1:0] first_reg;    // first column of tiles
  reg [COLW-1:0] last_reg;     // last column of tiles
  reg [     1:0] last_row_reg;
  // Per region its tiles in the bounds: columns, and a bit for each row of the band.
  reg [COLW-1:0] roi_lo_reg  [0:NUM_ROI-1];
  reg [COLW-1:0] roi_hi_reg  [0:NUM_ROI-1];
  reg [    31:0] roi_rows_reg[0:NUM_ROI-1];
  // The tile, and the place where the next row of tiles starts.
  reg [COLW-1:0] col_reg;
  reg [     1:0] trow_reg;
  reg            at_start_reg;
  reg [    39:0] edge_reg    [        0:2];
  reg [    55:0] z_reg;
  reg [COLW-1:0] start_reg;
  reg [    39:0] row_edge_reg[        0:2];
  reg [    55:0] row_z_reg;

  // The tile passed on.
  reg            out_valid_reg;
  reg            out_end_reg;
  reg [COLW-1:0] out_col_reg;
  reg [     1:0] out_trow_reg;
  reg [     7:0] out_rows_reg;
  reg [ PPC-1:0] out_cols_reg;
  reg [    89:0] out_edge_reg;
  reg [    71:0] out_a_reg;
  reg [    71:0] out_b_reg;
  reg [    55:0] out_z_reg;
  reg [    39:0] out_dzdx_reg;
  reg [    39:0] out_dzdy_reg;
  reg [    31:0] out_surface_reg;
  reg            walked_reg;
  reg            empty_reg;

  function [12:0] max13(input [12:0] a, input [12:0] b);
    max13 = a > b ? a : b;
  endfunction

  function [12:0] min13(input [12:0] a, input [12:0] b);
    min13 = a < b ? a : b;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // the pixel within the tile
  function [COLW-1:0] tile_of(input [12:0] x);
    tile_of = x[L+:COLW];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function [39:0] wide(input [23:0] step);
    wide = {{16{step[23]}}, step};
  endfunction

  // Bits y0..y1-1 of the band; none if the region does not meet the bounds.
  function [31:0] band_rows(input [51:0] region, input [51:0] bounds);
    reg [12:0] y0;
    reg [4:0] last;
    reg [12:0] y1;
    begin
      y0   = max13(region[25:13], bounds[25:13]);
      y1   = min13(region[51:39], bounds[51:39]);
      last = y1[4:0] - 5'd1;
      if (y0 >= y1 || max13(region[12:0], bounds[12:0]) >= min13(region[38:26], bounds[38:26])) band_rows = 32'd0;
      else band_rows = (32'hffffffff << y0[4:0]) & (32'hffffffff >> ~last);
    end
  endfunction

  function [7:0] region_rows(input [COLW-1:0] col, input [1:0] trow);
    integer n;
    begin
      region_rows = 8'd0;
      for (n = 0; n < NUM_ROI; n = n + 1)
        if (roi_lo_reg[n] <= col && roi_hi_reg[n] >= col) region_rows = region_rows | roi_rows_reg[n][8*trow+:8];
    end
  endfunction

  function [PPC-1:0] bounds_cols(input [3:0] lane0, input [3:0] lane1);
    integer i;
    for (i = 0; i < PPC; i = i + 1) bounds_cols[i] = i[3:0] >= lane0 && i[3:0] <= lane1;
  endfunction

  // Anything above 2^28 keeps the whole tile inside, as 2^28 does: no pixel of a tile is further down.
  function [29:0] first_pixel(input [39:0] corner, input [27:0] lead);
    reg [39:0] value;
    begin
      value = corner - {12'd0, lead};
      first_pixel = (~value[39] && value[38:28] != 0) ? 30'h10000000 : value[29:0];
    end
  endfunction

  wire outside = out_valid_reg & ~out_end_reg & (out_rows_reg == 8'd0);
  wire out_ready = ~out_valid_reg | outside | m_ready;
  wire step = active_reg & out_ready;

  wire [2:0] rejects = {edge_reg[2][39], edge_reg[1][39], edge_reg[0][39]};
  wire rejected = rejects != 3'd0;
  wire right_too = (rejects & ~a_pos_reg) != 3'd0;
  // Such an edge has rejected all tiles left of here as well, so the row of tiles has only just started.
  wire advance_start = (rejects & a_pos_reg & ~b_pos_reg) != 3'd0;
  wire all_too = (rejects & ~a_pos_reg & ~b_pos_reg) != 3'd0;
  wire last_col = col_reg == last_reg;
  wire row_done = last_col | right_too;
  wire done = end_reg | (row_done & trow_reg == last_row_reg) | (at_start_reg & all_too) | (advance_start & last_col);

  wire load = s_valid & s_ready;

  assign s_ready      = ~active_reg | (step & done);
  assign m_valid      = out_valid_reg & ~outside;
  assign m_end        = out_end_reg;
  assign m_col        = out_col_reg;
  assign m_trow       = out_trow_reg;
  assign m_rows       = out_rows_reg;
  assign m_cols       = out_cols_reg;
  assign m_edge       = out_edge_reg;
  assign m_a          = out_a_reg;
  assign m_b          = out_b_reg;
  assign m_z          = out_z_reg;
  assign m_dzdx       = out_dzdx_reg;
  assign m_dzdy       = out_dzdy_reg;
  assign m_surface    = out_surface_reg;
  assign busy         = active_reg | out_valid_reg;
  assign stat_walked  = walked_reg;
  assign stat_outside = outside;
  assign stat_empty   = empty_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      active_reg    <= 1'b0;
      out_valid_reg <= 1'b0;
      walked_reg    <= 1'b0;
      empty_reg     <= 1'b0;
    end else begin
      if (s_ready) active_reg <= s_valid;
      if (out_ready) out_valid_reg <= active_reg & (end_reg | ~rejected);
      walked_reg <= step & ~end_reg;
      empty_reg  <= step & ~end_reg & rejected;
    end
  end

  integer k;
  integer n;
  integer m;

  always @(posedge clk) begin
    if (load) begin
      end_reg      <= s_end;
      a_reg        <= s_a;
      b_reg        <= s_b;
      dzdx_reg     <= s_dzdx;
      dzdy_reg     <= s_dzdy;
      surface_reg  <= s_surface;
      lane0_reg    <= s_bounds[3:0] & LANE_MASK[3:0];
      lane1_reg    <= (s_bounds[29:26] - 4'd1) & LANE_MASK[3:0];
      first_reg    <= tile_of(s_bounds[12:0]);
      last_reg     <= tile_of(s_bounds[38:26] - 13'd1);
      last_row_reg <= s_bounds[43:42] - {1'b0, s_bounds[41:39] == 3'd0};
      col_reg      <= tile_of(s_bounds[12:0]);
      start_reg    <= tile_of(s_bounds[12:0]);
      trow_reg     <= s_bounds[17:16];
      at_start_reg <= 1'b1;
      z_reg        <= s_z;
      row_z_reg    <= s_z;
      for (k = 0; k < 3; k = k + 1) begin
        lead_reg[k]     <= s_lead[28*k+:28];
        a_pos_reg[k]    <= ~s_a[24*k+23] & (s_a[24*k+:24] != 0);
        b_pos_reg[k]    <= ~s_b[24*k+23] & (s_b[24*k+:24] != 0);
        edge_reg[k]     <= s_edge[40*k+:40];
        row_edge_reg[k] <= s_edge[40*k+:40];
      end
      for (n = 0; n < NUM_ROI; n = n + 1) begin
        roi_lo_reg[n]   <= tile_of(max13(roi_set[52*n+:13], s_bounds[12:0]));
        roi_hi_reg[n]   <= tile_of(min13(roi_set[52*n+26+:13], s_bounds[38:26]) - 13'd1);
        roi_rows_reg[n] <= band_rows(roi_set[52*n+:52], s_bounds);
      end
    end else if (step) begin
      if (row_done) begin
        col_reg      <= start_reg;
        trow_reg     <= trow_reg + 2'd1;
        at_start_reg <= 1'b1;
        z_reg        <= row_z_reg + ({{16{dzdy_reg[39]}}, dzdy_reg} << 3);
        row_z_reg    <= row_z_reg + ({{16{dzdy_reg[39]}}, dzdy_reg} << 3);
        for (k = 0; k < 3; k = k + 1) begin
          edge_reg[k]     <= row_edge_reg[k] + (wide(b_reg[24*k+:24]) << 3);
          row_edge_reg[k] <= row_edge_reg[k] + (wide(b_reg[24*k+:24]) << 3);
        end
      end else begin
        col_reg      <= col_reg + 1'b1;
        at_start_reg <= advance_start;
        z_reg        <= z_reg + ({{16{dzdx_reg[39]}}, dzdx_reg} << L);
        for (k = 0; k < 3; k = k + 1) edge_reg[k] <= edge_reg[k] + (wide(a_reg[24*k+:24]) << L);
        if (advance_start) begin
          start_reg <= col_reg + 1'b1;
          row_z_reg <= z_reg + ({{16{dzdx_reg[39]}}, dzdx_reg} << L);
          for (k = 0; k < 3; k = k + 1) row_edge_reg[k] <= edge_reg[k] + (wide(a_reg[24*k+:24]) << L);
        end
      end
    end
  end

  always @(posedge clk) begin
    if (step & (end_reg | ~rejected)) begin
      out_end_reg     <= end_reg;
      out_col_reg     <= col_reg;
      out_trow_reg    <= trow_reg;
      out_rows_reg    <= region_rows(col_reg, trow_reg);
      out_cols_reg    <= bounds_cols(col_reg == first_reg ? lane0_reg : 4'd0, last_col ? lane1_reg : 4'd15);
      out_a_reg       <= a_reg;
      out_b_reg       <= b_reg;
      out_z_reg       <= z_reg;
      out_dzdx_reg    <= dzdx_reg;
      out_dzdy_reg    <= dzdy_reg;
      out_surface_reg <= surface_reg;
      for (m = 0; m < 3; m = m + 1) out_edge_reg[30*m+:30] <= first_pixel(edge_reg[m], lead_reg[m]);
    end
  end

endmodule

`default_nettype wire
