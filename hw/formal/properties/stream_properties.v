// The handshake rules of one direction of a valid/ready channel: an AXI4-Stream, or one of AXI's five channels.
// VALID that met no READY holds together with its payload; VALID is low in the cycle after a reset.
`default_nettype none
`include "rules.vh"

module stream_properties #(
    parameter WIDTH   = 1,  // bits of the payload
    parameter ASSUMED = 0   // 1: the neighbour drives VALID, assume the rules
) (
    input wire             clk,
    input wire             rst_n,
    input wire             valid,
    input wire             ready,
    input wire [WIDTH-1:0] payload
);

  reg             known_reg = 1'b0;  // there is a cycle before this one
  reg             reset_reg;
  reg             held_reg;
  reg [WIDTH-1:0] payload_reg;
  always @(posedge clk) begin
    known_reg   <= 1'b1;
    reset_reg   <= ~rst_n;
    held_reg    <= rst_n & valid & ~ready;
    payload_reg <= payload;
  end

  wire after_reset = known_reg & reset_reg;
  wire was_held = known_reg & held_reg & rst_n;
  wire same = payload == payload_reg;
  `RULE(after_reset, !valid)
  `RULE(was_held, valid)
  `RULE(was_held, same)

endmodule

`default_nettype wire
