// surface_shade: every beat that goes in comes out once, in order, with its keep, user and last, and with its own
// pixels: the pixels carry a copy of the beat's side signals, which must come out with them, as depth or as lit colour
// (without a table, which would change it). `hold` stops the input and nothing else; a beat a clock; `busy` is "a beat
// is inside".
`default_nettype none

module surface_shade_formal #(
    parameter PPC = 2
) (
    input wire                clk,
    input wire                rst_n,
    input wire                mat_we,
    input wire [         3:0] mat_waddr,
    input wire [       511:0] mat_wdata,
    input wire                use_table,
    input wire                hold,
    input wire                s_tvalid,
    input wire [     PPC-1:0] s_tkeep,
    input wire [        13:0] s_tuser,
    input wire                s_tlast,
    input wire [  8*PPC-1:0] s_material,
    input wire                m_tready
);

  localparam SIDE_W = PPC + 15;

  (* anyconst *) reg depth_out;
  wire busy, s_tready, m_tvalid, m_tlast;
  wire [PPC*32-1:0] m_tdata;
  wire [PPC-1:0] m_tkeep;
  wire [13:0] m_tuser;

  // What pixel n of a beat holds.
  function [23:0] copy(input [13:0] user, input integer n);
    copy = {2'd0, n[7:0], user};
  endfunction

  reg [PPC*56-1:0] s_tdata;
  integer n;
  always @*
    for (n = 0; n < PPC; n = n + 1)
      s_tdata[56*n+:56] = {copy(s_tuser, n), s_material[8*n+:8], copy(s_tuser, n)};

  surface_shade #(
      .PPC(PPC)
  ) dut (
      .clk           (clk),
      .rst_n         (rst_n),
      .mat_we        (mat_we),
      .mat_waddr     (mat_waddr),
      .mat_wdata     (mat_wdata),
      .use_table     (use_table),
      .cfg_background(32'd0),
      .cfg_depth_out (depth_out),
      .hold          (hold),
      .busy          (busy),
      .s_axis_tvalid (s_tvalid),
      .s_axis_tready (s_tready),
      .s_axis_tdata  (s_tdata),
      .s_axis_tkeep  (s_tkeep),
      .s_axis_tuser  (s_tuser),
      .s_axis_tlast  (s_tlast),
      .m_axis_tvalid (m_tvalid),
      .m_axis_tready (m_tready),
      .m_axis_tdata  (m_tdata),
      .m_axis_tkeep  (m_tkeep),
      .m_axis_tuser  (m_tuser),
      .m_axis_tlast  (m_tlast)
  );

  (* hierconn *) wire \dut.read_valid_reg ;
  (* hierconn *) wire \dut.mul_valid_reg ;
  (* hierconn *) wire \dut.awake_reg ;
  (* hierconn *) wire [SIDE_W-1:0] \dut.read_side_reg ;
  (* hierconn *) wire [SIDE_W-1:0] \dut.mul_side_reg ;
  (* hierconn *) wire [PPC*56-1:0] \dut.read_reg ;
  (* hierconn *) wire [PPC*56-1:0] \dut.mul_reg ;
  wire [2:0] valid = {m_tvalid, \dut.mul_valid_reg , \dut.read_valid_reg };

  initial assume (!rst_n);
  always @* if (!depth_out) assume (!use_table);

  stream_properties #(
      .WIDTH  (PPC * 8 + SIDE_W),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_material, s_tkeep, s_tuser, s_tlast})
  );

  stream_properties #(
      .WIDTH(PPC * 32 + SIDE_W)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({m_tdata, m_tkeep, m_tuser, m_tlast})
  );

  // The mark is in the upper bits of `user`, which this module only carries.
  function [SIDE_W-1:0] item(input [SIDE_W-1:0] side);
    item = {side[14:13], side[SIDE_W-1:15], side[12:0]};
  endfunction
  wire second_leaves;

  pipeline_properties #(
      .WIDTH (SIDE_W),
      .PLACES(3)
  ) flow (
      .clk          (clk),
      .rst_n        (rst_n),
      .offered      (s_tvalid),
      .enters       (s_tvalid & s_tready & rst_n),
      .into         (item({s_tkeep, s_tuser, s_tlast})),
      .valid        (valid),
      .items        ({item({m_tkeep, m_tuser, m_tlast}), item(\dut.mul_side_reg ), item(\dut.read_side_reg )}),
      .leaves       (m_tvalid & m_tready & rst_n),
      .advances     (m_tready),
      .first        (),
      .second       (),
      .first_inside (),
      .second_leaves(second_leaves)
  );

  integer i;
  wire read_kept = valid[0] & (\dut.read_side_reg [SIDE_W-1:15] != 0);
  wire mul_kept = valid[1] & (\dut.mul_side_reg [SIDE_W-1:15] != 0);
  wire out_kept = valid[2] & (m_tkeep != 0);
  always @(posedge clk)
    if (rst_n) begin
      if (hold) assert (!s_tready);
      if (m_tready & \dut.awake_reg & ~hold) assert (s_tready);
      assert (busy == (valid != 0));
      for (i = 0; i < PPC; i = i + 1) begin
        if (read_kept) begin
          assert (\dut.read_reg [56*i+32+:24] == copy(\dut.read_side_reg [14:1], i));
          assert (\dut.read_reg [56*i+:24] == copy(\dut.read_side_reg [14:1], i));
        end
        if (mul_kept) begin
          assert (\dut.mul_reg [56*i+32+:24] == copy(\dut.mul_side_reg [14:1], i));
          assert (\dut.mul_reg [56*i+:24] == copy(\dut.mul_side_reg [14:1], i));
        end
        if (out_kept & depth_out) assert (m_tdata[32*i+:24] == copy(m_tuser, i));
        if (out_kept & ~depth_out)
          assert ({m_tdata[32*i+:8], m_tdata[32*i+8+:8], m_tdata[32*i+16+:8]} == copy(m_tuser, i)
                  && m_tdata[32*i+24+:8] == 8'd255);
      end
      cover (second_leaves & hold & (m_tkeep == 1) & ~depth_out);
      cover (second_leaves & (valid == 3'b111) & (m_tkeep == 0));
    end

endmodule

`default_nettype wire
