// tile_origin: triangles and tokens come out once each, in order, with the bounds, the surface and the depth steps that
// they came with, and move on in each cycle in which the sink is ready; what is offered stays until it is taken. Two are
// marked, by the top bits of the surface, which the design only carries. Edges and depth are left to the bench: the
// products are followed by no solver.
`default_nettype none

module tile_origin_formal #(
    parameter PPC = 8
) (
    input wire         clk,
    input wire         rst_n,
    input wire         s_tvalid,
    input wire [511:0] s_tdata,
    input wire         s_tuser,
    input wire [ 51:0] s_bounds,
    input wire         m_ready
);

  localparam ITEM_W = 165;

  wire s_tready, m_valid, m_end, busy;
  wire [51:0] m_bounds;
  wire [71:0] m_a;
  wire [71:0] m_b;
  wire [119:0] m_edge;
  wire [83:0] m_lead;
  wire [55:0] m_z;
  wire [39:0] m_dzdx;
  wire [39:0] m_dzdy;
  wire [31:0] m_surface;

  tile_origin #(
      .PPC(PPC)
  ) dut (
      .clk      (clk),
      .rst_n    (rst_n),
      .s_tvalid (s_tvalid),
      .s_tready (s_tready),
      .s_tdata  (s_tdata),
      .s_tuser  (s_tuser),
      .s_bounds (s_bounds),
      .m_valid  (m_valid),
      .m_ready  (m_ready),
      .m_end    (m_end),
      .m_bounds (m_bounds),
      .m_a      (m_a),
      .m_b      (m_b),
      .m_edge   (m_edge),
      .m_lead   (m_lead),
      .m_z      (m_z),
      .m_dzdx   (m_dzdx),
      .m_dzdy   (m_dzdy),
      .m_surface(m_surface),
      .busy     (busy)
  );

  (* hierconn *) wire \dut.in_valid_reg ;
  (* hierconn *) wire \dut.in_end_reg ;
  (* hierconn *) wire [511:0] \dut.in_data_reg ;
  (* hierconn *) wire [51:0] \dut.in_bounds_reg ;
  (* hierconn *) wire \dut.mul_valid_reg ;
  (* hierconn *) wire \dut.mul_end_reg ;
  (* hierconn *) wire [51:0] \dut.mul_bounds_reg ;
  (* hierconn *) wire [39:0] \dut.mul_dzdx_reg ;
  (* hierconn *) wire [39:0] \dut.mul_dzdy_reg ;
  (* hierconn *) wire [31:0] \dut.mul_surface_reg ;
  wire [2:0] valid = {m_valid, \dut.mul_valid_reg , \dut.in_valid_reg };

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (565),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tuser, s_bounds, s_tdata})
  );

  stream_properties #(
      .WIDTH(569)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_valid),
      .ready  (m_ready),
      .payload({m_end, m_bounds, m_a, m_b, m_edge, m_lead, m_z, m_dzdx, m_dzdy, m_surface})
  );

  // The mark first.
  function [ITEM_W-1:0] item(input token, input [51:0] bounds, input [79:0] steps, input [31:0] surface);
    item = {surface, token, bounds, steps};
  endfunction
  wire second_leaves;

  pipeline_properties #(
      .WIDTH (ITEM_W),
      .PLACES(3)
  ) flow (
      .clk          (clk),
      .rst_n        (rst_n),
      .offered      (s_tvalid),
      .enters       (s_tvalid & s_tready),
      .into         (item(s_tuser, s_bounds, s_tdata[439:360], s_tdata[95:64])),
      .valid        (valid),
      .items        ({item(m_end, m_bounds, {m_dzdy, m_dzdx}, m_surface),
                      item(\dut.mul_end_reg , \dut.mul_bounds_reg , {\dut.mul_dzdy_reg , \dut.mul_dzdx_reg },
                           \dut.mul_surface_reg ),
                      item(\dut.in_end_reg , \dut.in_bounds_reg , \dut.in_data_reg [439:360],
                           \dut.in_data_reg [95:64])}),
      .leaves       (m_valid & m_ready & rst_n),
      .advances     (m_ready),
      .first        (),
      .second       (),
      .first_inside (),
      .second_leaves(second_leaves)
  );

  always @(posedge clk)
    if (rst_n) begin
      if (m_ready) assert (s_tready);  // a triangle a clock
      assert (busy == (valid != 0));
      cover (second_leaves & (valid == 3'b111) & m_end);
    end

endmodule

`default_nettype wire
