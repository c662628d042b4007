// tile_walk: the tiles of a triangle come out at most once each, row by row from left to right, none outside the bounds,
// each with what its triangle came with, and all tiles of the bounds are walked while no edge rejects one; a column bit is set exactly in the bounds, and the row bit of a pixel that a
// region holds inside the bounds is set. Of each tile walked the statistics and what comes out agree: it is passed on,
// rejected by an edge, or outside of the regions. A triangle that is rejected or passed on makes room, so the walk never
// stands still but for the sink. Tokens come out once each, in order: two are marked, by the top bits of the surface.
// That no edge rejects a tile with a covered pixel is left to the bench: it takes products of steps and distances.
// Contract: bounds are not empty, within the frame and within one band; roi_set holds.
`default_nettype none

module tile_walk_formal #(
    parameter PPC  = 8,
    parameter COLW = 9
) (
    input wire         clk,
    input wire         rst_n,
    input wire         s_valid,
    input wire         s_end,
    input wire [ 51:0] s_bounds,
    input wire [ 71:0] s_a,
    input wire [ 71:0] s_b,
    input wire [119:0] s_edge,
    input wire [ 83:0] s_lead,
    input wire [ 55:0] s_z,
    input wire [ 39:0] s_dzdx,
    input wire [ 39:0] s_dzdy,
    input wire [ 31:0] s_surface,
    input wire         m_ready
);

  localparam L = $clog2(PPC);
  localparam POS_W = 2 + COLW;
  localparam CARRIED_W = 72 + 72 + 40 + 40 + 32;

  (* anyconst *) reg [51:0] region;
  (* anyconst *) reg [12:0] px;  // a pixel
  (* anyconst *) reg [12:0] py;
  (* anyconst *) reg [3:0] lane;

  wire s_ready, m_valid, m_end, busy, walked, outside, empty;
  wire [COLW-1:0] m_col;
  wire [1:0] m_trow;
  wire [7:0] m_rows;
  wire [PPC-1:0] m_cols;
  wire [89:0] m_edge;
  wire [55:0] m_z;
  wire [CARRIED_W-1:0] m_carried;

  tile_walk #(
      .PPC    (PPC),
      .NUM_ROI(1),
      .COLW   (COLW)
  ) dut (
      .clk         (clk),
      .rst_n       (rst_n),
      .roi_set     (region),
      .s_valid     (s_valid),
      .s_ready     (s_ready),
      .s_end       (s_end),
      .s_bounds    (s_bounds),
      .s_a         (s_a),
      .s_b         (s_b),
      .s_edge      (s_edge),
      .s_lead      (s_lead),
      .s_z         (s_z),
      .s_dzdx      (s_dzdx),
      .s_dzdy      (s_dzdy),
      .s_surface   (s_surface),
      .m_valid     (m_valid),
      .m_ready     (m_ready),
      .m_end       (m_end),
      .m_col       (m_col),
      .m_trow      (m_trow),
      .m_rows      (m_rows),
      .m_cols      (m_cols),
      .m_edge      (m_edge),
      .m_a         (m_carried[184+:72]),
      .m_b         (m_carried[112+:72]),
      .m_z         (m_z),
      .m_dzdx      (m_carried[72+:40]),
      .m_dzdy      (m_carried[32+:40]),
      .m_surface   (m_carried[31:0]),
      .busy        (busy),
      .stat_walked (walked),
      .stat_outside(outside),
      .stat_empty  (empty)
  );

  (* hierconn *) wire \dut.active_reg ;
  (* hierconn *) wire \dut.end_reg ;
  (* hierconn *) wire \dut.step ;
  (* hierconn *) wire \dut.done ;
  (* hierconn *) wire \dut.rejected ;
  (* hierconn *) wire [71:0] \dut.a_reg ;
  (* hierconn *) wire [71:0] \dut.b_reg ;
  (* hierconn *) wire [39:0] \dut.dzdx_reg ;
  (* hierconn *) wire [39:0] \dut.dzdy_reg ;
  (* hierconn *) wire [31:0] \dut.surface_reg ;
  (* hierconn *) wire [3:0] \dut.lane0_reg ;
  (* hierconn *) wire [3:0] \dut.lane1_reg ;
  (* hierconn *) wire [COLW-1:0] \dut.first_reg ;
  (* hierconn *) wire [COLW-1:0] \dut.last_reg ;
  (* hierconn *) wire [1:0] \dut.last_row_reg ;
  (* hierconn *) wire [COLW-1:0] \dut.roi_lo_reg[0] ;
  (* hierconn *) wire [COLW-1:0] \dut.roi_hi_reg[0] ;
  (* hierconn *) wire [31:0] \dut.roi_rows_reg[0] ;
  (* hierconn *) wire [COLW-1:0] \dut.col_reg ;
  (* hierconn *) wire [1:0] \dut.trow_reg ;
  (* hierconn *) wire [COLW-1:0] \dut.start_reg ;
  (* hierconn *) wire \dut.out_valid_reg ;
  wire active = \dut.active_reg ;
  wire [CARRIED_W-1:0] carried = {\dut.a_reg , \dut.b_reg , \dut.dzdx_reg , \dut.dzdy_reg , \dut.surface_reg };
  wire [POS_W-1:0] at = {\dut.trow_reg , \dut.col_reg };
  wire [31:0] roi_rows = \dut.roi_rows_reg[0] ;
  wire load = s_valid & s_ready & rst_n;
  wire step = \dut.step & rst_n;

  // Boxes are {y1, x1, y0, x0}, half open.
  function holds(input [51:0] box);
    holds = box[12:0] <= px && px < box[38:26] && box[25:13] <= py && py < box[51:39];
  endfunction
  function [COLW-1:0] tile_of(input [12:0] x);
    tile_of = x >> L;
  endfunction
  // The first pixel of a tile's lane.
  function [12:0] x_of(input [COLW-1:0] col);
    x_of = (col << L) + lane;
  endfunction

  initial assume (!rst_n);
  always @* begin
    assume (lane < PPC);
    if (s_valid & ~s_end)
      assume (s_bounds[12:0] < s_bounds[38:26] && s_bounds[38:26] <= 13'd4096 && s_bounds[25:13] < s_bounds[51:39]
              && s_bounds[51:39] <= 13'd4096 && s_bounds[25:18] == (s_bounds[51:39] - 13'd1) >> 5);
    if (s_valid & ~s_end) assume (s_surface[31:30] == 0);
  end

  stream_properties #(
      .WIDTH  (1 + 52 + CARRIED_W + 120 + 84 + 56),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_valid),
      .ready  (s_ready),
      .payload({s_end, s_bounds, s_a, s_b, s_dzdx, s_dzdy, s_surface, s_edge, s_lead, s_z})
  );

  stream_properties #(
      .WIDTH(1 + POS_W + 8 + PPC + 90 + 56 + CARRIED_W)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_valid),
      .ready  (m_ready),
      .payload({m_end, m_col, m_trow, m_rows, m_cols, m_edge, m_z, m_carried})
  );

  wire second_leaves;
  pipeline_properties #(
      .WIDTH (33),
      .PLACES(2)
  ) tokens (
      .clk          (clk),
      .rst_n        (rst_n),
      .offered      (s_valid & s_end),
      .enters       (load & s_end),
      .into         ({s_surface, s_end}),
      .valid        ({m_valid & m_end, active & \dut.end_reg }),
      .items        ({m_carried[31:0], m_end, \dut.surface_reg , \dut.end_reg }),
      .leaves       (m_valid & m_end & m_ready & rst_n),
      .advances     (m_ready),
      .first        (),
      .second       (),
      .first_inside (),
      .second_leaves(second_leaves)
  );

  // The triangle that is walked, and the one whose tile comes out.
  reg [51:0] bounds_reg, out_bounds_reg;
  reg begun_reg = 1'b0;  // a tile of the triangle was walked: the last one at before_reg
  reg [POS_W-1:0] before_reg;
  reg any_rejected_reg;  // a tile of the triangle
  reg seen_reg;  // the pixel's tile was walked
  reg [CARRIED_W-1:0] out_carried_reg;
  reg [POS_W-1:0] out_at_reg;
  wire passes = step & ~\dut.end_reg ;
  always @(posedge clk) begin
    if (step) begin
      out_bounds_reg  <= bounds_reg;
      out_carried_reg <= carried;
      out_at_reg      <= at;
    end
    if (passes) begin
      begun_reg  <= 1'b1;
      before_reg <= at;
      if (\dut.rejected ) any_rejected_reg <= 1'b1;
      if (at == {py[4:3], tile_of(px)}) seen_reg <= 1'b1;
    end
    if (load) begin
      bounds_reg       <= s_bounds;
      begun_reg        <= 1'b0;
      any_rejected_reg <= 1'b0;
      seen_reg         <= 1'b0;
    end
  end

  wire tile = m_valid & ~m_end;
  wire [12:0] x = x_of(m_col);
  wire pixel_here = m_col == tile_of(px) && m_trow == py[4:3];
  always @(posedge clk)
    if (rst_n) begin
      // What comes out.
      if (tile) begin
        assert (m_col >= tile_of(out_bounds_reg[12:0]) && m_col <= tile_of(out_bounds_reg[38:26] - 13'd1));
        assert ({out_bounds_reg[25:18], m_trow, 3'd7} >= out_bounds_reg[25:13]);
        assert ({out_bounds_reg[25:18], m_trow, 3'd0} < out_bounds_reg[51:39]);
        assert (m_cols[lane] == (x >= out_bounds_reg[12:0] && x < out_bounds_reg[38:26]));
        assert (m_rows != 0 && m_carried == out_carried_reg && {m_trow, m_col} == out_at_reg);
        if (pixel_here && holds(out_bounds_reg) && holds(region)) assert (m_rows[py[2:0]]);
      end
      // Walked: on, once each.
      if (passes & begun_reg) assert (at > before_reg);
      if (passes & \dut.done & ~any_rejected_reg & ~\dut.rejected & holds(bounds_reg))
        assert (seen_reg || at == {py[4:3], tile_of(px)});
      if (walked) assert ({1'b0, empty} + (outside | tile) == 1);
      else assert (!empty);
      // Never still but for the sink.
      if (~m_valid | m_ready) assert (s_ready | \dut.step );
      assert (busy == (active | \dut.out_valid_reg ));
      // What induction needs.
      if (active & ~\dut.end_reg ) begin
        assert (bounds_reg[12:0] < bounds_reg[38:26] && bounds_reg[38:26] <= 13'd4096
                && bounds_reg[25:13] < bounds_reg[51:39] && bounds_reg[51:39] <= 13'd4096
                && bounds_reg[25:18] == (bounds_reg[51:39] - 13'd1) >> 5);
        assert (\dut.first_reg == tile_of(bounds_reg[12:0]) && \dut.last_reg == tile_of(bounds_reg[38:26] - 13'd1));
        assert (\dut.lane0_reg == (bounds_reg[12:0] & (PPC - 1)));
        assert (\dut.lane1_reg == ((bounds_reg[38:26] - 13'd1) & (PPC - 1)));
        assert ({bounds_reg[25:18], \dut.last_row_reg } == (bounds_reg[51:39] - 13'd1) >> 3);
        assert (\dut.trow_reg >= bounds_reg[17:16] && \dut.trow_reg <= \dut.last_row_reg );
        assert (\dut.first_reg <= \dut.start_reg && \dut.start_reg <= \dut.col_reg && \dut.col_reg <= \dut.last_reg );
        if (begun_reg) assert (at > before_reg);
        assert (carried[31:30] == 0);
        if (~any_rejected_reg) assert (\dut.start_reg == \dut.first_reg );
        if (~any_rejected_reg & holds(bounds_reg) & (at > {py[4:3], tile_of(px)})) assert (seen_reg);
        if (holds(bounds_reg) && holds(region))
          assert (\dut.roi_lo_reg[0] <= tile_of(px) && \dut.roi_hi_reg[0] >= tile_of(px) && roi_rows[py[4:0]]);
      end
      cover (tile & m_ready & begun_reg & (m_trow == 2'd2) & (m_col == tile_of(out_bounds_reg[12:0]) + 1));
      cover (second_leaves & active & ~\dut.end_reg );
      cover (outside & s_valid & ~s_ready);
    end

endmodule

`default_nettype wire
