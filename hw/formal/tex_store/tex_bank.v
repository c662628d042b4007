// Stands for tex_bank in the proof: it answers anything, and holds its answer while it is not read.
`default_nettype none

module tex_bank #(
    parameter AW = 9
) (
    input  wire          clk,
    input  wire          rd_en,
    input  wire [AW-1:0] rd_addr,
    output wire [ 255:0] rd_data,
    input  wire          wr_en,
    input  wire [AW-1:0] wr_addr,
    input  wire [ 255:0] wr_data
);

  (* anyseq *) reg [255:0] any;
  reg [255:0] word_reg;
  assign rd_data = word_reg;

  always @(posedge clk) if (rd_en) word_reg <= any;

  wire unused = &{1'b0, rd_addr, wr_en, wr_addr, wr_data};

endmodule

`default_nettype wire
