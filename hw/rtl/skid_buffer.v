// A registered stage of a valid/ready stream that keeps a beat a clock: both `s_tready` and the
// outputs come from registers, and the beat that arrives while the output stalls waits in a spare.
// Latency 1 cycle. Reset empties it; `s_tready` is low in reset and for the first cycle after it.
`default_nettype none
`timescale 1ns / 1ps

module skid_buffer #(
    parameter WIDTH = 32  // bits of the payload, >= 1
) (
    input  wire             clk,
    input  wire             rst_n,
    input  wire             s_tvalid,
    output wire             s_tready,
    input  wire [WIDTH-1:0] s_tdata,
    output wire             m_tvalid,
    input  wire             m_tready,
    output wire [WIDTH-1:0] m_tdata
);

  initial begin
    if (WIDTH < 1) begin
      $display("%m: WIDTH must be at least 1, it is %0d", WIDTH);
      $finish;
    end
  end

  reg             ready_reg;
  reg             valid_reg;
  reg             spare_valid_reg;
  reg [WIDTH-1:0] data_reg;
  reg [WIDTH-1:0] spare_reg;

  assign s_tready = ready_reg;
  assign m_tvalid = valid_reg;
  assign m_tdata  = data_reg;

  wire take = s_tvalid & ready_reg;
  wire move = ~valid_reg | m_tready;  // the output register may be loaded
  // Ready falls only once the spare is taken, so a beat in flight always has a place.
  wire spare_next = (spare_valid_reg | take) & ~move;

  always @(posedge clk) begin
    if (!rst_n) begin
      ready_reg       <= 1'b0;
      valid_reg       <= 1'b0;
      spare_valid_reg <= 1'b0;
    end else begin
      ready_reg       <= ~spare_next;
      spare_valid_reg <= spare_next;
      if (move) valid_reg <= spare_valid_reg | take;
    end
  end

  // The payload needs no reset: valid guards it.
  always @(posedge clk) begin
    if (move) data_reg <= spare_valid_reg ? spare_reg : s_tdata;
    if (take) spare_reg <= s_tdata;
  end

endmodule

`default_nettype wire
