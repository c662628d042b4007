// Tests the PPC x 8 pixels of a tile against the three edges: a tile a clock, latency 2. Tiles of which
// no pixel is covered go no further. A pixel is covered if it is in the bounds, its row meets a region
// in this tile, and no edge is negative there. An end token passes in order. Reset empties it.
`default_nettype none
`timescale 1ns / 1ps

module tile_cover #(
    parameter PPC  = 8,                  // pixels a tile is wide: 1, 2, 4, 8 or 16
    parameter COLW = $clog2(4096 / PPC)  // bits of a tile's column; leave at its default
) (
    input  wire             clk,
    input  wire             rst_n,
    // from tile_walk
    input  wire             s_valid,
    output wire             s_ready,
    input  wire             s_end,
    input  wire [ COLW-1:0] s_col,
    input  wire [      1:0] s_trow,
    input  wire [      7:0] s_rows,
    input  wire [  PPC-1:0] s_cols,
    input  wire [     89:0] s_edge,
    input  wire [     71:0] s_a,
    input  wire [     71:0] s_b,
    input  wire [     55:0] s_z,
    input  wire [     39:0] s_dzdx,
    input  wire [     39:0] s_dzdy,
    input  wire [     31:0] s_surface,
    // covered tiles
    output wire             m_valid,
    input  wire             m_ready,
    output wire             m_end,
    output wire [ COLW-1:0] m_col,
    output wire [      1:0] m_trow,
    output wire [      7:0] m_any,      // rows with a covered pixel
    output wire [8*PPC-1:0] m_cover,    // pixel (i, j) at bit PPC*j + i
    output wire [     55:0] m_z,
    output wire [     39:0] m_dzdx,
    output wire [     39:0] m_dzdy,
    output wire [     31:0] m_surface,
    output wire             busy
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  // Stage 1: each edge at the first pixel of each row.
  reg              row_valid_reg;
  reg              row_end_reg;
  reg  [ COLW-1:0] row_col_reg;
  reg  [      1:0] row_trow_reg;
  reg  [      7:0] row_rows_reg;
  reg  [  PPC-1:0] row_cols_reg;
  reg  [     29:0] row_edge0_reg  [0:7];
  reg  [     29:0] row_edge1_reg  [0:7];
  reg  [     29:0] row_edge2_reg  [0:7];
  reg  [     71:0] row_a_reg;
  reg  [     55:0] row_z_reg;
  reg  [     39:0] row_dzdx_reg;
  reg  [     39:0] row_dzdy_reg;
  reg  [     31:0] row_surface_reg;
  // Stage 2: the pixels.
  reg              out_valid_reg;
  reg              out_end_reg;
  reg  [ COLW-1:0] out_col_reg;
  reg  [      1:0] out_trow_reg;
  reg  [8*PPC-1:0] out_cover_reg;
  reg  [     55:0] out_z_reg;
  reg  [     39:0] out_dzdx_reg;
  reg  [     39:0] out_dzdy_reg;
  reg  [     31:0] out_surface_reg;

  // An edge after `count` (0..15) steps; 30 bits hold it anywhere in a tile. Every count is a constant: sums of shifts
  // are adders, where a product would take a DSP slice without its registers.
  function automatic [29:0] after(input [29:0] start, input [23:0] step, input [3:0] count);
    reg [29:0] wide;
    begin
      wide  = {{6{step[23]}}, step};
      after = start + (count[0] ? wide : 30'd0) + (count[1] ? wide << 1 : 30'd0) + (count[2] ? wide << 2 : 30'd0)
            + (count[3] ? wide << 3 : 30'd0);
    end
  endfunction

  function automatic [PPC-1:0] row_cover(input [29:0] edge0, input [29:0] edge1, input [29:0] edge2, input [71:0] a);
    integer i;
    reg [29:0] e0;
    reg [29:0] e1;
    reg [29:0] e2;
    begin
      for (i = 0; i < PPC; i = i + 1) begin
        e0 = after(edge0, a[23:0], i[3:0]);
        e1 = after(edge1, a[47:24], i[3:0]);
        e2 = after(edge2, a[71:48], i[3:0]);
        row_cover[i] = (e0 | e1 | e2) < 30'h20000000;  // none is negative
      end
    end
  endfunction

  wire blank = out_valid_reg & ~out_end_reg & (out_cover_reg == 0);
  wire out_ready = ~out_valid_reg | blank | m_ready;
  wire row_ready = ~row_valid_reg | out_ready;

  assign s_ready   = row_ready;
  assign m_valid   = out_valid_reg & ~blank;
  assign m_end     = out_end_reg;
  assign m_col     = out_col_reg;
  assign m_trow    = out_trow_reg;
  assign m_cover   = out_cover_reg;
  assign m_z       = out_z_reg;
  assign m_dzdx    = out_dzdx_reg;
  assign m_dzdy    = out_dzdy_reg;
  assign m_surface = out_surface_reg;
  assign busy      = row_valid_reg | out_valid_reg;

  genvar r;
  generate
    for (r = 0; r < 8; r = r + 1) begin : any
      assign m_any[r] = out_cover_reg[PPC*r+:PPC] != 0;
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_n) begin
      row_valid_reg <= 1'b0;
      out_valid_reg <= 1'b0;
    end else begin
      if (row_ready) row_valid_reg <= s_valid;
      if (out_ready) out_valid_reg <= row_valid_reg;
    end
  end

  integer j;

  always @(posedge clk) begin
    if (s_valid & row_ready) begin
      row_end_reg     <= s_end;
      row_col_reg     <= s_col;
      row_trow_reg    <= s_trow;
      row_rows_reg    <= s_rows;
      row_cols_reg    <= s_cols;
      row_a_reg       <= s_a;
      row_z_reg       <= s_z;
      row_dzdx_reg    <= s_dzdx;
      row_dzdy_reg    <= s_dzdy;
      row_surface_reg <= s_surface;
      for (j = 0; j < 8; j = j + 1) begin
        row_edge0_reg[j] <= after(s_edge[29:0], s_b[23:0], j[3:0]);
        row_edge1_reg[j] <= after(s_edge[59:30], s_b[47:24], j[3:0]);
        row_edge2_reg[j] <= after(s_edge[89:60], s_b[71:48], j[3:0]);
      end
    end
    if (row_valid_reg & out_ready) begin
      out_end_reg     <= row_end_reg;
      out_col_reg     <= row_col_reg;
      out_trow_reg    <= row_trow_reg;
      out_z_reg       <= row_z_reg;
      out_dzdx_reg    <= row_dzdx_reg;
      out_dzdy_reg    <= row_dzdy_reg;
      out_surface_reg <= row_surface_reg;
      for (j = 0; j < 8; j = j + 1)
        out_cover_reg[PPC*j+:PPC] <= row_rows_reg[j] ?
            row_cover(row_edge0_reg[j], row_edge1_reg[j], row_edge2_reg[j], row_a_reg) & row_cols_reg : {PPC{1'b0}};
    end
  end

endmodule

`default_nettype wire
