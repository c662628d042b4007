// Stands between a read engine and an AXI4 read port, and keeps the port's rules whatever becomes of the engine.
// Requests (beat address, beats - 1) leave a cycle later; ARVALID holds until ARREADY. A request waits while more than
// BEATS beats would be in flight. Answers pass through, without delay.
// The engine lets go of what it asked for by a reset (`rst_n` low, a cycle is enough) or by a timeout: then every beat
// that is still owed is taken from the memory and dropped, and new requests wait until nothing is owed (`undrained` is
// high meanwhile). A memory that never answers leaves it so; only `port_rst_n`, the reset of the port itself, or the
// late answers end that.
// `timed_out` is set when beats are owed (or, while draining, a request waits) and none is offered for `timeout`
// cycles, and stays until `rst_n`.
`default_nettype none
`timescale 1ns / 1ps

module read_firewall #(
    parameter DATA_W = 512,  // bits of a beat: 32, 64, ... 1024
    parameter BEATS = 512    // beats in flight, 1 to 4096, at least as many as the longest burst has
) (
    input  wire                        clk,
    input  wire                        rst_n,      // the engine's
    input  wire                        port_rst_n,
    // engine
    input  wire                        req_valid,
    output wire                        req_ready,
    input  wire [63:$clog2(DATA_W/8)]  req_addr,
    input  wire [                 7:0] req_len,
    output wire                        beat_valid,
    input  wire                        beat_ready,
    output wire                        undrained,
    output wire                        timed_out,
    input  wire [                31:0] timeout,
    // memory; data and response go to the engine directly
    output wire [                63:0] m_axi_araddr,
    output wire [                 7:0] m_axi_arlen,
    output wire                        m_axi_arvalid,
    input  wire                        m_axi_arready,
    input  wire                        m_axi_rvalid,
    output wire                        m_axi_rready
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam CW = $clog2(BEATS + 1) < 9 ? 9 : $clog2(BEATS + 1);
  localparam [CW-1:0] ALL = BEATS[CW-1:0];
  localparam [CW-1:0] ONE = 1;

  initial begin
    if (DATA_W != BYTES * 8 || BYTES != (1 << LB) || BYTES < 4 || BYTES > 128) begin
      $display("%m: DATA_W must be 32, 64, 128, 256, 512 or 1024, it is %0d", DATA_W);
      $finish;
    end
    if (BEATS < 1 || BEATS > 4096) begin
      $display("%m: BEATS must be 1 to 4096, it is %0d", BEATS);
      $finish;
    end
  end

  reg          open_reg;  // what is in flight was asked for by the engine as it is now
  reg          dead_reg;  // timed out
  reg          arvalid_reg;
  reg  [63:LB] araddr_reg;
  reg  [  7:0] arlen_reg;
  reg [CW-1:0] free_reg;  // beats that may still be asked for
  wire         owed = free_reg != ALL;

  wire [CW-1:0] beats = {{(CW - 8) {1'b0}}, req_len} + ONE;
  wire         issue = req_valid & req_ready;
  wire         take = m_axi_rvalid & m_axi_rready;

  assign req_ready = open_reg & rst_n & (~arvalid_reg | m_axi_arready) & (free_reg >= beats);

  reg  [31:0] wait_reg;
  wire        waiting = (open_reg ? owed : req_valid) & ~m_axi_rvalid & ~dead_reg;
  wire        give_up = waiting & (wait_reg >= timeout);

  always @(posedge clk) begin
    if (!port_rst_n) begin
      open_reg    <= 1'b0;
      arvalid_reg <= 1'b0;
      free_reg    <= ALL;
    end else begin
      if (!rst_n | give_up | dead_reg) open_reg <= 1'b0;
      else if (!owed) open_reg <= 1'b1;
      if (issue) arvalid_reg <= 1'b1;
      else if (m_axi_arready) arvalid_reg <= 1'b0;
      free_reg <= free_reg - (issue ? beats : {CW{1'b0}}) + (take ? ONE : {CW{1'b0}});
    end
  end

  always @(posedge clk)
    if (issue) begin
      araddr_reg <= req_addr;
      arlen_reg  <= req_len;
    end

  always @(posedge clk) begin
    if (!rst_n) begin
      wait_reg <= 32'd0;
      dead_reg <= 1'b0;
    end else begin
      wait_reg <= waiting ? wait_reg + 32'd1 : 32'd0;
      if (give_up) dead_reg <= 1'b1;
    end
  end

  assign m_axi_araddr  = {araddr_reg, {LB{1'b0}}};
  assign m_axi_arlen   = arlen_reg;
  assign m_axi_arvalid = arvalid_reg;
  // The read data channel waits for nobody but the engine's buffer, so a timeout gives up on a slave, never on ourselves.
  assign m_axi_rready  = owed & (~open_reg | beat_ready);
  assign beat_valid    = m_axi_rvalid & owed & open_reg;
  assign undrained     = owed & ~open_reg;
  assign timed_out     = dead_reg;

endmodule

`default_nettype wire
