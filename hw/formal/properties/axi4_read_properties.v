// The two channels of an AXI4 read port whose master is the design: INCR bursts of full beats, aligned, inside one
// 4 KiB page, at most OUTSTANDING of them unanswered. What the slave may do is assumed: it answers only what was
// asked for, in order, not before the cycle after the request.
`default_nettype none
`include "rules.vh"

module axi4_read_properties #(
    parameter DATA_W      = 32,
    parameter OUTSTANDING = 2
) (
    input wire              clk,
    input wire              rst_n,
    input wire [      63:0] araddr,
    input wire [       7:0] arlen,
    input wire [       2:0] arsize,
    input wire [       1:0] arburst,
    input wire              arvalid,
    input wire              arready,
    input wire [DATA_W-1:0] rdata,
    input wire [       1:0] rresp,
    input wire              rlast,
    input wire              rvalid,
    input wire              rready
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam CW = $clog2(OUTSTANDING + 2);

  stream_properties #(
      .WIDTH(77)
  ) request (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (arvalid),
      .ready  (arready),
      .payload({araddr, arlen, arsize, arburst})
  );

  stream_properties #(
      .WIDTH  (DATA_W + 3),
      .ASSUMED(1)
  ) response (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (rvalid),
      .ready  (rready),
      .payload({rdata, rresp, rlast})
  );

  // Lengths of the bursts that are unanswered, the oldest lowest.
  reg  [           CW-1:0] flight_reg = 0;
  reg  [8*(OUTSTANDING+1)-1:0] lens_reg = 0;
  reg  [              7:0] beat_reg = 0;
  wire                     asks = arvalid & arready;
  wire                     beats = rvalid & rready;
  wire                     ends = beats & (beat_reg == lens_reg[7:0]);
  wire [           CW-1:0] left = flight_reg - ends;
  wire [8*(OUTSTANDING+1)-1:0] left_lens = ends ? lens_reg >> 8 : lens_reg;
  always @(posedge clk) begin
    if (!rst_n) begin
      flight_reg <= 0;
      beat_reg   <= 0;
      lens_reg   <= 0;
    end else begin
      flight_reg <= left + asks;
      if (beats) beat_reg <= ends ? 8'd0 : beat_reg + 8'd1;
      lens_reg <= asks ? left_lens | {{OUTSTANDING{8'd0}}, arlen} << (8 * left) : left_lens;
    end
  end

  wire [12:0] page_end = {1'b0, araddr[11:0]} + ({5'd0, arlen} + 13'd1) * BYTES;
  always @(posedge clk)
    if (rst_n) begin
      if (arvalid) begin
        assert (arsize == LB && arburst == 2'b01);
        assert (araddr[LB-1:0] == 0);
        assert (page_end <= 13'd4096);
      end
      assert (flight_reg + arvalid <= OUTSTANDING);
      if (rvalid) assume (flight_reg != 0 && rlast == (beat_reg == lens_reg[7:0]));
      if (rready) assert (flight_reg != 0 || arvalid);  // ready for nothing that it does not ask for
      cover (ends & (flight_reg == OUTSTANDING));
      cover (asks & (page_end == 13'd4096) & (arlen != 0));
    end

endmodule

`default_nettype wire
