// One bank of the band store, or of the depth bounds of its tiles: a memory with one read and one write
// port. Read data follows rd_en by one cycle and stays until the next read; a read of the word being written
// returns the old word.
`default_nettype none
`timescale 1ns / 1ps

module band_ram #(
    parameter WIDTH = 448,  // bits of a word
    parameter AW    = 14    // address bits
) (
    input  wire             clk,
    input  wire             rd_en,
    input  wire [   AW-1:0] rd_addr,
    output wire [WIDTH-1:0] rd_data,
    input  wire             wr_en,
    input  wire [   AW-1:0] wr_addr,
    input  wire [WIDTH-1:0] wr_data
);

  (* ram_style = "ultra" *)
  reg [WIDTH-1:0] mem         [0:(1<<AW)-1];
  reg [WIDTH-1:0] rd_data_reg;

  assign rd_data = rd_data_reg;

  always @(posedge clk) begin
    if (wr_en) mem[wr_addr] <= wr_data;
    if (rd_en) rd_data_reg <= mem[rd_addr];
  end

endmodule

`default_nettype wire
