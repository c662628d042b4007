// Turns a covered tile into blocks: one for each row with a covered pixel, a block a clock and none
// for other rows, with the depth of each of the PPC pixels (depth of pixels that are not covered has
// no meaning). Latency 3. An end token becomes a block with m_blk_end. Reset empties it.
`default_nettype none
`timescale 1ns / 1ps

module tile_emit #(
    parameter PPC  = 8,                  // pixels a block: 1, 2, 4, 8 or 16
    parameter COLW = $clog2(4096 / PPC)  // bits of a block's column; leave at its default
) (
    input  wire              clk,
    input  wire              rst_n,
    // from tile_cover
    input  wire              s_valid,
    output wire              s_ready,
    input  wire              s_end,
    input  wire [  COLW-1:0] s_col,
    input  wire [       1:0] s_trow,
    input  wire [       7:0] s_any,
    input  wire [ 8*PPC-1:0] s_cover,
    input  wire [      55:0] s_z,
    input  wire [      39:0] s_dzdx,
    input  wire [      39:0] s_dzdy,
    input  wire [      31:0] s_surface,
    // blocks
    output wire              m_blk_tvalid,
    input  wire              m_blk_tready,
    output wire [       4:0] m_blk_row,
    output wire [  COLW-1:0] m_blk_col,
    output wire [   PPC-1:0] m_blk_cover,
    output wire [PPC*24-1:0] m_blk_depth,
    output wire [      31:0] m_blk_surface,
    output wire              m_blk_end,
    output wire              busy
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  reg  [       7:0] sent_reg;         // rows of the tile at the input that are under way
  // Stage 1: a row of the tile.
  reg               pick_valid_reg;
  reg               pick_end_reg;
  reg  [       4:0] pick_row_reg;
  reg  [  COLW-1:0] pick_col_reg;
  reg  [   PPC-1:0] pick_cover_reg;
  reg  [      55:0] pick_z_reg;
  reg  [      39:0] pick_dzdx_reg;
  reg  [      39:0] pick_dzdy_reg;
  reg  [      31:0] pick_surface_reg;
  // Stage 2: its depth at the first pixel, and what each lane adds.
  reg               row_valid_reg;
  reg               row_end_reg;
  reg  [       4:0] row_row_reg;
  reg  [  COLW-1:0] row_col_reg;
  reg  [   PPC-1:0] row_cover_reg;
  reg  [      55:0] row_z_reg;
  reg  [PPC*56-1:0] row_lane_reg;
  reg  [      31:0] row_surface_reg;
  // Stage 3: the block.
  reg               out_valid_reg;
  reg               out_end_reg;
  reg  [       4:0] out_row_reg;
  reg  [  COLW-1:0] out_col_reg;
  reg  [   PPC-1:0] out_cover_reg;
  reg  [PPC*24-1:0] out_depth_reg;
  reg  [      31:0] out_surface_reg;

  function [2:0] lowest(input [7:0] bits);
    integer n;
    begin
      lowest = 3'd0;
      for (n = 7; n >= 0; n = n - 1) if (bits[n]) lowest = n[2:0];
    end
  endfunction

  // Sums of shifts are adders, where a product would take two DSP slices without their registers.
  function [55:0] times(input [39:0] step, input [3:0] count);
    reg [55:0] wide;
    begin
      wide  = {{16{step[39]}}, step};
      times = (count[0] ? wide : 56'd0) + (count[1] ? wide << 1 : 56'd0) + (count[2] ? wide << 2 : 56'd0)
            + (count[3] ? wide << 3 : 56'd0);
    end
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // the fraction
  function [23:0] depth(input [55:0] z);
    depth = z[55] ? 24'd0 : z[54:40] != 15'd0 ? 24'hffffff : z[39:16];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  wire [7:0] left = s_any & ~sent_reg;
  wire [2:0] row = lowest(left);
  wire last = s_end | ((left & (left - 8'd1)) == 8'd0);
  wire out_ready = ~out_valid_reg | m_blk_tready;
  wire row_ready = ~row_valid_reg | out_ready;
  wire pick_ready = ~pick_valid_reg | row_ready;

  assign s_ready       = pick_ready & last;
  assign m_blk_tvalid  = out_valid_reg;
  assign m_blk_row     = out_row_reg;
  assign m_blk_col     = out_col_reg;
  assign m_blk_cover   = out_cover_reg;
  assign m_blk_depth   = out_depth_reg;
  assign m_blk_surface = out_surface_reg;
  assign m_blk_end     = out_end_reg;
  assign busy          = pick_valid_reg | row_valid_reg | out_valid_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      sent_reg       <= 8'd0;
      pick_valid_reg <= 1'b0;
      row_valid_reg  <= 1'b0;
      out_valid_reg  <= 1'b0;
    end else begin
      if (s_valid & pick_ready) sent_reg <= last ? 8'd0 : sent_reg | (8'd1 << row);
      if (pick_ready) pick_valid_reg <= s_valid;
      if (row_ready) row_valid_reg <= pick_valid_reg;
      if (out_ready) out_valid_reg <= row_valid_reg;
    end
  end

  integer i;

  always @(posedge clk) begin
    if (s_valid & pick_ready) begin
      pick_end_reg     <= s_end;
      pick_row_reg     <= {s_trow, row};
      pick_col_reg     <= s_col;
      pick_cover_reg   <= s_cover[PPC*row+:PPC];
      pick_z_reg       <= s_z;
      pick_dzdx_reg    <= s_dzdx;
      pick_dzdy_reg    <= s_dzdy;
      pick_surface_reg <= s_surface;
    end
    if (pick_valid_reg & row_ready) begin
      row_end_reg     <= pick_end_reg;
      row_row_reg     <= pick_row_reg;
      row_col_reg     <= pick_col_reg;
      row_cover_reg   <= pick_cover_reg;
      row_surface_reg <= pick_surface_reg;
      row_z_reg       <= pick_z_reg + times(pick_dzdy_reg, {1'b0, pick_row_reg[2:0]});
      for (i = 0; i < PPC; i = i + 1) row_lane_reg[56*i+:56] <= times(pick_dzdx_reg, i[3:0]);
    end
    if (row_valid_reg & out_ready) begin
      out_end_reg     <= row_end_reg;
      out_row_reg     <= row_row_reg;
      out_col_reg     <= row_col_reg;
      out_cover_reg   <= row_cover_reg;
      out_surface_reg <= row_surface_reg;
      for (i = 0; i < PPC; i = i + 1) out_depth_reg[24*i+:24] <= depth(row_z_reg + row_lane_reg[56*i+:56]);
    end
  end

endmodule

`default_nettype wire
