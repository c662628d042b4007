// tile_emit: each row of a tile with a covered pixel comes out as a block, once, from top to bottom, with its cover
// bits and what its tile came with, and no other row; tokens come out once each, in order. At any pixel of the block the
// depth is the plane's, clamped. Two tiles are marked, by the top bits of the surface, which the design only carries,
// and in them the watched row. A block a clock.
// Contract: m_any tells which rows are covered; planes keep within 54 bits.
`default_nettype none

module tile_emit_formal #(
    parameter PPC  = 8,
    parameter COLW = 9
) (
    input wire             clk,
    input wire             rst_n,
    input wire             s_valid,
    input wire             s_end,
    input wire [ COLW-1:0] s_col,
    input wire [      1:0] s_trow,
    input wire [      7:0] s_any,
    input wire [8*PPC-1:0] s_cover,
    input wire [     55:0] s_z,
    input wire [     39:0] s_dzdx,
    input wire [     39:0] s_dzdy,
    input wire [     31:0] s_surface,
    input wire             m_ready
);

  localparam ITEM_W = 32 + 1 + 5 + COLW + PPC;

  (* anyconst *) reg [2:0] watched;  // row of a tile
  (* anyconst *) reg [3:0] lane;
  wire s_ready, m_valid, m_end, busy;
  wire [4:0] m_row;
  wire [COLW-1:0] m_col;
  wire [PPC-1:0] m_cover;
  wire [PPC*24-1:0] m_depth;
  wire [31:0] m_surface;

  tile_emit #(
      .PPC (PPC),
      .COLW(COLW)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .s_valid      (s_valid),
      .s_ready      (s_ready),
      .s_end        (s_end),
      .s_col        (s_col),
      .s_trow       (s_trow),
      .s_any        (s_any),
      .s_cover      (s_cover),
      .s_z          (s_z),
      .s_dzdx       (s_dzdx),
      .s_dzdy       (s_dzdy),
      .s_surface    (s_surface),
      .m_blk_tvalid (m_valid),
      .m_blk_tready (m_ready),
      .m_blk_row    (m_row),
      .m_blk_col    (m_col),
      .m_blk_cover  (m_cover),
      .m_blk_depth  (m_depth),
      .m_blk_surface(m_surface),
      .m_blk_end    (m_end),
      .busy         (busy)
  );

  (* hierconn *) wire [7:0] \dut.sent_reg ;
  (* hierconn *) wire [2:0] \dut.row ;
  (* hierconn *) wire \dut.pick_ready ;
  (* hierconn *) wire \dut.pick_valid_reg ;
  (* hierconn *) wire \dut.pick_end_reg ;
  (* hierconn *) wire [4:0] \dut.pick_row_reg ;
  (* hierconn *) wire [COLW-1:0] \dut.pick_col_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.pick_cover_reg ;
  (* hierconn *) wire [55:0] \dut.pick_z_reg ;
  (* hierconn *) wire [39:0] \dut.pick_dzdx_reg ;
  (* hierconn *) wire [39:0] \dut.pick_dzdy_reg ;
  (* hierconn *) wire [31:0] \dut.pick_surface_reg ;
  (* hierconn *) wire \dut.row_valid_reg ;
  (* hierconn *) wire \dut.row_end_reg ;
  (* hierconn *) wire [4:0] \dut.row_row_reg ;
  (* hierconn *) wire [COLW-1:0] \dut.row_col_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.row_cover_reg ;
  (* hierconn *) wire [55:0] \dut.row_z_reg ;
  (* hierconn *) wire [PPC*56-1:0] \dut.row_lane_reg ;
  (* hierconn *) wire [31:0] \dut.row_surface_reg ;
  wire [2:0] row = \dut.row ;  // of the tile at the input, which enters
  wire [7:0] sent = \dut.sent_reg ;
  wire [2:0] valid = {m_valid, \dut.row_valid_reg , \dut.pick_valid_reg };
  wire enters = s_valid & \dut.pick_ready & rst_n;

  reg [7:0] any;
  integer n;
  always @* for (n = 0; n < 8; n = n + 1) any[n] = s_cover[PPC*n+:PPC] != 0;

  initial assume (!rst_n);
  always @* begin
    assume (lane < PPC);
    assume (s_end || s_any == any && any != 0);
    assume (s_z[55:53] == 3'b000 || s_z[55:53] == 3'b111);  // 2^47 + 2 * 2^39 * 2^13, as in SPEC section 2
  end

  stream_properties #(
      .WIDTH  (33 + COLW + 2 + 8 + 8 * PPC + 136),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_valid),
      .ready  (s_ready),
      .payload({s_end, s_surface, s_col, s_trow, s_any, s_cover, s_z, s_dzdx, s_dzdy})
  );

  stream_properties #(
      .WIDTH(ITEM_W + 24 * PPC)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_valid),
      .ready  (m_ready),
      .payload({m_end, m_surface, m_row, m_col, m_cover, m_depth})
  );

  // The mark first, of the watched row alone; a token has no row.
  function [ITEM_W-1:0] item(input [31:0] surface, input token, input [4:0] at, input [COLW-1:0] col,
                             input [PPC-1:0] covers);
    item = {surface[31:30] & {2{token | (at[2:0] == watched)}}, surface[29:0], token, at, col, covers};
  endfunction
  wire second_leaves;

  pipeline_properties #(
      .WIDTH (ITEM_W),
      .PLACES(3)
  ) flow (
      .clk          (clk),
      .rst_n        (rst_n),
      .offered      (s_valid),
      .enters       (enters),
      .into         (item(s_surface, s_end, {s_trow, row}, s_col, s_cover[PPC*row+:PPC])),
      .valid        (valid),
      .items        ({item(m_surface, m_end, m_row, m_col, m_cover),
                      item(\dut.row_surface_reg , \dut.row_end_reg , \dut.row_row_reg , \dut.row_col_reg ,
                           \dut.row_cover_reg ),
                      item(\dut.pick_surface_reg , \dut.pick_end_reg , \dut.pick_row_reg , \dut.pick_col_reg ,
                           \dut.pick_cover_reg )}),
      .leaves       (m_valid & m_ready & rst_n),
      .advances     (m_ready),
      .first        (),
      .second       (),
      .first_inside (),
      .second_leaves(second_leaves)
  );

  // The depth of the watched lane of each block, by the rule.
  function signed [55:0] plane(input [55:0] z, input [39:0] dx, input [39:0] dy, input [3:0] i, input [2:0] j);
    reg signed [55:0] x, y;
    begin
      x = {{16{dx[39]}}, dx};
      y = {{16{dy[39]}}, dy};
      plane = z + ((j[0] ? y : 0) + (j[1] ? y <<< 1 : 0) + (j[2] ? y <<< 2 : 0))
            + ((i[0] ? x : 0) + (i[1] ? x <<< 1 : 0) + (i[2] ? x <<< 2 : 0) + (i[3] ? x <<< 3 : 0));
    end
  endfunction
  function [23:0] clamped(input signed [55:0] z);
    clamped = z < 0 ? 24'd0 : (z >>> 16) > 56'sd16777215 ? 24'd16777215 : z >>> 16;
  endfunction
  wire out_moves = ~m_valid | m_ready;
  wire row_moves = ~valid[1] | out_moves;
  reg [55:0] pick_plane_reg, row_plane_reg, out_plane_reg;
  reg [7:0] entered_reg = 8'd0;  // rows of the tile at the input
  always @(posedge clk) begin
    if (enters) pick_plane_reg <= plane(s_z, s_dzdx, s_dzdy, lane, row);
    if (row_moves) row_plane_reg <= pick_plane_reg;
    if (out_moves) out_plane_reg <= row_plane_reg;
    if (!rst_n | (enters & s_ready)) entered_reg <= 8'd0;
    else if (enters) entered_reg <= entered_reg | 8'd1 << row;
  end

  always @(posedge clk)
    if (rst_n) begin
      if (m_valid & ~m_end) assert (m_cover != 0 && m_depth[24*lane+:24] == clamped(out_plane_reg));
      // Rows enter from the top; with the tile's last one the next tile comes.
      if (enters & ~s_end) assert (any[row] && (any & ~entered_reg & ((8'd2 << row) - 8'd1)) == 8'd1 << row);
      if (s_valid & s_ready & ~s_end) assert (enters && (entered_reg | 8'd1 << row) == any);
      if (m_ready & s_valid) assert (enters);  // a block a clock
      assert (busy == (valid != 0));
      // What induction needs.
      assert (sent == entered_reg);
      assert (s_valid && !s_end || sent == 0);
      assert ((sent & ~any) == 0 || s_end || !s_valid);
      if (s_valid & ~s_end) assert (sent != any);
      if (valid[0])
        assert (pick_plane_reg == plane(\dut.pick_z_reg , \dut.pick_dzdx_reg , \dut.pick_dzdy_reg , lane,
                                        \dut.pick_row_reg [2:0]));
      if (valid[0] & ~\dut.pick_end_reg ) assert (\dut.pick_cover_reg != 0);
      if (valid[1]) assert (row_plane_reg == \dut.row_z_reg + \dut.row_lane_reg [56*lane+:56]);
      if (valid[1] & ~\dut.row_end_reg ) assert (\dut.row_cover_reg != 0);
      cover (second_leaves & (valid == 3'b111) & ~m_end & (m_row == 5'd13));
      cover (m_valid & ~m_end & (m_depth[24*lane+:24] == 24'hffffff) & (sent == 8'h05));
    end

endmodule

`default_nettype wire
