// read_firewall: whatever the engine does (its reset, its requests and its readiness are free in every cycle, its
// requests only well-formed), the memory sees the AXI4 read rules. The engine gets a beat for each beat that it asked
// for since its reset, and none of before. With a slave that answers, an abandoned port is drained and open again.
`default_nettype none

module read_firewall_formal #(
    parameter DATA_W = 32,
    parameter BEATS  = 2,
    parameter LIVE   = 0,
    parameter FAIR   = 1
) (
    input wire              clk,
    input wire              rst_n,
    input wire              port_rst_n,
    input wire              req_valid,
    input wire [      63:0] req,
    input wire [       7:0] req_len,
    input wire              beat_ready,
    input wire              arready,
    input wire [DATA_W-1:0] rdata,
    input wire [       1:0] rresp,
    input wire              rlast,
    input wire              rvalid,
    input wire [      31:0] timeout
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam CW = $clog2(BEATS + 2);

  wire req_ready;
  wire beat_valid;
  wire undrained;
  wire timed_out;
  wire [63:0] araddr;
  wire [7:0] arlen;
  wire arvalid;
  wire rready;

  read_firewall #(
      .DATA_W(DATA_W),
      .BEATS (BEATS)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .req_valid    (req_valid),
      .req_ready    (req_ready),
      .req_addr     (req[63:LB]),
      .req_len      (req_len),
      .beat_valid   (beat_valid),
      .beat_ready   (beat_ready),
      .undrained    (undrained),
      .timed_out    (timed_out),
      .timeout      (timeout),
      .m_axi_araddr (araddr),
      .m_axi_arlen  (arlen),
      .m_axi_arvalid(arvalid),
      .m_axi_arready(arready),
      .m_axi_rvalid (rvalid),
      .m_axi_rready (rready)
  );

  initial assume (!rst_n && !port_rst_n);
  always @* begin
    assume (port_rst_n || !rst_n);  // the port's reset is the engine's, too
    assume ({1'b0, req[11:0]} + ({5'd0, req_len} + 13'd1) * BYTES <= 13'd4096 && req[LB-1:0] == 0);
    assume (req_len < BEATS);
  end

  axi4_read_properties #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(BEATS)
  ) port (
      .clk    (clk),
      .rst_n  (port_rst_n),
      .araddr (araddr),
      .arlen  (arlen),
      .arsize (LB[2:0]),
      .arburst(2'b01),
      .arvalid(arvalid),
      .arready(arready),
      .rdata  (rdata),
      .rresp  (rresp),
      .rlast  (rlast),
      .rvalid (rvalid),
      .rready (rready)
  );

  // Until the engine lets go, it sees the answers as a stream.
  stream_properties #(
      .WIDTH(DATA_W + 3)
  ) beats (
      .clk    (clk),
      .rst_n  (rst_n & ~timed_out),
      .valid  (beat_valid),
      .ready  (beat_ready),
      .payload({rdata, rresp, rlast})
  );

  // Beats in flight, and those of them that the engine of now asked for.
  reg [CW-1:0] flight_reg = 0;
  reg [CW-1:0] mine_reg = 0;
  reg          dropped_reg = 1'b0;  // an engine was reset while beats were owed, since the port's reset
  reg          reborn_reg = 1'b0;  // and a later request of it was answered
  wire [CW-1:0] asked = req_valid & req_ready ? req_len + 1 : 0;
  wire         taken = rvalid & rready;
  wire         given = beat_valid & beat_ready;
  always @(posedge clk) begin
    if (!port_rst_n) begin
      flight_reg  <= 0;
      mine_reg    <= 0;
      dropped_reg <= 1'b0;
      reborn_reg  <= 1'b0;
    end else begin
      flight_reg <= flight_reg + asked - taken;
      mine_reg   <= rst_n & ~timed_out ? mine_reg + asked - given : 0;
      if (!rst_n && flight_reg == BEATS) dropped_reg <= 1'b1;
      if (dropped_reg & given) reborn_reg <= 1'b1;
      if (!rst_n) assert (asked == 0);
      assert (flight_reg <= BEATS);
      if (rst_n & ~timed_out) begin
        assert (!beat_valid || mine_reg != 0);
        assert (!taken || given || undrained);
        assert (!undrained || mine_reg == 0 && asked == 0);
        assert (undrained || mine_reg == flight_reg);
      end
      cover (reborn_reg);
      cover (timed_out & undrained & taken);
    end
  end

  generate
    if (LIVE) begin : live
      // A fair slave answers; a port that owes nothing opens in two cycles.
      reg [3:0] ar_wait_reg = 0;
      reg [3:0] r_wait_reg = 0;
      reg [5:0] drain_reg = 0;
      reg [2:0] shut_reg = 0;
      always @(posedge clk) begin
        ar_wait_reg <= port_rst_n & arvalid & ~arready ? ar_wait_reg + 1 : 0;
        r_wait_reg  <= port_rst_n & ~arvalid & (flight_reg != 0) & ~rvalid ? r_wait_reg + 1 : 0;
        drain_reg   <= undrained ? drain_reg + 1 : 0;
        shut_reg    <= rst_n & ~timed_out & (flight_reg == 0) & ~req_ready ? shut_reg + 1 : 0;
        assume (ar_wait_reg <= FAIR && r_wait_reg <= FAIR);
        assert (drain_reg <= (BEATS + 1) * (FAIR + 2));
        assert (shut_reg <= 2);
      end
    end
  endgenerate

endmodule

`default_nettype wire
