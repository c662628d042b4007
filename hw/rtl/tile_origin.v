// Moves a triangle's edges and depth from the first pixel of its record's bounds to the first pixel
// of the tile that holds the first pixel of the tightened bounds. Tiles are PPC x 8 pixels, aligned,
// so the tile may begin left of or above the record's bounds: the offsets are signed. The edges come
// out at the tile's best corner (where each is largest: a tile is outside an edge exactly if that is
// negative), with the corner's lead over the first pixel beside them.
// One triangle a clock, latency 3. An end token (s_tuser) passes in order. Reset empties it.
`default_nettype none
`timescale 1ns / 1ps

module tile_origin #(
    parameter PPC = 8  // pixels a tile is wide: 1, 2, 4, 8 or 16
) (
    input  wire         clk,
    input  wire         rst_n,
    input  wire         s_tvalid,
    output wire         s_tready,
    input  wire [511:0] s_tdata,    // hw/SPEC.md section 4
    input  wire         s_tuser,
    input  wire [ 51:0] s_bounds,   // {y1, x1, y0, x0}
    output wire         m_valid,
    input  wire         m_ready,
    output wire         m_end,
    output wire [ 51:0] m_bounds,
    output wire [ 71:0] m_a,        // three edges, signed 24
    output wire [ 71:0] m_b,
    output wire [119:0] m_edge,     // three edges at their best corner of the tile, signed 40
    output wire [ 83:0] m_lead,     // what the corner adds to each edge, unsigned 28
    output wire [ 55:0] m_z,        // depth at the tile's first pixel, signed, 16 fractional bits
    output wire [ 39:0] m_dzdx,
    output wire [ 39:0] m_dzdy,
    output wire [ 31:0] m_surface,
    output wire         busy
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  localparam L = $clog2(PPC);
  localparam [39:0] TILE_MASK = ~40'd0 << L;

  function [39:0] product40(input [23:0] step, input [13:0] count);
    reg signed [39:0] wide_step;
    reg signed [39:0] wide_count;
    begin
      wide_step  = {{16{step[23]}}, step};
      wide_count = {{26{count[13]}}, count};
      product40  = wide_step * wide_count;
    end
  endfunction

  function [55:0] product56(input [39:0] step, input [13:0] count);
    reg signed [55:0] wide_step;
    reg signed [55:0] wide_count;
    begin
      wide_step  = {{16{step[39]}}, step};
      wide_count = {{42{count[13]}}, count};
      product56  = wide_step * wide_count;
    end
  endfunction

  // (PPC-1) max(a, 0) + 7 max(b, 0)
  function [27:0] lead(input [23:0] a, input [23:0] b);
    reg [27:0] along;
    reg [27:0] down;
    begin
      along = a[23] ? 28'd0 : {4'd0, a};
      down  = b[23] ? 28'd0 : {4'd0, b};
      lead  = (along << L) - along + (down << 3) - down;
    end
  endfunction

  // Stage 1: unpacked, with the offset of the tile from the record's first pixel.
  reg          in_valid_reg;
  reg          in_end_reg;
  reg  [511:0] in_data_reg;
  reg  [ 51:0] in_bounds_reg;
  reg  [ 13:0] in_dx_reg;
  reg  [ 13:0] in_dy_reg;
  // Stage 2: the products.
  reg          mul_valid_reg;
  reg          mul_end_reg;
  reg  [ 51:0] mul_bounds_reg;
  reg  [ 71:0] mul_a_reg;
  reg  [ 71:0] mul_b_reg;
  reg  [119:0] mul_c_reg;
  reg  [ 39:0] mul_x_reg      [0:2];
  reg  [ 39:0] mul_y_reg      [0:2];
  reg  [ 27:0] mul_lead_reg   [0:2];
  reg  [ 47:0] mul_z_reg;
  reg  [ 55:0] mul_zx_reg;
  reg  [ 55:0] mul_zy_reg;
  reg  [ 39:0] mul_dzdx_reg;
  reg  [ 39:0] mul_dzdy_reg;
  reg  [ 31:0] mul_surface_reg;
  // Stage 3: the sums.
  reg          out_valid_reg;
  reg          out_end_reg;
  reg  [ 51:0] out_bounds_reg;
  reg  [ 71:0] out_a_reg;
  reg  [ 71:0] out_b_reg;
  reg  [119:0] out_edge_reg;
  reg  [ 83:0] out_lead_reg;
  reg  [ 55:0] out_z_reg;
  reg  [ 39:0] out_dzdx_reg;
  reg  [ 39:0] out_dzdy_reg;
  reg  [ 31:0] out_surface_reg;

  wire         out_ready = ~out_valid_reg | m_ready;
  wire         mul_ready = ~mul_valid_reg | out_ready;
  wire         in_ready = ~in_valid_reg | mul_ready;

  assign s_tready  = rst_n & in_ready;
  assign m_valid   = out_valid_reg;
  assign m_end     = out_end_reg;
  assign m_bounds  = out_bounds_reg;
  assign m_a       = out_a_reg;
  assign m_b       = out_b_reg;
  assign m_edge    = out_edge_reg;
  assign m_lead    = out_lead_reg;
  assign m_z       = out_z_reg;
  assign m_dzdx    = out_dzdx_reg;
  assign m_dzdy    = out_dzdy_reg;
  assign m_surface = out_surface_reg;
  assign busy      = in_valid_reg | mul_valid_reg | out_valid_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      in_valid_reg  <= 1'b0;
      mul_valid_reg <= 1'b0;
      out_valid_reg <= 1'b0;
    end else begin
      if (in_ready) in_valid_reg <= s_tvalid;
      if (mul_ready) mul_valid_reg <= in_valid_reg;
      if (out_ready) out_valid_reg <= mul_valid_reg;
    end
  end

  integer k;

  always @(posedge clk) begin
    if (s_tvalid & in_ready) begin
      in_end_reg    <= s_tuser;
      in_data_reg   <= s_tdata;
      in_bounds_reg <= s_bounds;
      in_dx_reg     <= {1'b0, s_bounds[12:0] & TILE_MASK[12:0]} - {1'b0, s_tdata[12:0]};
      in_dy_reg     <= {1'b0, s_bounds[25:16], 3'd0} - {1'b0, s_tdata[28:16]};
    end
    if (in_valid_reg & mul_ready) begin
      mul_end_reg     <= in_end_reg;
      mul_bounds_reg  <= in_bounds_reg;
      mul_surface_reg <= in_data_reg[95:64];
      for (k = 0; k < 3; k = k + 1) begin
        mul_a_reg[24*k+:24] <= in_data_reg[48*k+96+:24];
        mul_b_reg[24*k+:24] <= in_data_reg[48*k+120+:24];
        mul_x_reg[k]        <= product40(in_data_reg[48*k+96+:24], in_dx_reg);
        mul_y_reg[k]        <= product40(in_data_reg[48*k+120+:24], in_dy_reg);
        mul_lead_reg[k]     <= lead(in_data_reg[48*k+96+:24], in_data_reg[48*k+120+:24]);
      end
      mul_c_reg    <= in_data_reg[359:240];
      mul_dzdx_reg <= in_data_reg[399:360];
      mul_dzdy_reg <= in_data_reg[439:400];
      mul_z_reg    <= in_data_reg[487:440];
      mul_zx_reg   <= product56(in_data_reg[399:360], in_dx_reg);
      mul_zy_reg   <= product56(in_data_reg[439:400], in_dy_reg);
    end
    if (mul_valid_reg & out_ready) begin
      out_end_reg     <= mul_end_reg;
      out_bounds_reg  <= mul_bounds_reg;
      out_surface_reg <= mul_surface_reg;
      out_a_reg       <= mul_a_reg;
      out_b_reg       <= mul_b_reg;
      for (k = 0; k < 3; k = k + 1) begin
        out_edge_reg[40*k+:40] <= mul_c_reg[40*k+:40] + mul_x_reg[k] + mul_y_reg[k] + {12'd0, mul_lead_reg[k]};
        out_lead_reg[28*k+:28] <= mul_lead_reg[k];
      end
      out_z_reg    <= {{8{mul_z_reg[47]}}, mul_z_reg} + mul_zx_reg + mul_zy_reg;
      out_dzdx_reg <= mul_dzdx_reg;
      out_dzdy_reg <= mul_dzdy_reg;
    end
  end

  // The number of the triangle and the bounds' upper bits and far corner are not used here.
  wire unused = &{1'b0, s_tdata[511:488], s_tdata[63:29], s_tdata[15:13], in_data_reg[511:488], in_data_reg[63:0]};

endmodule

`default_nettype wire
