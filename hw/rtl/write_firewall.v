// Stands between a write engine and an AXI4 write port, and keeps the port's rules whatever becomes of the engine.
// Beats are buffered here; a request (beat address, beats - 1) says that the next ones, all buffered already, form a
// burst. It leaves a cycle later, AWVALID and WVALID hold until READY, WLAST comes with the last beat. At most
// OUTSTANDING bursts are unanswered, requests wait for that.
// The engine lets go by a reset (`rst_n` low, a cycle is enough) or by a timeout: bursts that were asked for are then
// completed, their beats without strobes (but for one that the memory has already seen), their answers dropped;
// requests and beats wait until no answer is owed (`undrained` is high meanwhile), then the buffer is empty. A memory
// that never answers leaves it so; only `port_rst_n`, the reset of the port itself, or the late answers end that.
// `timed_out` is set when an answer is owed (or, while draining, a beat waits) and neither a beat nor an answer moves
// for `timeout` cycles, and stays until `rst_n`.
`default_nettype none
`timescale 1ns / 1ps

module write_firewall #(
    parameter DATA_W = 256,    // bits of a beat: 32, 64, ... 1024
    parameter OUTSTANDING = 8, // bursts unanswered, 1 to 64
    parameter FIFO_DEPTH = 256 // beats buffered, a power of two, at least as many as the longest burst has
) (
    input  wire                        clk,
    input  wire                        rst_n,       // the engine's
    input  wire                        port_rst_n,
    // engine
    input  wire                        beat_valid,
    output wire                        beat_ready,
    input  wire [          DATA_W-1:0] beat_data,
    input  wire [        DATA_W/8-1:0] beat_strb,
    input  wire                        req_valid,
    output wire                        req_ready,
    input  wire [63:$clog2(DATA_W/8)]  req_addr,
    input  wire [                 7:0] req_len,
    output wire                        sent,        // a beat of the engine was handed over
    output wire                        answered,    // a burst of the engine was answered
    output wire                        owed,        // bursts of the engine are unanswered
    output wire                        undrained,
    output wire                        timed_out,
    input  wire [                31:0] timeout,
    // memory; the response goes to the engine directly
    output wire [                63:0] m_axi_awaddr,
    output wire [                 7:0] m_axi_awlen,
    output wire                        m_axi_awvalid,
    input  wire                        m_axi_awready,
    output wire [          DATA_W-1:0] m_axi_wdata,
    output wire [        DATA_W/8-1:0] m_axi_wstrb,
    output wire                        m_axi_wlast,
    output wire                        m_axi_wvalid,
    input  wire                        m_axi_wready,
    input  wire                        m_axi_bvalid,
    output wire                        m_axi_bready
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam QUEUE = OUTSTANDING <= 4 ? 4 : 1 << $clog2(OUTSTANDING);
  localparam [6:0] CREDITS = OUTSTANDING[6:0];

  initial begin
    if (DATA_W != BYTES * 8 || BYTES != (1 << LB) || BYTES < 4 || BYTES > 128) begin
      $display("%m: DATA_W must be 32, 64, 128, 256, 512 or 1024, it is %0d", DATA_W);
      $finish;
    end
    if (OUTSTANDING < 1 || OUTSTANDING > 64) begin
      $display("%m: OUTSTANDING must be 1 to 64, it is %0d", OUTSTANDING);
      $finish;
    end
  end

  reg          open_reg;  // what is in flight was asked for by the engine as it is now
  reg          dead_reg;  // timed out
  reg          awvalid_reg;
  reg  [63:LB] awaddr_reg;
  reg  [  7:0] awlen_reg;
  reg  [  6:0] flight_reg;  // bursts asked for and not answered
  wire         some = flight_reg != 7'd0;

  wire         issue = req_valid & req_ready;
  wire         send = m_axi_wvalid & m_axi_wready;
  wire         answer = m_axi_bvalid & m_axi_bready;

  assign req_ready = open_reg & rst_n & (~awvalid_reg | m_axi_awready) & (flight_reg != CREDITS);

  reg  [31:0] wait_reg;
  wire        waiting = (open_reg ? some : beat_valid | req_valid) & ~send & ~answer & ~dead_reg;
  wire        give_up = waiting & (wait_reg >= timeout);

  always @(posedge clk) begin
    if (!port_rst_n) begin
      open_reg    <= 1'b0;
      awvalid_reg <= 1'b0;
      flight_reg  <= 7'd0;
    end else begin
      if (!rst_n | give_up | dead_reg) open_reg <= 1'b0;
      else if (!some) open_reg <= 1'b1;
      if (issue) awvalid_reg <= 1'b1;
      else if (m_axi_awready) awvalid_reg <= 1'b0;
      flight_reg <= flight_reg + {6'd0, issue} - {6'd0, answer};
    end
  end

  always @(posedge clk)
    if (issue) begin
      awaddr_reg <= req_addr;
      awlen_reg  <= req_len;
    end

  // ---- Data: every beat of a burst is here when the burst is asked for ---------------------------------------------
  wire                        data_ready;
  wire                        data_valid;
  wire [           BYTES-1:0] data_strb;
  wire [$clog2(FIFO_DEPTH):0] data_count;
  stream_fifo #(
      .WIDTH(DATA_W + BYTES),
      .DEPTH(FIFO_DEPTH)
  ) data (
      .clk     (clk),
      .rst_n   (port_rst_n & (open_reg | some)),
      .s_tvalid(beat_valid & beat_ready),
      .s_tready(data_ready),
      .s_tdata ({beat_strb, beat_data}),
      .m_tvalid(data_valid),
      .m_tready(send),
      .m_tdata ({data_strb, m_axi_wdata}),
      .count   (data_count)
  );
  assign beat_ready = data_ready & open_reg & rst_n;

  // Lengths of the bursts whose data is to be sent. As many as credits, so it is never full.
  wire                   length_valid;
  wire                   length_ready;
  wire [            7:0] length;
  wire [$clog2(QUEUE):0] length_count;
  stream_fifo #(
      .WIDTH(8),
      .DEPTH(QUEUE)
  ) lengths (
      .clk     (clk),
      .rst_n   (port_rst_n),
      .s_tvalid(issue),
      .s_tready(length_ready),
      .s_tdata (req_len),
      .m_tvalid(length_valid),
      .m_tready(send & m_axi_wlast),
      .m_tdata (length),
      .count   (length_count)
  );

  reg [7:0] sent_reg;  // beats of the current burst
  reg       shown_reg;  // the memory has seen this beat and did not take it yet

  always @(posedge clk) begin
    if (!port_rst_n) begin
      sent_reg  <= 8'd0;
      shown_reg <= 1'b0;
    end else begin
      if (send) sent_reg <= m_axi_wlast ? 8'd0 : sent_reg + 8'd1;
      shown_reg <= m_axi_wvalid & ~m_axi_wready & (open_reg | shown_reg);
    end
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

  assign m_axi_awaddr  = {awaddr_reg, {LB{1'b0}}};
  assign m_axi_awlen   = awlen_reg;
  assign m_axi_awvalid = awvalid_reg;
  assign m_axi_wvalid  = data_valid & length_valid;
  assign m_axi_wstrb   = data_strb & {BYTES{open_reg | shown_reg}};
  assign m_axi_wlast   = sent_reg == length;
  assign m_axi_bready  = some;
  assign sent          = send & open_reg;
  assign answered      = answer & open_reg;
  assign owed          = some & open_reg;
  assign undrained     = some & ~open_reg;
  assign timed_out     = dead_reg;

  wire unused = &{1'b0, length_ready, length_count, data_count, 1'b0};

endmodule

`default_nettype wire
