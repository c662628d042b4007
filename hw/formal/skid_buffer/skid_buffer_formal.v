// skid_buffer: both sides keep the handshake rules, nothing is lost, doubled or overtaken, and an input that
// waits is let in as soon as the output moves (a beat a clock).
`default_nettype none

module skid_buffer_formal #(
    parameter WIDTH = 2
) (
    input wire             clk,
    input wire             rst_n,
    input wire             s_tvalid,
    input wire [WIDTH-1:0] s_tdata,
    input wire             m_tready,
    input wire             mark
);

  wire             s_tready;
  wire             m_tvalid;
  wire [WIDTH-1:0] m_tdata;

  skid_buffer #(
      .WIDTH(WIDTH)
  ) dut (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(s_tvalid),
      .s_tready(s_tready),
      .s_tdata (s_tdata),
      .m_tvalid(m_tvalid),
      .m_tready(m_tready),
      .m_tdata (m_tdata)
  );

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (WIDTH),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload(s_tdata)
  );

  stream_properties #(
      .WIDTH(WIDTH)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload(m_tdata)
  );

  order_properties #(
      .WIDTH   (WIDTH),
      .CAPACITY(2)
  ) order (
      .clk  (clk),
      .rst_n(rst_n),
      .mark (mark),
      .push (s_tvalid & s_tready & rst_n),
      .into (s_tdata),
      .note (1'b0),
      .pop  (m_tvalid & m_tready),
      .out  (m_tdata)
  );

  // Two cycles after reset, ready follows the output's movement by one cycle.
  reg [1:0] up_reg = 2'd0;
  reg       moved_reg;
  reg [1:0] streak_reg = 2'd0;
  always @(posedge clk) begin
    up_reg     <= rst_n ? {up_reg[0], 1'b1} : 2'd0;
    moved_reg  <= m_tready;
    streak_reg <= rst_n & s_tvalid & s_tready & m_tvalid & m_tready ? streak_reg + (streak_reg != 2'd3) : 2'd0;
    if (rst_n & up_reg[1] & moved_reg) assert (s_tready);
    cover (streak_reg == 2'd3);  // a beat a clock
    cover (rst_n & up_reg[1] & ~s_tready);  // the spare is taken
  end

endmodule

`default_nettype wire
