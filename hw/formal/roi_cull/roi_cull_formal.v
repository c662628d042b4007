// roi_cull: a triangle whose bounds share a pixel with a region in the band is never dropped, and its tightened bounds
// keep every such pixel, within its own bounds and the band. Tokens and the kept records leave once each, unchanged,
// in the order in which they came, and move on in each cycle in which the sink is ready. The statistics count what
// happened. Witness: any pixel of a region in the band. Two records that hold it (or tokens) are marked, by the top
// bits of their payload, which the design never looks at. Whatever else comes is arbitrary.
`default_nettype none

// Proven in its own part, assumed in the later ones.
`define LAW(part, guard, ok) \
  generate if (PART == part) begin always @(posedge clk) if (guard) assert (ok); end \
  else if (PART > part) begin always @(posedge clk) if (guard) assume (ok); end endgenerate

module roi_cull_formal #(
    parameter NUM_ROI = 4,
    // What is proven, given what the lower parts have: 0 the regions found, 1 the marked records kept,
    // 2 the joint box of the regions, 3 the bounds, 4 the flow.
    parameter PART   = 0,
    parameter REGION = 0,  // the region that holds the pixel
    parameter SLICE  = 0   // which 64 bits of the records are followed, 0 to 7
) (
    input wire         clk,
    input wire         rst_n,
    input wire         s_tvalid,
    input wire [511:0] s_tdata,
    input wire         s_tuser,
    input wire         m_tready
);

  (* anyconst *) reg [12:0] px;
  (* anyconst *) reg [12:0] py;
  (* anyconst *) reg [NUM_ROI*52-1:0] roi_set;
  (* anyconst *) reg [12:0] band_y0;

  wire s_tready, m_tvalid, m_tuser, stat_fetched, stat_culled;
  wire [511:0] m_tdata;
  wire [51:0] m_bounds;

  roi_cull #(
      .NUM_ROI(NUM_ROI)
  ) dut (
      .clk         (clk),
      .rst_n       (rst_n),
      .roi_set     (roi_set),
      .band_y0     (band_y0),
      .s_tri_tvalid(s_tvalid),
      .s_tri_tready(s_tready),
      .s_tri_tdata (s_tdata),
      .s_tri_tuser (s_tuser),
      .m_tri_tvalid(m_tvalid),
      .m_tri_tready(m_tready),
      .m_tri_tdata (m_tdata),
      .m_tri_tuser (m_tuser),
      .m_tri_bounds(m_bounds),
      .stat_fetched(stat_fetched),
      .stat_culled (stat_culled)
  );

  // The five places of a record, source first: what induction must know of them.
  (* hierconn *) wire \dut.skid.spare_valid_reg ;
  (* hierconn *) wire [512:0] \dut.skid.spare_reg ;
  (* hierconn *) wire \dut.in_valid ;
  (* hierconn *) wire \dut.in_end ;
  (* hierconn *) wire [511:0] \dut.in_data ;
  (* hierconn *) wire \dut.hit_valid_reg ;
  (* hierconn *) wire \dut.hit_end_reg ;
  (* hierconn *) wire [511:0] \dut.hit_data_reg ;
  (* hierconn *) wire [51:0] \dut.hit_bounds_reg ;
  (* hierconn *) wire [NUM_ROI-1:0] \dut.hit_reg ;
  (* hierconn *) wire \dut.box_valid_reg ;
  (* hierconn *) wire \dut.box_end_reg ;
  (* hierconn *) wire [511:0] \dut.box_data_reg ;
  (* hierconn *) wire [51:0] \dut.box_bounds_reg ;
  (* hierconn *) wire [NUM_ROI*13-1:0] \dut.box_reg ;
  wire [4:0] valid = {m_tvalid, \dut.box_valid_reg , \dut.hit_valid_reg , \dut.in_valid , \dut.skid.spare_valid_reg };
  // A record as an item: {mark, token, the slice that this task follows}.
  function [66:0] item(input token, input [511:0] data);
    item = {data[511:510], token, data[64*SLICE+:64]};
  endfunction
  wire [5*67-1:0] items = {
    item(m_tuser, m_tdata),
    item(\dut.box_end_reg , \dut.box_data_reg ),
    item(\dut.hit_end_reg , \dut.hit_data_reg ),
    item(\dut.in_end , \dut.in_data ),
    item(\dut.skid.spare_reg [512], \dut.skid.spare_reg [511:0])
  };
  wire [4:0] token = {m_tuser, \dut.box_end_reg , \dut.hit_end_reg , \dut.in_end , \dut.skid.spare_reg [512]};

  // Boxes are {y1, x1, y0, x0}, half open.
  wire [51:0] band = {band_y0 + 13'd32, 13'h1fff, band_y0, 13'd0};
  function [51:0] bounds_of(input [61:0] r);
    bounds_of = {r[60:48], r[44:32], r[28:16], r[12:0]};
  endfunction
  function holds(input [51:0] box);
    holds = box[12:0] <= px && px < box[38:26] && box[25:13] <= py && py < box[51:39];
  endfunction
  function within(input [51:0] box, input [51:0] outer);
    within = box[12:0] >= outer[12:0] && box[25:13] >= outer[25:13]
          && box[38:26] <= outer[38:26] && box[51:39] <= outer[51:39];
  endfunction
  // Within the record's own bounds and the band.
  function inside_of(input [51:0] box, input [61:0] r);
    inside_of = within(box, bounds_of(r)) && within(box, band);
  endfunction

  initial assume (!rst_n);

  wire in_record = \dut.in_valid & ~\dut.in_end ;
  always @* begin
    assume (px < 13'd4096 && band_y0 < 13'd4096 && band_y0[4:0] == 0 && py >= band_y0 && py < band_y0 + 13'd32);
    assume (holds(roi_set[52*REGION+:52]));
    // A marked record holds the pixel; behind the skid buffer it is as it came.
    if (PART == 1 && in_record && \dut.in_data [511:510] != 0) assume (holds(bounds_of(\dut.in_data )));
  end

  stream_properties #(
      .WIDTH  (513),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tuser, s_tdata})
  );

  stream_properties #(
      .WIDTH(67 + 52)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({item(m_tuser, m_tdata), PART == 3 ? m_bounds : 52'd0})
  );

  wire takes = s_tvalid & s_tready & rst_n;
  wire leaves = m_tvalid & m_tready & rst_n;
  wire first_inside, second_leaves;
  reg up_reg = 1'b0;
  reg moves_reg = 1'b0;
  reg [3:0] fetched_reg = 4'd0;  // records, modulo 16
  reg [3:0] culled_reg = 4'd0;
  reg [3:0] left_reg = 4'd0;
  wire [3:0] inside = (valid[2] & ~token[2]) + (valid[3] & ~token[3]) + (valid[4] & ~token[4]);
  generate
    if (PART == 4) begin : g_flow
      wire [66:0] first, second;

      pipeline_properties #(
          .WIDTH (67),
          .PLACES(5)
      ) flow (
          .clk          (clk),
          .rst_n        (rst_n),
          .offered      (s_tvalid),
          .enters       (takes),
          .into         (item(s_tuser, s_tdata)),
          .valid        (valid),
          .items        (items),
          .leaves       (leaves),
          .advances     (m_tready),
          .first        (first),
          .second       (second),
          .first_inside (first_inside),
          .second_leaves(second_leaves)
      );

      always @(posedge clk) begin
        up_reg    <= rst_n;
        moves_reg <= rst_n & m_tready;
        if (!rst_n) begin
          fetched_reg <= 4'd0;
          culled_reg  <= 4'd0;
          left_reg    <= 4'd0;
        end else begin
          fetched_reg <= fetched_reg + stat_fetched;
          culled_reg  <= culled_reg + stat_culled;
          left_reg    <= left_reg + (leaves & ~m_tuser);
          if (moves_reg & up_reg) assert (s_tready);  // a record a clock
          assert (valid[1] || !valid[0]);
          assert (up_reg ? s_tready == ~valid[0] : !s_tready && valid == 0);
          assert (fetched_reg + stat_fetched == culled_reg + stat_culled + left_reg + inside);
          cover (second_leaves & ~m_tuser & (m_bounds != bounds_of(m_tdata)));
          cover (stat_culled & first_inside);
          cover (second_leaves & m_tuser & ~first[64]);
        end
      end
    end
  endgenerate

  // The geometry, from place to place.
  reg [51:0] joint;
  integer n;
  always @* begin
    joint = {13'd0, 13'd0, 13'h1fff, 13'h1fff};
    for (n = 0; n < NUM_ROI / 4; n = n + 1) begin
      if (\dut.box_reg [52*n+:13] < joint[12:0]) joint[12:0] = \dut.box_reg [52*n+:13];
      if (\dut.box_reg [52*n+13+:13] < joint[25:13]) joint[25:13] = \dut.box_reg [52*n+13+:13];
      if (\dut.box_reg [52*n+26+:13] > joint[38:26]) joint[38:26] = \dut.box_reg [52*n+26+:13];
      if (\dut.box_reg [52*n+39+:13] > joint[51:39]) joint[51:39] = \dut.box_reg [52*n+39+:13];
    end
  end
  wire hit = rst_n & valid[2] & ~token[2];
  wire box = rst_n & valid[3] & ~token[3];
  wire kept = rst_n & valid[4] & ~token[4];
  wire hit_holds = !holds(bounds_of(\dut.hit_data_reg )) || holds(\dut.hit_bounds_reg );
  wire hit_within = inside_of(\dut.hit_bounds_reg , \dut.hit_data_reg [61:0]);
  wire hit_found = !holds(bounds_of(\dut.hit_data_reg )) || \dut.hit_reg [REGION];
  wire hit_marked = hit & (\dut.hit_data_reg [511:510] != 0);
  wire marked_holds = holds(bounds_of(\dut.hit_data_reg ));
  wire marked_stays = \dut.hit_reg != 0;
  wire box_holds = !holds(bounds_of(\dut.box_data_reg )) || holds(\dut.box_bounds_reg );
  wire box_within = inside_of(\dut.box_bounds_reg , \dut.box_data_reg [61:0]);
  wire box_found = !holds(bounds_of(\dut.box_data_reg )) || holds(joint);
  wire kept_found = !holds(bounds_of(m_tdata)) || holds(m_bounds);
  wire passes = rst_n & m_tvalid & m_tuser;
  wire no_bounds = m_bounds == 52'd0;
  wire kept_within = inside_of(m_bounds, m_tdata[61:0]);
  `LAW(0, hit, hit_found)
  `LAW(1, hit, hit_holds)
  `LAW(1, hit, hit_within)
  `LAW(1, hit_marked, marked_holds)
  `LAW(1, hit_marked, marked_stays)
  `LAW(2, box, box_holds)
  `LAW(2, box, box_within)
  `LAW(2, box, box_found)
  `LAW(3, kept, kept_found)
  `LAW(3, kept, kept_within)
  `LAW(3, passes, no_bounds)

endmodule

`default_nettype wire
