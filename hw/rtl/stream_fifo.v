// A first-in first-out buffer of a valid/ready stream in one clock domain. The memory is read into
// an output register (block RAM has one anyway), so latency from an empty buffer is 2 cycles, and a
// beat a clock passes at any fill. `count` is the number of beats held, output register included.
// Holds exactly DEPTH beats. Reset empties it; `s_tready` is low in reset and the first cycle after.
`default_nettype none
`timescale 1ns / 1ps

module stream_fifo #(
    parameter WIDTH = 32,  // bits of the payload, >= 1
    parameter DEPTH = 16   // beats, a power of two, >= 4
) (
    input  wire                   clk,
    input  wire                   rst_n,
    input  wire                   s_tvalid,
    output wire                   s_tready,
    input  wire [WIDTH-1:0]       s_tdata,
    output wire                   m_tvalid,
    input  wire                   m_tready,
    output wire [WIDTH-1:0]       m_tdata,
    output wire [$clog2(DEPTH):0] count
);

  localparam AW = $clog2(DEPTH);

  initial begin
    if (WIDTH < 1 || DEPTH < 4 || DEPTH != (1 << AW)) begin
      $display("%m: DEPTH must be a power of two >= 4 and WIDTH >= 1, they are %0d and %0d", DEPTH, WIDTH);
      $finish;
    end
  end

  localparam [AW:0] FULL = DEPTH[AW:0];
  localparam [AW:0] ONE = 1;

  reg [WIDTH-1:0] mem       [0:DEPTH-1];
  reg [   AW-1:0] wr_reg;
  reg [   AW-1:0] rd_reg;
  reg [     AW:0] stored_reg;  // beats in the memory
  reg [     AW:0] count_reg;  // beats in the memory and the output register
  reg             ready_reg;
  reg             valid_reg;
  reg [WIDTH-1:0] data_reg;

  assign s_tready = ready_reg;
  assign m_tvalid = valid_reg;
  assign m_tdata  = data_reg;
  assign count    = count_reg;

  wire push = s_tvalid & ready_reg;
  wire pop = valid_reg & m_tready;
  wire load = (stored_reg != 0) & (~valid_reg | m_tready);

  wire [AW:0] count_next = count_reg + (push ? ONE : 0) - (pop ? ONE : 0);

  always @(posedge clk) begin
    if (!rst_n) begin
      wr_reg     <= 0;
      rd_reg     <= 0;
      stored_reg <= 0;
      count_reg  <= 0;
      ready_reg  <= 1'b0;
      valid_reg  <= 1'b0;
    end else begin
      if (push) wr_reg <= wr_reg + 1'b1;
      if (load) rd_reg <= rd_reg + 1'b1;
      stored_reg <= stored_reg + (push ? ONE : 0) - (load ? ONE : 0);
      count_reg  <= count_next;
      ready_reg  <= count_next != FULL;
      if (load) valid_reg <= 1'b1;
      else if (m_tready) valid_reg <= 1'b0;
    end
  end

  always @(posedge clk) begin
    if (push) mem[wr_reg] <= s_tdata;
    if (load) data_reg <= mem[rd_reg];
  end

endmodule

`default_nettype wire
