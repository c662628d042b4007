// One of the four memories of the texture store: one read and one write port, eight texels a word. Read data follows
// rd_en by one cycle and stays until the next read.
`default_nettype none
`timescale 1ns / 1ps

module tex_bank #(
    parameter AW = 9  // address bits, >= 1
) (
    input  wire          clk,
    input  wire          rd_en,
    input  wire [AW-1:0] rd_addr,
    output wire [ 255:0] rd_data,
    input  wire          wr_en,
    input  wire [AW-1:0] wr_addr,
    input  wire [ 255:0] wr_data
);

  (* ram_style = "block" *)
  reg [255:0] mem         [0:(1<<AW)-1];
  reg [255:0] rd_data_reg;

  assign rd_data = rd_data_reg;

  always @(posedge clk) begin
    if (wr_en) mem[wr_addr] <= wr_data;
    if (rd_en) rd_data_reg <= mem[rd_addr];
  end

endmodule

`default_nettype wire
