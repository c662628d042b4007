// Writes memory over AXI4: beats with beat-aligned addresses and strobes come in, consecutive ones join one INCR
// burst. A burst ends at a gap, at 4 KiB, at 256 beats, or with `flush` (level: no more beats come for now); its data
// is sent once its length is known, so the data channel never waits for the source. At most OUTSTANDING bursts are
// unanswered. `idle`: nothing is buffered and every burst is answered.
// The first error response is kept in `error` and `resp`. When the firewall at the port times out (see write_firewall),
// the engine gives up until reset: beats are accepted and discarded, and `idle` is high, so that the frame can end.
// `clear` zeroes `error`, `resp` and the statistics (`stat_bytes` counts strobed bytes).
// `rst_n` drops everything at any time; the bursts that the memory has begun are completed without strobes before the
// next beat is accepted.
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
    input  wire                port_rst_n,  // of the memory port
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
    output wire                undrained,  // the memory owes answers to bursts of before
    output wire [        31:0] stat_bursts,
    output wire [        31:0] stat_bytes
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam PAGE_BEATS = 4096 / BYTES;
  localparam MAX_BEATS = PAGE_BEATS < 256 ? PAGE_BEATS : 256;
  localparam OFFSET_W = $clog2(MAX_BEATS);
  localparam PLAN_DEPTH = 16;  // bursts whose length is known and that are not asked for yet

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

  localparam [4:0] PLAN_FULL = PLAN_DEPTH;

  wire        dead = timed_out;

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
  wire        store = s_beat_valid & data_ready & plan_room & ~dead;
  wire        joins = open_reg & ~full_reg & (beat == next_reg);
  // A burst is closed by a beat that does not join, by its own end, or by a flush.
  wire        close = open_reg & (plan_room & ~dead) & (store ? ~joins : full_reg | flush);

  assign s_beat_ready = dead | (data_ready & plan_room);

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

  // ---- Memory ---------------------------------------------------------------------------------------------------
  wire port_ready;
  wire sent;
  wire answered;
  wire owed;
  assign issue = plan_valid & port_ready;

  write_firewall #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(OUTSTANDING),
      .FIFO_DEPTH (FIFO_DEPTH)
  ) firewall (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .beat_valid   (s_beat_valid & plan_room & ~dead),
      .beat_ready   (data_ready),
      .beat_data    (s_beat_data),
      .beat_strb    (s_beat_strb),
      .req_valid    (plan_valid),
      .req_ready    (port_ready),
      .req_addr     (plan_addr),
      .req_len      (plan_len),
      .sent         (sent),
      .answered     (answered),
      .owed         (owed),
      .undrained    (undrained),
      .timed_out    (timed_out),
      .timeout      (timeout),
      .m_axi_awaddr (m_axi_awaddr),
      .m_axi_awlen  (m_axi_awlen),
      .m_axi_awvalid(m_axi_awvalid),
      .m_axi_awready(m_axi_awready),
      .m_axi_wdata  (m_axi_wdata),
      .m_axi_wstrb  (m_axi_wstrb),
      .m_axi_wlast  (m_axi_wlast),
      .m_axi_wvalid (m_axi_wvalid),
      .m_axi_wready (m_axi_wready),
      .m_axi_bvalid (m_axi_bvalid),
      .m_axi_bready (m_axi_bready)
  );

  assign m_axi_awid    = {ID_W{1'b0}};
  assign m_axi_awsize  = LB[2:0];
  assign m_axi_awburst = 2'b01;
  assign m_axi_awcache = 4'b0011;
  assign m_axi_awprot  = 3'b000;

  // ---- Answers and status -------------------------------------------------------------------------------------
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

  always @(posedge clk) begin
    if (!rst_n) begin
      error_reg   <= 1'b0;
      resp_reg    <= 2'b00;
      bursts_reg  <= 32'd0;
      bytes_reg   <= 32'd0;
      strobed_reg <= 8'd0;
    end else begin
      strobed_reg <= sent ? ones(m_axi_wstrb) : 8'd0;
      if (clear) begin
        error_reg  <= 1'b0;
        resp_reg   <= 2'b00;
        bursts_reg <= 32'd0;
        bytes_reg  <= 32'd0;
      end else begin
        if (answered & m_axi_bresp[1] & ~error_reg) begin
          error_reg <= 1'b1;
          resp_reg  <= m_axi_bresp;
        end
        if (issue) bursts_reg <= bursts_reg + 32'd1;
        bytes_reg <= bytes_reg + {24'd0, strobed_reg};
      end
    end
  end

  assign idle        = dead | (~open_reg & (plan_count == 5'd0) & ~owed);
  assign error       = error_reg;
  assign resp        = resp_reg;
  assign stat_bursts = bursts_reg;
  assign stat_bytes  = bytes_reg;

  wire unused = &{1'b0, plan_ready, m_axi_bid, s_beat_addr[LB-1:0], 1'b0};

endmodule

`default_nettype wire
