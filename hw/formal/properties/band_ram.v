// Stands for band_ram in the proof: it keeps one word, at an address that the solver picks, and answers anything for
// the others. What is proven of this word holds of every word.
`default_nettype none

module band_ram #(
    parameter WIDTH = 448,
    parameter AW    = 14
) (
    input  wire             clk,
    input  wire             rd_en,
    input  wire [   AW-1:0] rd_addr,
    output wire [WIDTH-1:0] rd_data,
    input  wire             wr_en,
    input  wire [   AW-1:0] wr_addr,
    input  wire [WIDTH-1:0] wr_data
);

  (* anyconst *) reg [AW-1:0] pick;
  (* anyseq *) reg [WIDTH-1:0] other;
  reg [WIDTH-1:0] word_reg;
  reg [WIDTH-1:0] rd_data_reg;
  assign rd_data = rd_data_reg;

  always @(posedge clk) begin
    if (wr_en & wr_addr == pick) word_reg <= wr_data;
    if (rd_en) rd_data_reg <= rd_addr == pick ? word_reg : other;
  end

endmodule

`default_nettype wire
