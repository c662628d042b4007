// write_firewall: whatever the engine does (its reset, requests and beats are free in every cycle; it asks only for
// bursts inside a page whose beats are buffered), the memory sees the AXI4 write rules. A burst that is abandoned is
// completed, without strobes but for a beat that was shown before; beats of the engine leave once, in order. With a
// slave that takes and answers, an abandoned port is drained and open again.
`default_nettype none

module write_firewall_formal #(
    parameter DATA_W      = 32,
    parameter OUTSTANDING = 2,
    parameter FIFO_DEPTH  = 4,
    parameter LIVE        = 0,
    parameter FAIR        = 1
) (
    input wire                clk,
    input wire                rst_n,
    input wire                port_rst_n,
    input wire                beat_valid,
    input wire [  DATA_W-1:0] beat_data,
    input wire [DATA_W/8-1:0] beat_strb,
    input wire                req_valid,
    input wire [        63:0] req,
    input wire [         7:0] req_len,
    input wire                awready,
    input wire                wready,
    input wire [         1:0] bresp,
    input wire                bvalid,
    input wire [        31:0] timeout,
    input wire                mark
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);

  wire beat_ready;
  wire req_ready;
  wire sent;
  wire answered;
  wire owed;
  wire undrained;
  wire timed_out;
  wire [63:0] awaddr;
  wire [7:0] awlen;
  wire awvalid;
  wire [DATA_W-1:0] wdata;
  wire [BYTES-1:0] wstrb;
  wire wlast;
  wire wvalid;
  wire bready;

  write_firewall #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(OUTSTANDING),
      .FIFO_DEPTH (FIFO_DEPTH)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .beat_valid   (beat_valid),
      .beat_ready   (beat_ready),
      .beat_data    (beat_data),
      .beat_strb    (beat_strb),
      .req_valid    (req_valid),
      .req_ready    (req_ready),
      .req_addr     (req[63:LB]),
      .req_len      (req_len),
      .sent         (sent),
      .answered     (answered),
      .owed         (owed),
      .undrained    (undrained),
      .timed_out    (timed_out),
      .timeout      (timeout),
      .m_axi_awaddr (awaddr),
      .m_axi_awlen  (awlen),
      .m_axi_awvalid(awvalid),
      .m_axi_awready(awready),
      .m_axi_wdata  (wdata),
      .m_axi_wstrb  (wstrb),
      .m_axi_wlast  (wlast),
      .m_axi_wvalid (wvalid),
      .m_axi_wready (wready),
      .m_axi_bvalid (bvalid),
      .m_axi_bready (bready)
  );

  wire takes = beat_valid & beat_ready;
  wire asks = req_valid & req_ready;
  wire sends = wvalid & wready;
  reg [3:0] spare_reg = 4'd0;  // beats of the engine that no request speaks of

  initial assume (!rst_n && !port_rst_n);
  always @* begin
    assume (port_rst_n || !rst_n);  // the port's reset is the engine's, too
    assume ({1'b0, req[11:0]} + ({5'd0, req_len} + 13'd1) * BYTES <= 13'd4096 && req[LB-1:0] == 0);
    assume (!(req_valid & req_ready) || {4'd0, spare_reg} > req_len);
  end

  axi4_write_properties #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(OUTSTANDING)
  ) port (
      .clk    (clk),
      .rst_n  (port_rst_n),
      .awaddr (awaddr),
      .awlen  (awlen),
      .awsize (LB[2:0]),
      .awburst(2'b01),
      .awvalid(awvalid),
      .awready(awready),
      .wdata  (wdata),
      .wstrb  (wstrb),
      .wlast  (wlast),
      .wvalid (wvalid),
      .wready (wready),
      .bresp  (bresp),
      .bvalid (bvalid),
      .bready (bready)
  );

  order_properties #(
      .WIDTH   (DATA_W + BYTES),
      .CAPACITY(FIFO_DEPTH)
  ) order (
      .clk         (clk),
      .rst_n       (rst_n & ~timed_out),
      .mark        (mark),
      .push        (takes),
      .into        ({beat_strb, beat_data}),
      .note        (1'b0),
      .pop         (sent),
      .out         ({wstrb, wdata}),
      .leaves      (),
      .held        (),
      .leaving_note()
  );

  reg dropped_reg = 1'b0;  // an engine was reset while answers were owed, since the port's reset
  reg shown_reg = 1'b0;
  always @(posedge clk) begin
    shown_reg <= wvalid & ~wready;
    if (!port_rst_n) dropped_reg <= 1'b0;
    else if (!rst_n & owed & wvalid & ~wready) dropped_reg <= 1'b1;
    if (!rst_n | timed_out) spare_reg <= 4'd0;
    else spare_reg <= spare_reg + takes - (asks ? req_len + 1 : 0);
    if (port_rst_n) begin
      if (!rst_n) assert (!takes && !asks);
      if (undrained) assert (!takes && !asks && !sent && !answered && !owed);
      if (undrained & wvalid & ~shown_reg) assert (wstrb == 0);
      if (rst_n & ~timed_out & ~undrained) assert (sends == sent);
      cover (dropped_reg & rst_n & sent & wlast & (wstrb != 0));
      cover (timed_out & undrained & sends);
    end
  end

  generate
    if (LIVE) begin : live
      reg [3:0] aw_wait_reg = 0;
      reg [3:0] w_wait_reg = 0;
      reg [3:0] b_wait_reg = 0;
      reg [5:0] drain_reg = 0;
      reg [2:0] shut_reg = 0;
      always @(posedge clk) begin
        aw_wait_reg <= port_rst_n & awvalid & ~awready ? aw_wait_reg + 1 : 0;
        w_wait_reg  <= port_rst_n & wvalid & ~wready ? w_wait_reg + 1 : 0;
        b_wait_reg  <= port_rst_n & bready & ~bvalid & ~awvalid & ~wvalid ? b_wait_reg + 1 : 0;
        drain_reg   <= undrained ? drain_reg + 1 : 0;
        shut_reg    <= rst_n & ~timed_out & ~undrained & ~owed & (spare_reg == 0) & ~beat_ready ? shut_reg + 1 : 0;
        assume (aw_wait_reg <= FAIR && w_wait_reg <= FAIR && b_wait_reg <= FAIR + 2);
        assert (drain_reg <= (FIFO_DEPTH + OUTSTANDING) * (FAIR + 3));
        assert (shut_reg <= 2);
      end
    end
  endgenerate

endmodule

`default_nettype wire
