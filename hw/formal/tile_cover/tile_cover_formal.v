// tile_cover: of the watched pixel of a tile the cover bit tells exactly whether the pixel is in the bounds, its row meets a
// region and no edge is negative there. Tiles with a covered pixel and tokens come out once each, in order, with what
// they came with; a tile without one does not come out. Two of them are marked, by the top bits of the surface, which
// the design only carries; a marked tile covers the watched pixel. A tile a clock.
// Contract: edges stay within 30 bits in the tile.
`default_nettype none

module tile_cover_formal #(
    parameter PPC    = 8,
    parameter COLW   = 9,
    parameter ACROSS = 0,  // the watched pixel
    parameter DOWN   = 0
) (
    input wire            clk,
    input wire            rst_n,
    input wire            s_valid,
    input wire            s_end,
    input wire [COLW-1:0] s_col,
    input wire [     1:0] s_trow,
    input wire [     7:0] s_rows,
    input wire [ PPC-1:0] s_cols,
    input wire [    89:0] s_edge,
    input wire [    71:0] s_a,
    input wire [    71:0] s_b,
    input wire [    55:0] s_z,
    input wire [    39:0] s_dzdx,
    input wire [    39:0] s_dzdy,
    input wire [    31:0] s_surface,
    input wire            m_ready
);

  localparam TILE_W = COLW + 2 + 56 + 40 + 40;

  localparam [3:0] across = ACROSS;
  localparam [2:0] down = DOWN;
  wire s_ready, m_valid, m_end, busy;
  wire [7:0] m_any;
  wire [8*PPC-1:0] m_cover;
  wire [TILE_W-1:0] m_tile;
  wire [31:0] m_surface;

  tile_cover #(
      .PPC (PPC),
      .COLW(COLW)
  ) dut (
      .clk      (clk),
      .rst_n    (rst_n),
      .s_valid  (s_valid),
      .s_ready  (s_ready),
      .s_end    (s_end),
      .s_col    (s_col),
      .s_trow   (s_trow),
      .s_rows   (s_rows),
      .s_cols   (s_cols),
      .s_edge   (s_edge),
      .s_a      (s_a),
      .s_b      (s_b),
      .s_z      (s_z),
      .s_dzdx   (s_dzdx),
      .s_dzdy   (s_dzdy),
      .s_surface(s_surface),
      .m_valid  (m_valid),
      .m_ready  (m_ready),
      .m_end    (m_end),
      .m_col    (m_tile[138+:COLW]),
      .m_trow   (m_tile[136+:2]),
      .m_any    (m_any),
      .m_cover  (m_cover),
      .m_z      (m_tile[80+:56]),
      .m_dzdx   (m_tile[40+:40]),
      .m_dzdy   (m_tile[39:0]),
      .m_surface(m_surface),
      .busy     (busy)
  );

  (* hierconn *) wire \dut.row_valid_reg ;
  (* hierconn *) wire \dut.row_end_reg ;
  (* hierconn *) wire [COLW-1:0] \dut.row_col_reg ;
  (* hierconn *) wire [1:0] \dut.row_trow_reg ;
  (* hierconn *) wire [7:0] \dut.row_rows_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.row_cols_reg ;
  (* hierconn *) wire [71:0] \dut.row_a_reg ;
  (* hierconn *) wire [55:0] \dut.row_z_reg ;
  (* hierconn *) wire [39:0] \dut.row_dzdx_reg ;
  (* hierconn *) wire [39:0] \dut.row_dzdy_reg ;
  (* hierconn *) wire [31:0] \dut.row_surface_reg ;
  (* hierconn *) wire \dut.out_valid_reg ;
  (* hierconn *) wire \dut.out_end_reg ;
  (* hierconn *) wire [8*PPC-1:0] \dut.out_cover_reg ;
  wire [TILE_W-1:0] s_tile = {s_col, s_trow, s_z, s_dzdx, s_dzdy};
  wire [TILE_W-1:0] row_tile = {
    \dut.row_col_reg , \dut.row_trow_reg , \dut.row_z_reg , \dut.row_dzdx_reg , \dut.row_dzdy_reg
  };

  // Edge k at the watched pixel, in more bits than the design has.
  function signed [35:0] at_pixel(input [29:0] start, input [23:0] a, input [23:0] b);
    reg signed [35:0] x, y;
    begin
      x = {{12{a[23]}}, a};
      y = {{12{b[23]}}, b};
      at_pixel = $signed({{6{start[29]}}, start})
               + (down[0] ? y : 0) + (down[1] ? y <<< 1 : 0) + (down[2] ? y <<< 2 : 0)
               + (across[0] ? x : 0) + (across[1] ? x <<< 1 : 0) + (across[2] ? x <<< 2 : 0) + (across[3] ? x <<< 3 : 0);
    end
  endfunction

  function fits(input signed [35:0] value);
    fits = value >= -36'sd536870912 && value < 36'sd536870912;
  endfunction

  reg [2:0] negative;  // edges
  reg [2:0] within;
  reg signed [35:0] value;
  integer k;
  always @*
    for (k = 0; k < 3; k = k + 1) begin
      value = at_pixel(s_edge[30*k+:30], s_a[24*k+:24], s_b[24*k+:24]);
      negative[k] = value < 0;
      within[k] = fits(value) & fits(at_pixel(s_edge[30*k+:30], 24'd0, s_b[24*k+:24]));
    end
  wire s_covered = s_cols[across] & s_rows[down] & (negative == 0);

  initial assume (!rst_n);
  always @* begin
    if (s_valid & ~s_end) assume (within == 3'b111);
    if (s_valid & ~s_end & (s_surface[31:30] != 0)) assume (s_covered);
  end

  stream_properties #(
      .WIDTH  (TILE_W + 33 + 8 + PPC + 90 + 144),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_valid),
      .ready  (s_ready),
      .payload({s_end, s_surface, s_tile, s_rows, s_cols, s_edge, s_a, s_b})
  );

  stream_properties #(
      .WIDTH(TILE_W + 33 + 8 + 8 * PPC)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_valid),
      .ready  (m_ready),
      .payload({m_end, m_surface, m_tile, m_any, m_cover})
  );

  wire second_leaves;
  pipeline_properties #(
      .WIDTH (TILE_W + 33),
      .PLACES(2)
  ) flow (
      .clk          (clk),
      .rst_n        (rst_n),
      .offered      (s_valid),
      .enters       (s_valid & s_ready & rst_n),
      .into         ({s_surface, s_end, s_tile}),
      .valid        ({m_valid, \dut.row_valid_reg }),
      .items        ({m_surface, m_end, m_tile, \dut.row_surface_reg , \dut.row_end_reg , row_tile}),
      .leaves       (m_valid & m_ready & rst_n),
      .advances     (m_ready),
      .first        (),
      .second       (),
      .first_inside (),
      .second_leaves(second_leaves)
  );

  // Whether the tile in each stage covers the watched pixel, by the rule.
  reg row_covered_reg, out_covered_reg;
  reg [2:0] row_negative_reg;
  wire blank = \dut.out_valid_reg & ~\dut.out_end_reg & ~m_valid;
  wire out_moves = ~\dut.out_valid_reg | blank | m_ready;
  always @(posedge clk) begin
    if (s_valid & s_ready) begin
      row_covered_reg  <= s_covered;
      row_negative_reg <= negative;
    end
    if (\dut.row_valid_reg & out_moves) out_covered_reg <= row_covered_reg;
  end

  // The edges at the first pixel of each row; from there to the watched pixel.
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[0] ;
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[1] ;
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[2] ;
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[3] ;
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[4] ;
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[5] ;
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[6] ;
  (* hierconn *) wire [29:0] \dut.row_edge0_reg[7] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[0] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[1] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[2] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[3] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[4] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[5] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[6] ;
  (* hierconn *) wire [29:0] \dut.row_edge1_reg[7] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[0] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[1] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[2] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[3] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[4] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[5] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[6] ;
  (* hierconn *) wire [29:0] \dut.row_edge2_reg[7] ;
  wire [239:0] rows0 = {
    \dut.row_edge0_reg[7] , \dut.row_edge0_reg[6] , \dut.row_edge0_reg[5] , \dut.row_edge0_reg[4] ,
    \dut.row_edge0_reg[3] , \dut.row_edge0_reg[2] , \dut.row_edge0_reg[1] , \dut.row_edge0_reg[0] 
  };
  wire [239:0] rows1 = {
    \dut.row_edge1_reg[7] , \dut.row_edge1_reg[6] , \dut.row_edge1_reg[5] , \dut.row_edge1_reg[4] ,
    \dut.row_edge1_reg[3] , \dut.row_edge1_reg[2] , \dut.row_edge1_reg[1] , \dut.row_edge1_reg[0] 
  };
  wire [239:0] rows2 = {
    \dut.row_edge2_reg[7] , \dut.row_edge2_reg[6] , \dut.row_edge2_reg[5] , \dut.row_edge2_reg[4] ,
    \dut.row_edge2_reg[3] , \dut.row_edge2_reg[2] , \dut.row_edge2_reg[1] , \dut.row_edge2_reg[0] 
  };
  wire signed [35:0] value0 = at_pixel(rows0 >> (30 * down), \dut.row_a_reg [23:0], 24'd0);
  wire signed [35:0] value1 = at_pixel(rows1 >> (30 * down), \dut.row_a_reg [47:24], 24'd0);
  wire signed [35:0] value2 = at_pixel(rows2 >> (30 * down), \dut.row_a_reg [71:48], 24'd0);

  always @(posedge clk)
    if (rst_n) begin
      if (m_valid & ~m_end) begin
        assert (m_cover[PPC*down+across] == out_covered_reg);
        assert (m_cover != 0);
        assert (m_any[down] == (((m_cover >> (PPC * down)) & {PPC{1'b1}}) != 0));
      end
      if (m_ready) assert (s_ready);  // a tile a clock
      // What induction needs.
      if (\dut.row_valid_reg & ~\dut.row_end_reg ) begin
        assert (fits(value0) && (value0 < 0) == row_negative_reg[0]);
        assert (fits(value1) && (value1 < 0) == row_negative_reg[1]);
        assert (fits(value2) && (value2 < 0) == row_negative_reg[2]);
        assert (row_covered_reg == (\dut.row_cols_reg [across] & \dut.row_rows_reg [down] & (row_negative_reg == 0)));
        if (\dut.row_surface_reg [31:30] != 0) assert (row_covered_reg);
      end
      if (\dut.out_valid_reg & ~\dut.out_end_reg ) assert (\dut.out_cover_reg [PPC*down+across] == out_covered_reg);
      assert (busy == (\dut.row_valid_reg | \dut.out_valid_reg ));
      cover (second_leaves & \dut.row_valid_reg & ~m_end & (m_cover == 1 << (PPC * DOWN + ACROSS)));
      cover (blank & s_valid);
    end

endmodule

`default_nettype wire
