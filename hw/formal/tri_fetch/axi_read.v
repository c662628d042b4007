// Stands for axi_read in the proof: commands in order, one more while one is answered, each answered with its beats at
// any pace, the last one marked. A beat holds its own address, but in the table's page what the solver picks for
// `table`. Beats with an error (`tuser`) come only where ERRORS is 1. What axi_read's proof takes for granted of commands
// is asserted here.
`default_nettype none

module axi_read #(
    parameter DATA_W      = 512,
    parameter OUTSTANDING = 8,
    parameter ID_W        = 1
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire              port_rst_n,
    input  wire              cmd_valid,
    output wire              cmd_ready,
    input  wire [      63:0] cmd_addr,
    input  wire [      31:0] cmd_bytes,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [DATA_W-1:0] m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire              m_axis_tlast,
    output wire              m_axis_tuser,
    output wire [  ID_W-1:0] m_axi_arid,
    output wire [      63:0] m_axi_araddr,
    output wire [       7:0] m_axi_arlen,
    output wire [       2:0] m_axi_arsize,
    output wire [       1:0] m_axi_arburst,
    output wire [       3:0] m_axi_arcache,
    output wire [       2:0] m_axi_arprot,
    output wire              m_axi_arvalid,
    input  wire              m_axi_arready,
    input  wire [  ID_W-1:0] m_axi_rid,
    input  wire [DATA_W-1:0] m_axi_rdata,
    input  wire [       1:0] m_axi_rresp,
    input  wire              m_axi_rlast,
    input  wire              m_axi_rvalid,
    output wire              m_axi_rready,
    input  wire [      31:0] timeout,
    input  wire              clear,
    output wire              busy,
    output wire              error,
    output wire [       1:0] resp,
    output wire              timed_out,
    output wire              undrained,
    output wire [      31:0] stat_bursts,
    output wire [      31:0] stat_bytes
);

  (* anyconst *) reg [DATA_W-1:0] table_row;
  (* anyseq *) reg takes;  // a command, now
  (* anyseq *) reg gives;  // a beat is there
  (* anyseq *) reg bad;
  reg [63:0] addr_reg, next_addr_reg;
  reg [31:0] left_reg, next_left_reg;  // bytes to come
  reg valid_reg, bad_reg;

  assign cmd_ready     = (next_left_reg == 0) & takes;
  assign m_axis_tvalid = valid_reg;
  assign m_axis_tdata  = addr_reg[20] ? {{DATA_W - 64{1'b0}}, addr_reg} : table_row;
  assign m_axis_tkeep  = ~0;
  assign m_axis_tlast  = left_reg == 32'd64;
  assign m_axis_tuser  = bad_reg;
  assign busy          = (left_reg != 0) | (next_left_reg != 0);
  assign timed_out     = 1'b0;

  stream_properties #(
      .WIDTH(96)
  ) commands (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (cmd_valid),
      .ready  (cmd_ready),
      .payload({cmd_addr, cmd_bytes})
  );
  always @(posedge clk) if (rst_n & cmd_valid) assert (cmd_addr[5:0] == 0 && cmd_bytes != 0);

  wire pop = valid_reg & m_axis_tready;
  wire [31:0] left = left_reg - (pop ? 32'd64 : 32'd0);
  always @(posedge clk) begin
    if (!rst_n) begin
      left_reg      <= 32'd0;
      next_left_reg <= 32'd0;
      valid_reg     <= 1'b0;
    end else begin
      left_reg <= left;
      if (pop) addr_reg <= addr_reg + 64'd64;
      if (left == 0) begin
        addr_reg      <= next_addr_reg;
        left_reg      <= next_left_reg;
        next_left_reg <= 32'd0;
      end
      if (cmd_valid & cmd_ready) begin
        next_addr_reg <= cmd_addr;
        next_left_reg <= cmd_bytes;
      end
      valid_reg <= (valid_reg & ~pop) | (gives & left != 0);
      if (~valid_reg | pop) bad_reg <= bad;
    end
  end

endmodule

`default_nettype wire
