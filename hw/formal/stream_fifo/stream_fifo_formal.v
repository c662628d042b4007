// stream_fifo: both sides keep the handshake rules, nothing is lost, doubled or overtaken, `count` is what went in
// less what came out, exactly DEPTH beats fit, and a beat that
// is inside is offered at the latest one cycle after the previous one left.
`default_nettype none

module stream_fifo_formal #(
    parameter WIDTH = 2,
    parameter DEPTH = 4
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
  wire [$clog2(DEPTH):0] count;

  stream_fifo #(
      .WIDTH(WIDTH),
      .DEPTH(DEPTH)
  ) dut (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(s_tvalid),
      .s_tready(s_tready),
      .s_tdata (s_tdata),
      .m_tvalid(m_tvalid),
      .m_tready(m_tready),
      .m_tdata (m_tdata),
      .count   (count)
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
      .CAPACITY(DEPTH)
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

  reg [$clog2(DEPTH):0] held_reg = 0;
  reg                   up_reg = 1'b0;
  reg                   kept_reg = 1'b0;  // a beat was inside and none left
  reg [1:0]             streak_reg = 2'd0;
  always @(posedge clk) begin
    up_reg     <= rst_n;
    held_reg   <= rst_n ? held_reg + (s_tvalid & s_tready) - (m_tvalid & m_tready) : 0;
    kept_reg   <= rst_n & (held_reg != 0) & ~(m_tvalid & m_tready);
    streak_reg <= rst_n & s_tvalid & s_tready & m_tvalid & m_tready ? streak_reg + (streak_reg != 2'd3) : 2'd0;
    if (rst_n & up_reg) begin
      assert (count == held_reg);
      assert (s_tready == (held_reg != DEPTH));
      if (kept_reg) assert (m_tvalid);
    end
    cover (streak_reg == 2'd3);  // a beat a clock
    cover (rst_n & held_reg == DEPTH);
  end

endmodule

`default_nettype wire
