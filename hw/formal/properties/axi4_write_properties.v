// The three channels of an AXI4 write port whose master is the design: INCR bursts of full beats, aligned, inside one
// 4 KiB page, WLAST with exactly the last beat, as many bursts of data as requests, at most OUTSTANDING unanswered.
// The design sends the data of a burst not before it offers the request. What the slave may do is assumed: one
// response a burst, after its request and its last beat.
`default_nettype none
`include "rules.vh"

module axi4_write_properties #(
    parameter DATA_W      = 32,
    parameter OUTSTANDING = 2
) (
    input wire                clk,
    input wire                rst_n,
    input wire [        63:0] awaddr,
    input wire [         7:0] awlen,
    input wire [         2:0] awsize,
    input wire [         1:0] awburst,
    input wire                awvalid,
    input wire                awready,
    input wire [  DATA_W-1:0] wdata,
    input wire [DATA_W/8-1:0] wstrb,
    input wire                wlast,
    input wire                wvalid,
    input wire                wready,
    input wire [         1:0] bresp,
    input wire                bvalid,
    input wire                bready
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam CW = $clog2(OUTSTANDING + 2);
  localparam LENS_W = 8 * (OUTSTANDING + 1);

  stream_properties #(
      .WIDTH(77)
  ) request (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (awvalid),
      .ready  (awready),
      .payload({awaddr, awlen, awsize, awburst})
  );

  stream_properties #(
      .WIDTH(DATA_W + BYTES + 1)
  ) data (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (wvalid),
      .ready  (wready),
      .payload({wdata, wstrb, wlast})
  );

  stream_properties #(
      .WIDTH  (2),
      .ASSUMED(1)
  ) response (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (bvalid),
      .ready  (bready),
      .payload(bresp)
  );

  // A burst is offered when its request first appears; data may follow from that cycle on.
  reg               taken_reg = 1'b1;  // the last request was taken, so a VALID is a new one
  reg  [    CW-1:0] owed_reg = 0;  // bursts offered whose data is not complete
  reg  [LENS_W-1:0] lens_reg = 0;
  reg  [       7:0] beat_reg = 0;
  reg  [    CW-1:0] asked_reg = 0;  // requests taken and not answered
  reg  [    CW-1:0] sent_reg = 0;  // bursts of data complete and not answered
  wire              offers = awvalid & taken_reg;
  wire [    CW-1:0] owed = owed_reg + offers;
  wire [LENS_W-1:0] lens = offers ? lens_reg | {{8 * OUTSTANDING{1'b0}}, awlen} << (8 * owed_reg) : lens_reg;
  wire              sends = wvalid & wready;
  wire              ends = sends & wlast;
  wire              answers = bvalid & bready;
  always @(posedge clk) begin
    if (!rst_n) begin
      taken_reg <= 1'b1;
      owed_reg  <= 0;
      lens_reg  <= 0;
      beat_reg  <= 0;
      asked_reg <= 0;
      sent_reg  <= 0;
    end else begin
      taken_reg <= ~awvalid | awready;
      owed_reg  <= owed - ends;
      lens_reg  <= ends ? lens >> 8 : lens;
      if (sends) beat_reg <= wlast ? 8'd0 : beat_reg + 8'd1;
      asked_reg <= asked_reg + (awvalid & awready) - answers;
      sent_reg  <= sent_reg + ends - answers;
    end
  end

  wire [12:0] page_end = {1'b0, awaddr[11:0]} + ({5'd0, awlen} + 13'd1) * BYTES;
  always @(posedge clk)
    if (rst_n) begin
      if (awvalid) begin
        assert (awsize == LB && awburst == 2'b01);
        assert (awaddr[LB-1:0] == 0);
        assert (page_end <= 13'd4096);
      end
      if (wvalid) begin
        assert (owed != 0);
        assert (wlast == (beat_reg == lens[7:0]));
      end
      assert (asked_reg + awvalid <= OUTSTANDING);
      if (bvalid) assume (asked_reg != 0 && sent_reg != 0);
      cover (answers & (asked_reg == OUTSTANDING));
      cover (awvalid & (page_end == 13'd4096) & (awlen != 0));
      cover (sends & wlast & (beat_reg == 8'd2));
    end

endmodule

`default_nettype wire
