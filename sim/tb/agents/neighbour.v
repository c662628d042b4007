// What the benches' own agents are tried on: a flip-flop, wires that a test drives as a master would, and a sum over a
// stream in two forms. `sum` adds what is handed over; `leak` also looks at the payload while valid is low, as no module
// may. Reset clears the sums.
`default_nettype none
`timescale 1ns / 1ps

module neighbour (
    input  wire        clk,
    input  wire        rst_n,
    // A register
    input  wire [ 7:0] d,
    output reg  [ 7:0] q,
    // A master's wires
    input  wire        m_tvalid,
    input  wire        m_tready,
    input  wire [ 7:0] m_tdata,
    // Sums
    input  wire        s_tvalid,
    output wire        s_tready,
    input  wire [ 7:0] s_tdata,
    output reg  [15:0] sum,
    output reg  [15:0] leak
);

  assign s_tready = rst_n;

  always @(posedge clk) begin
    q <= d;
    if (!rst_n) begin
      sum  <= 16'd0;
      leak <= 16'd0;
    end else begin
      if (s_tvalid) sum <= sum + {8'd0, s_tdata};
      leak <= leak + ({8'd0, s_tdata} & {{15{1'b1}}, s_tvalid});
    end
  end

  wire unused = &{1'b0, m_tvalid, m_tready, m_tdata, 1'b0};

endmodule

`default_nettype wire
