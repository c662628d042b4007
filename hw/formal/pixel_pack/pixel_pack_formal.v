// pixel_pack: the kept pixels come out once each, unchanged, in raster order, packed without a gap from the lowest
// lane: the beat that is not full is the last. `drained` is exactly "nothing is held". Beats pass one a clock. One
// kept pixel is marked when it enters, in a beat and a lane that the solver picks; `ahead` counts the pixels that must
// leave first.
`default_nettype none

module pixel_pack_formal #(
    parameter PPC   = 4,
    parameter PIX_W = 4
) (
    input wire                 clk,
    input wire                 rst_n,
    input wire                 flush,
    input wire                 s_tvalid,
    input wire [PPC*PIX_W-1:0] s_tdata,
    input wire [      PPC-1:0] s_tkeep,
    input wire                 m_tready,
    input wire                 mark
);

  localparam COUNT_W = $clog2(PPC) + 1;
  localparam LEFT_W = COUNT_W + 2;  // counts the pixels inside

  (* anyconst *) reg [COUNT_W-1:0] lane;  // of the marked pixel in its beat
  wire s_tready, drained, m_tvalid;
  wire [PPC*PIX_W-1:0] m_tdata;
  wire [PPC-1:0] m_tkeep;

  pixel_pack #(
      .PPC  (PPC),
      .PIX_W(PIX_W)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .flush        (flush),
      .drained      (drained),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .s_axis_tdata (s_tdata),
      .s_axis_tkeep (s_tkeep),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready),
      .m_axis_tdata (m_tdata),
      .m_axis_tkeep (m_tkeep)
  );

  // What induction must know of the stages.
  (* hierconn *) wire \dut.in_valid_reg ;
  (* hierconn *) wire [PPC*PIX_W-1:0] \dut.in_data_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.in_keep_reg ;
  (* hierconn *) wire [PPC*COUNT_W-1:0] \dut.in_holes_reg ;
  (* hierconn *) wire [COUNT_W-1:0] \dut.in_count_reg ;
  (* hierconn *) wire \dut.dense_valid_reg ;
  (* hierconn *) wire [PPC*PIX_W-1:0] \dut.dense_data_reg ;
  (* hierconn *) wire [COUNT_W-1:0] \dut.dense_count_reg ;
  (* hierconn *) wire [PPC*PIX_W-1:0] \dut.rest_reg ;
  (* hierconn *) wire [COUNT_W-1:0] \dut.fill_reg ;
  (* hierconn *) wire \dut.awake_reg ;

  function [COUNT_W-1:0] ones(input [PPC-1:0] mask);
    integer n;
    begin
      ones = 0;
      for (n = 0; n < PPC; n = n + 1) ones = ones + mask[n];
    end
  endfunction
  function [PIX_W-1:0] pixel(input [PPC*PIX_W-1:0] data, input [LEFT_W-1:0] n);
    pixel = data >> (PIX_W * n);
  endfunction

  initial assume (!rst_n);
  reg flushing_reg = 1'b0;
  always @* begin
    assume (lane < PPC);
    // No beat comes any more; the level stays until the next frame begins, which finds nothing held.
    if (flush) assume (!s_tvalid);
    if (flushing_reg & !drained) assume (flush);
  end

  stream_properties #(
      .WIDTH  (PPC * PIX_W + PPC),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tkeep, s_tdata})
  );

  stream_properties #(
      .WIDTH(PPC * PIX_W + PPC)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({m_tkeep, m_tdata})
  );

  wire takes = s_tvalid & s_tready & rst_n;
  wire leaves = m_tvalid & m_tready & rst_n;
  wire [LEFT_W-1:0] came = takes ? ones(s_tkeep) : 0;
  wire [LEFT_W-1:0] went = leaves ? ones(m_tkeep) : 0;
  wire here = takes & mark & s_tkeep[lane];
  reg [LEFT_W-1:0] inside_reg = 0;
  reg [LEFT_W-1:0] ahead_reg = 0;
  reg marked_reg = 1'b0;
  reg seen_reg = 1'b0;
  reg [PIX_W-1:0] pixel_reg;
  wire goes = marked_reg & ~seen_reg & leaves & (ahead_reg < went);
  always @(posedge clk) begin
    if (!rst_n) begin
      inside_reg   <= 0;
      marked_reg   <= 1'b0;
      seen_reg     <= 1'b0;
      flushing_reg <= 1'b0;
    end else begin
      flushing_reg <= flush;
      inside_reg   <= inside_reg + came - went;
      if (here & ~marked_reg) begin
        marked_reg <= 1'b1;
        pixel_reg  <= pixel(s_tdata, lane);
        ahead_reg  <= inside_reg - went + ones(s_tkeep & ~({PPC{1'b1}} << lane));
      end else if (marked_reg & ~seen_reg) ahead_reg <= ahead_reg - went;
      if (goes) seen_reg <= 1'b1;
    end
  end

  // The places of the marked pixel: counted from the pixels before each stage.
  wire held = marked_reg & ~seen_reg;
  wire [LEFT_W-1:0] out_n = m_tvalid ? ones(m_tkeep) : 0;
  wire [LEFT_W-1:0] fill_n = \dut.fill_reg ;
  wire [LEFT_W-1:0] dense_n = \dut.dense_valid_reg ? \dut.dense_count_reg : 0;
  wire [LEFT_W-1:0] in_n = \dut.in_valid_reg ? ones(\dut.in_keep_reg ) : 0;
  wire [LEFT_W-1:0] in_ahead = ahead_reg - out_n - fill_n - dense_n;
  reg [PIX_W-1:0] in_pixel;
  reg [COUNT_W-1:0] holes;
  reg holes_right;
  integer i;
  always @* begin
    in_pixel = 0;
    holes = 0;
    holes_right = 1'b1;
    for (i = 0; i < PPC; i = i + 1) begin
      if (\dut.in_keep_reg [i] && i - holes == in_ahead) in_pixel = \dut.in_data_reg [PIX_W*i+:PIX_W];
      holes_right = holes_right && \dut.in_holes_reg [COUNT_W*i+:COUNT_W] == holes;
      holes = holes + !\dut.in_keep_reg [i];
    end
  end

  always @(posedge clk)
    if (rst_n) begin
      if (goes) assert (pixel(m_tdata, ahead_reg) == pixel_reg);
      if (m_tvalid) assert (m_tkeep != 0 && (m_tkeep & (m_tkeep + 1)) == 0);  // from the lowest lane
      if (m_tvalid & !(&m_tkeep)) assert (flush && inside_reg == out_n);
      assert (drained == (inside_reg == 0));
      if (m_tready & \dut.awake_reg ) assert (s_tready);
      // What induction needs.
      assert (inside_reg == out_n + fill_n + dense_n + in_n);
      assert (\dut.fill_reg < PPC);
      if (\dut.dense_valid_reg ) assert (\dut.dense_count_reg != 0 && \dut.dense_count_reg <= PPC);
      if (\dut.in_valid_reg ) assert (\dut.in_keep_reg != 0 && holes_right
              && \dut.in_count_reg == ones(\dut.in_keep_reg ));
      if (seen_reg) assert (marked_reg);
      if (held) begin
        assert (ahead_reg < inside_reg);
        if (ahead_reg < out_n) assert (pixel(m_tdata, ahead_reg) == pixel_reg);
        else if (ahead_reg < out_n + fill_n) assert (pixel(\dut.rest_reg , ahead_reg - out_n) == pixel_reg);
        else if (ahead_reg < out_n + fill_n + dense_n)
          assert (pixel(\dut.dense_data_reg , ahead_reg - out_n - fill_n) == pixel_reg);
        else assert (in_pixel == pixel_reg);
      end
      cover (goes & ~(&m_tkeep) & (ahead_reg == PPC - 2));
      cover (goes & (&m_tkeep) & (lane == PPC - 1) & (ahead_reg == 1));
      cover (inside_reg == 4 * PPC - 1);
    end

endmodule

`default_nettype wire
