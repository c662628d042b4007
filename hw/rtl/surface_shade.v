// Turns {depth24, surface32} pixels into 32-bit output pixels: lit colour times the material's tint,
// the lit colour alone while `use_table` is low, the background where nothing was drawn (depth all
// ones), or, with cfg_depth_out, depth and material. Formulas: SPEC section 5.
// A beat a clock, latency 3 cycles: table read, multiply, select. Beats that keep no pixel pass with the
// payload of an earlier beat: their lanes mean nothing. `hold` stops the input (the table is being
// loaded), beats inside move on. A table row written in a cycle is seen by beats taken later.
// Reset empties the stages and leaves the table as it is; use_table tells whether it is valid.
`default_nettype none
`timescale 1ns / 1ps

module surface_shade #(
    parameter PPC = 8  // pixels a beat: 1, 2, 4, 8 or 16
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire              mat_we,
    input  wire [       3:0] mat_waddr,       // a row of 16 materials
    input  wire [     511:0] mat_wdata,       // per material R, G, B, 0
    input  wire              use_table,
    input  wire [      31:0] cfg_background,  // R, G, B, 0
    input  wire              cfg_depth_out,
    input  wire              hold,
    output wire              busy,            // a beat is inside
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [PPC*56-1:0] s_axis_tdata,
    input  wire [   PPC-1:0] s_axis_tkeep,
    input  wire [      13:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [PPC*32-1:0] m_axis_tdata,
    output wire [   PPC-1:0] m_axis_tkeep,
    output wire [      13:0] m_axis_tuser,
    output wire              m_axis_tlast
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  localparam [23:0] NOTHING = 24'hffffff;
  localparam SIDE_W = PPC + 15;  // keep, user, last

  // Handshake of the three stages. Ready depends on reset and hold, so that no beat enters early.
  reg               read_valid_reg;
  reg               mul_valid_reg;
  reg               out_valid_reg;
  reg               awake_reg;
  wire              out_move = ~out_valid_reg | m_axis_tready;
  wire              mul_move = ~mul_valid_reg | out_move;
  wire              read_move = ~read_valid_reg | mul_move;
  wire              in_take = s_axis_tvalid & s_axis_tready;
  reg  [SIDE_W-1:0] read_side_reg;
  reg  [SIDE_W-1:0] mul_side_reg;
  reg  [SIDE_W-1:0] out_side_reg;

  assign s_axis_tready = read_move & awake_reg & ~hold;
  assign busy          = read_valid_reg | mul_valid_reg | out_valid_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      awake_reg      <= 1'b0;
      read_valid_reg <= 1'b0;
      mul_valid_reg  <= 1'b0;
      out_valid_reg  <= 1'b0;
      out_side_reg   <= {SIDE_W{1'b0}};
    end else begin
      awake_reg <= 1'b1;
      if (read_move) read_valid_reg <= in_take;
      if (mul_move) mul_valid_reg <= read_valid_reg;
      if (out_move) out_valid_reg <= mul_valid_reg;
      if (in_take) read_side_reg <= {s_axis_tkeep, s_axis_tuser, s_axis_tlast};
      if (mul_move) mul_side_reg <= read_side_reg;
      if (out_move & mul_valid_reg) out_side_reg <= mul_side_reg;
    end
  end

  // A beat that keeps nothing leaves the data registers alone: small regions then cost little power.
  wire               read_load = in_take & (|s_axis_tkeep);
  wire               mul_load = read_valid_reg & mul_move & (|read_side_reg[15+:PPC]);
  wire               out_load = mul_valid_reg & out_move & (|mul_side_reg[15+:PPC]);

  // The table in rows of one memory beat; synthesis copies this distributed RAM for each lane's read.
  reg  [      511:0] table_mem                                                        [0:15];
  reg  [ PPC*32-1:0] tint_reg;
  reg  [ PPC*56-1:0] read_reg;
  reg  [ PPC*27-1:0] product_reg;
  reg  [ PPC*56-1:0] mul_reg;
  reg  [ PPC*32-1:0] out_reg;

  always @(posedge clk) if (mat_we) table_mem[mat_waddr] <= mat_wdata;

  // (lit * tint) >> 7 has up to nine bits.
  function [8:0] product;
    input [7:0] lit;
    input [7:0] tint;
    reg [6:0] unused_fraction;
    {product, unused_fraction} = {8'd0, lit} * {8'd0, tint};
  endfunction

  function [7:0] saturated;
    input [8:0] channel;
    saturated = channel[8] ? 8'd255 : channel[7:0];
  endfunction

  function [31:0] shaded;
    input [55:0] pixel;
    input [26:0] tint;  // channels after the multiplication, nine bits each
    input tinted;
    input [23:0] background;
    input depth_out;
    reg drawn;
    reg [23:0] colour;  // B, G, R from the top, as SPEC's surface
    begin
      drawn  = pixel[55:32] != NOTHING;
      colour = !drawn ? background
             : tinted ? {saturated(tint[18+:9]), saturated(tint[9+:9]), saturated(tint[0+:9])} : pixel[23:0];
      shaded = depth_out ? {drawn ? pixel[31:24] : 8'd0, pixel[55:32]}
             : {8'd255, colour[7:0], colour[15:8], colour[23:16]};
    end
  endfunction

  integer n;
  integer ch;
  always @(posedge clk) begin
    if (read_load) begin
      read_reg <= s_axis_tdata;
      for (n = 0; n < PPC; n = n + 1)
        tint_reg[32*n+:32] <= table_mem[s_axis_tdata[56*n+28+:4]][{s_axis_tdata[56*n+24+:4], 5'd0}+:32];
    end
    if (mul_load) begin
      mul_reg <= read_reg;
      for (n = 0; n < PPC; n = n + 1)
        for (ch = 0; ch < 3; ch = ch + 1)
          product_reg[27*n+9*ch+:9] <= product(read_reg[56*n+8*ch+:8], tint_reg[32*n+8*ch+:8]);
    end
    if (!rst_n) out_reg <= {PPC * 32{1'b0}};
    else if (out_load)
      for (n = 0; n < PPC; n = n + 1)
        out_reg[32*n+:32] <= shaded(mul_reg[56*n+:56], product_reg[27*n+:27], use_table, cfg_background[23:0], cfg_depth_out);
  end

  wire unused = &{1'b0, cfg_background[31:24]};

  assign m_axis_tvalid = out_valid_reg;
  assign m_axis_tdata  = out_reg;
  assign {m_axis_tkeep, m_axis_tuser, m_axis_tlast} = out_side_reg;

endmodule

`default_nettype wire
