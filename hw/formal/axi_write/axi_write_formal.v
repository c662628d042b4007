// axi_write: the AXI4 write rules at any timeout, with the engine's reset free in every cycle; between resets every
// beat that came in leaves once, in order, unchanged, at its
// own address (the marked beat's address is followed through its burst); `idle` means that nothing is left. LIVE: slave
// and source are fair (each waits at most FAIR cycles, the source flushes), and then the engine never stands still.
`default_nettype none

module axi_write_formal #(
    parameter DATA_W      = 1024,  // the widest: its bursts and so its buffer are the shortest, 32 beats
    parameter OUTSTANDING = 2,
    parameter ADDR_W      = 64,  // address bits that may differ, for a smaller proof
    parameter LIVE        = 0,
    parameter FAIR        = 2
) (
    input wire              clk,
    input wire              rst_n,
    input wire              port_rst_n,
    input wire              s_valid,
    input wire [      63:0] s_addr,
    input wire [DATA_W-1:0] s_data,
    input wire [DATA_W/8-1:0] s_strb,
    input wire              flush,
    input wire              awready,
    input wire              wready,
    input wire [       1:0] bresp,
    input wire              bvalid,
    input wire [      31:0] timeout,
    input wire              clear,
    input wire              mark
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam PAGE_BEATS = 4096 / BYTES;
  localparam DEPTH = PAGE_BEATS < 256 ? PAGE_BEATS : 256;

  wire s_ready;
  wire [63:0] awaddr;
  wire [7:0] awlen;
  wire [2:0] awsize;
  wire [1:0] awburst;
  wire awvalid;
  wire [DATA_W-1:0] wdata;
  wire [BYTES-1:0] wstrb;
  wire wlast;
  wire wvalid;
  wire bready;
  wire idle;
  wire timed_out;
  wire undrained;

  axi_write #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(OUTSTANDING),
      .FIFO_DEPTH (DEPTH)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .s_beat_valid (s_valid),
      .s_beat_ready (s_ready),
      .s_beat_addr  (s_addr),
      .s_beat_data  (s_data),
      .s_beat_strb  (s_strb),
      .flush        (flush),
      .m_axi_awid   (),
      .m_axi_awaddr (awaddr),
      .m_axi_awlen  (awlen),
      .m_axi_awsize (awsize),
      .m_axi_awburst(awburst),
      .m_axi_awcache(),
      .m_axi_awprot (),
      .m_axi_awvalid(awvalid),
      .m_axi_awready(awready),
      .m_axi_wdata  (wdata),
      .m_axi_wstrb  (wstrb),
      .m_axi_wlast  (wlast),
      .m_axi_wvalid (wvalid),
      .m_axi_wready (wready),
      .m_axi_bid    (1'b0),
      .m_axi_bresp  (bresp),
      .m_axi_bvalid (bvalid),
      .m_axi_bready (bready),
      .timeout      (timeout),
      .clear        (clear),
      .idle         (idle),
      .error        (),
      .resp         (),
      .timed_out    (timed_out),
      .undrained    (undrained),
      .stat_bursts  (),
      .stat_bytes   ()
  );

  initial assume (!rst_n && !port_rst_n);
  always @* begin
    assume (port_rst_n || !rst_n);  // the port's reset is the engine's, too
    assume (s_addr[LB-1:0] == 0 && (ADDR_W == 64 || s_addr >> ADDR_W == 0));
    assume (timeout != 0);
    // Data is routed, never looked at: 4 bits of it, repeated, stand for all.
    assume (s_data == {DATA_W / 4{s_data[3:0]}});
    assume (s_strb == {BYTES / 4{s_strb[3:0]}});
  end

  stream_properties #(
      .WIDTH  (72),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_valid),
      .ready  (s_ready),
      .payload({s_addr, s_data[3:0], s_strb[3:0]})
  );

  axi4_write_properties #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(OUTSTANDING)
  ) port (
      .clk    (clk),
      .rst_n  (port_rst_n),
      .awaddr (awaddr),
      .awlen  (awlen),
      .awsize (awsize),
      .awburst(awburst),
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

  wire sends = wvalid & wready & ~undrained;
  wire takes = s_valid & s_ready & ~timed_out;
  wire leaves;
  wire [63:LB] leaving_addr;
  order_properties #(
      .WIDTH   (DATA_W + BYTES),
      .NOTE_W  (64 - LB),
      .CAPACITY(DEPTH)
  ) order (
      .clk         (clk),
      .rst_n       (rst_n & ~timed_out),
      .mark        (mark),
      .push        (takes),
      .into        ({s_strb, s_data}),
      .note        (s_addr[63:LB]),
      .pop         (sends),
      .out         ({wstrb, wdata}),
      .leaves      (leaves),
      .held        (),
      .leaving_note(leaving_addr)
  );

  // Addresses of the bursts offered whose data is under way: the beat at the data channel lies in the oldest.
  localparam PLACES = OUTSTANDING + 2;
  localparam AW = 64 - LB;
  reg taken_reg = 1'b1;
  reg [2:0] owed_reg = 3'd0;
  reg [AW*PLACES-1:0] addrs_reg;
  wire offers = awvalid & taken_reg & ~undrained;
  wire [AW*PLACES-1:0] spread = {{AW * (PLACES - 1) {1'b0}}, awaddr[63:LB]} << (AW * owed_reg);
  wire [AW*PLACES-1:0] addrs = offers ? addrs_reg & ~({{AW * (PLACES - 1) {1'b0}}, {AW{1'b1}}} << (AW * owed_reg)) | spread : addrs_reg;
  wire ends = sends & wlast;
  reg [7:0] beat_reg = 8'd0;
  reg [7:0] stored_reg = 8'd0;  // beats inside
  reg [3:0] unanswered_reg = 4'd0;
  always @(posedge clk) begin
    if (!rst_n) begin
      taken_reg      <= 1'b1;
      owed_reg       <= 3'd0;
      beat_reg       <= 8'd0;
      stored_reg     <= 8'd0;
      unanswered_reg <= 4'd0;
    end else begin
      taken_reg      <= ~awvalid | awready | undrained;
      owed_reg       <= owed_reg + offers - ends;
      addrs_reg      <= ends ? addrs >> AW : addrs;
      beat_reg       <= sends ? wlast ? 8'd0 : beat_reg + 8'd1 : beat_reg;
      stored_reg     <= stored_reg + takes - sends;
      unanswered_reg <= unanswered_reg + (awvalid & awready & ~undrained) - (bvalid & bready & ~undrained);
    end
    if (rst_n & ~timed_out) begin
      if (leaves) assert (leaving_addr == addrs[AW-1:0] + beat_reg);
      if (idle) assert (stored_reg == 0 && unanswered_reg == 0 && (undrained || !awvalid && !wvalid));
      cover (leaves & (beat_reg == 8'd1) & (leaving_addr[3:0] == 4'd3));
      cover (idle & flush);
    end
  end

  generate
    if (LIVE) begin : live
      reg [3:0] aw_wait_reg = 0;
      reg [3:0] w_wait_reg = 0;
      reg [3:0] b_wait_reg = 0;
      reg [3:0] s_wait_reg = 0;
      reg [5:0] still_reg = 0;
      wire moves = takes | (awvalid & awready) | (wvalid & wready) | (bvalid & bready);
      always @(posedge clk) begin
        aw_wait_reg <= port_rst_n & awvalid & ~awready ? aw_wait_reg + 1 : 0;
        w_wait_reg  <= port_rst_n & wvalid & ~wready ? w_wait_reg + 1 : 0;
        b_wait_reg  <= port_rst_n & bready & ~bvalid & ~awvalid & ~wvalid ? b_wait_reg + 1 : 0;
        s_wait_reg  <= rst_n & ~s_valid & ~flush ? s_wait_reg + 1 : 0;
        still_reg   <= rst_n & ~idle & ~moves ? still_reg + 1 : 0;
        assume (aw_wait_reg <= FAIR && w_wait_reg <= FAIR && b_wait_reg <= FAIR && s_wait_reg <= FAIR);
        assume (timeout > 32'd1000);
        assert (still_reg <= FAIR + 5);
      end
    end
  endgenerate

endmodule

`default_nettype wire
