// Writes memory over AXI4: beats with beat-aligned addresses and strobes come in, consecutive ones join one INCR
// burst. A burst ends at a gap, at 4 KiB, at 256 beats, or with `flush` (level: no more beats come for now); its data
// is sent once its length is known, so the data channel never waits for the source. At most OUTSTANDING bursts are
// unanswered. `idle`: nothing is buffered and every burst is answered.
// The first error response is kept in `error` and `resp`. When a burst is unanswered and neither a data nor a response
// handshake comes for `timeout` cycles the engine gives up until reset: `timed_out` stays, beats are accepted and
// discarded, and `idle` is high, so that the frame can end. `clear` zeroes `error`, `resp` and the statistics
// (`stat_bytes` counts strobed bytes). Reset drops everything.
`default_nettype none
`timescale 1ns / 1ps

module axi_write #(
    parameter DATA_W = 256,     // bits of a beat: 32, 64, ... 1024
    parameter OUTSTANDING = 8,  // bursts unanswered, 1 to 64
    parameter FIFO_DEPTH = 256, // beats buffered, a power of two, at least a whole burst: min(256, 4096 / bytes)
    parameter ID_W = 1          // bits of the transaction id; the id is always 0
) (
    input  wire                clk,
    input  wire                rst_n,
    // beats
    input  wire                s_beat_valid,
    output wire                s_beat_ready,
    input  wire [        63:0] s_beat_addr,
    input  wire [  DATA_W-1:0] s_beat_data,
    input  wire [DATA_W/8-1:0] s_beat_strb,
    input  wire                flush,
    // memory
    output wire [    ID_W-1:0] m_axi_awid,
    output wire [        63:0] m_axi_awaddr,
    output wire [         7:0] m_axi_awlen,
    output wire [         2:0] m_axi_awsize,
    output wire [         1:0] m_axi_awburst,
    output wire [         3:0] m_axi_awcache,
    output wire [         2:0] m_axi_awprot,
    output wire                m_axi_awvalid,
    input  wire                m_axi_awready,
    output wire [  DATA_W-1:0] m_axi_wdata,
    output wire [DATA_W/8-1:0] m_axi_wstrb,
    output wire                m_axi_wlast,
    output wire                m_axi_wvalid,
    input  wire                m_axi_wready,
    input  wire [    ID_W-1:0] m_axi_bid,
    input  wire [         1:0] m_axi_bresp,
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready,
    // status
    input  wire [        31:0] timeout,
    input  wire                clear,
    output wire                idle,
    output wire                error,
    output wire [         1:0] resp,
    output wire                timed_out,
    output wire [        31:0] stat_bursts,
    output wire [        31:0] stat_bytes
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam PAGE_BEATS = 4096 / BYTES;
  localparam MAX_BEATS = PAGE_BEATS < 256 ? PAGE_BEATS : 256;
  localparam OFFSET_W = $clog2(MAX_BEATS);
  localparam PLAN_DEPTH = 16;  // bursts whose length is known and that are not asked for yet
  localparam QUEUE = OUTSTANDING <= 4 ? 4 : 1 << $clog2(OUTSTANDING);

  initial begin
    if (DATA_W != BYTES * 8 || BYTES != (1 << LB) || BYTES < 4 || BYTES > 128) begin
      $display("%m: DATA_W must be 32, 64, 128, 256, 512 or 1024, it is %0d", DATA_W);
      $finish;
    end
    if (OUTSTANDING < 1 || OUTSTANDING > 64) begin
      $display("%m: OUTSTANDING must be 1 to 64, it is %0d", OUTSTANDING);
      $finish;
    end
    if (FIFO_DEPTH < MAX_BEATS) begin
      $display("%m: FIFO_DEPTH must hold a burst of %0d beats, it is %0d", MAX_BEATS, FIFO_DEPTH);
      $finish;
    end
  end

  localparam [6:0] CREDITS = OUTSTANDING[6:0];
  localparam [4:0] PLAN_FULL = PLAN_DEPTH;

  reg         dead_reg;  // timed out

  // ---- Planning: the burst that beats are joining -------------------------------------------------------------
  reg         open_reg;
  reg         full_reg;  // its last beat is the last one before a boundary
  reg [63:LB] start_reg;
  reg [63:LB] next_reg;  // the address that would join
  reg [7:0]   len_reg;  // beats - 1

  wire        data_ready;
  wire [ 4:0] plan_count;
  wire        plan_room = plan_count < PLAN_FULL;
  wire        plan_ready;

  wire [63:LB] beat = s_beat_addr[63:LB];
  wire        store = s_beat_valid & data_ready & plan_room & ~dead_reg;
  wire        joins = open_reg & ~full_reg & (beat == next_reg);
  // A burst is closed by a beat that does not join, by its own end, or by a flush.
  wire        close = open_reg & (plan_room & ~dead_reg) & (store ? ~joins : full_reg | flush);

  assign s_beat_ready = dead_reg | (data_ready & plan_room);

  always @(posedge clk) begin
    if (!rst_n) open_reg <= 1'b0;
    else if (store) open_reg <= 1'b1;
    else if (close) open_reg <= 1'b0;
  end

  always @(posedge clk) begin
    if (store) begin
      // Where a page holds more than 256 beats, bursts end at multiples of 256 beats as well.
      full_reg <= &beat[LB+OFFSET_W-1:LB];
      next_reg <= beat + 1'b1;
      if (!joins) start_reg <= beat;
      len_reg <= joins ? len_reg + 8'd1 : 8'd0;
    end
  end

  wire         plan_valid;
  wire         issue;
  wire [63:LB] plan_addr;
  wire [  7:0] plan_len;
  stream_fifo #(
      .WIDTH(64 - LB + 8),
      .DEPTH(PLAN_DEPTH)
  ) plan (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(close),
      .s_tready(plan_ready),
      .s_tdata ({start_reg, len_reg}),
      .m_tvalid(plan_valid),
      .m_tready(issue),
      .m_tdata ({plan_addr, plan_len}),
      .count   (plan_count)
  );

  // ---- Requests -----------------------------------------------------------------------------------------------
  reg         awvalid_reg;
  reg [63:LB] awaddr_reg;
  reg [  7:0] awlen_reg;
  reg [  6:0] flight_reg;  // bursts asked for and not answered
  wire        answer = m_axi_bvalid & m_axi_bready;
  assign issue = plan_valid & (~awvalid_reg | m_axi_awready) & (flight_reg != CREDITS) & ~dead_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      awvalid_reg <= 1'b0;
      flight_reg  <= 7'd0;
    end else begin
      if (issue) awvalid_reg <= 1'b1;
      else if (m_axi_awready) awvalid_reg <= 1'b0;
      flight_reg <= flight_reg + {6'd0, issue} - {6'd0, answer};
    end
  end

  always @(posedge clk) begin
    if (issue) begin
      awaddr_reg <= plan_addr;
      awlen_reg  <= plan_len;
    end
  end

  assign m_axi_awid    = {ID_W{1'b0}};
  assign m_axi_awaddr  = {awaddr_reg, {LB{1'b0}}};
  assign m_axi_awlen   = awlen_reg;
  assign m_axi_awsize  = LB[2:0];
  assign m_axi_awburst = 2'b01;
  assign m_axi_awcache = 4'b0011;
  assign m_axi_awprot  = 3'b000;
  assign m_axi_awvalid = awvalid_reg;

  // ---- Data ---------------------------------------------------------------------------------------------------
  wire                        data_valid;
  wire                        send = m_axi_wvalid & m_axi_wready;
  wire [$clog2(FIFO_DEPTH):0] data_count;
  stream_fifo #(
      .WIDTH(DATA_W + BYTES),
      .DEPTH(FIFO_DEPTH)
  ) data (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(store),
      .s_tready(data_ready),
      .s_tdata ({s_beat_strb, s_beat_data}),
      .m_tvalid(data_valid),
      .m_tready(send),
      .m_tdata ({m_axi_wstrb, m_axi_wdata}),
      .count   (data_count)
  );

  // Lengths of the bursts whose data is to be sent. As many as credits, so it is never full.
  wire       length_valid;
  wire       length_ready;
  wire [7:0] length;
  wire [$clog2(QUEUE):0] length_count;
  stream_fifo #(
      .WIDTH(8),
      .DEPTH(QUEUE)
  ) lengths (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(issue),
      .s_tready(length_ready),
      .s_tdata (plan_len),
      .m_tvalid(length_valid),
      .m_tready(send & m_axi_wlast),
      .m_tdata (length),
      .count   (length_count)
  );

  reg [7:0] sent_reg;  // beats of the current burst
  assign m_axi_wvalid = data_valid & length_valid;
  assign m_axi_wlast  = sent_reg == length;

  always @(posedge clk) begin
    if (!rst_n) sent_reg <= 8'd0;
    else if (send) sent_reg <= m_axi_wlast ? 8'd0 : sent_reg + 8'd1;
  end

  // ---- Answers and status -------------------------------------------------------------------------------------
  reg [31:0] wait_reg;
  wire       waiting = (flight_reg != 7'd0) & ~send & ~answer & ~dead_reg;
  reg        error_reg;
  reg [ 1:0] resp_reg;
  reg [31:0] bursts_reg;
  reg [31:0] bytes_reg;
  reg [ 7:0] strobed_reg;  // bytes of the beat sent last: adding them apart keeps the path short

  function [7:0] ones(input [BYTES-1:0] strb);
    integer n;
    begin
      ones = 8'd0;
      for (n = 0; n < BYTES; n = n + 1) ones = ones + {7'd0, strb[n]};
    end
  endfunction

  assign m_axi_bready = (flight_reg != 7'd0) & ~dead_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      wait_reg    <= 32'd0;
      dead_reg    <= 1'b0;
      error_reg   <= 1'b0;
      resp_reg    <= 2'b00;
      bursts_reg  <= 32'd0;
      bytes_reg   <= 32'd0;
      strobed_reg <= 8'd0;
    end else begin
      wait_reg <= waiting ? wait_reg + 32'd1 : 32'd0;
      if (waiting & (wait_reg >= timeout)) dead_reg <= 1'b1;
      strobed_reg <= send ? ones(m_axi_wstrb) : 8'd0;
      if (clear) begin
        error_reg  <= 1'b0;
        resp_reg   <= 2'b00;
        bursts_reg <= 32'd0;
        bytes_reg  <= 32'd0;
      end else begin
        if (answer & m_axi_bresp[1] & ~error_reg) begin
          error_reg <= 1'b1;
          resp_reg  <= m_axi_bresp;
        end
        if (awvalid_reg & m_axi_awready) bursts_reg <= bursts_reg + 32'd1;
        bytes_reg <= bytes_reg + {24'd0, strobed_reg};
      end
    end
  end

  assign idle        = dead_reg | (~open_reg & (plan_count == 5'd0) & (flight_reg == 7'd0));
  assign error       = error_reg;
  assign resp        = resp_reg;
  assign timed_out   = dead_reg;
  assign stat_bursts = bursts_reg;
  assign stat_bytes  = bytes_reg;

  wire unused = &{1'b0, plan_ready, length_ready, length_count, data_count, m_axi_bid, s_beat_addr[LB-1:0], 1'b0};

endmodule

`default_nettype wire
