// Reads memory over AXI4: a command (address aligned to a beat, bytes) becomes INCR bursts of full beats,
// and the beats come out in order, the last one of each command with `m_axis_tlast`. A burst never crosses 4 KiB,
// has at most 256 beats, and at most OUTSTANDING bursts of together BEATS beats are in flight. The next command is
// accepted while the previous one is still being read. A command of 0 bytes completes with nothing. Latency: the
// request leaves 3 cycles after the command, a beat comes out 1 cycle after its handshake.
// A beat with an error response passes with `m_axis_tuser` = 1; the first code is kept in `resp`. When the firewall at
// the port times out (see read_firewall), the engine gives up until reset: every command that is open or comes later
// ends with a single beat, tlast = tuser = 1, tkeep = 0. `clear` zeroes `error`, `resp` and the statistics.
// `rst_n` drops all commands at any time; what the memory still owes then is taken before the next request leaves.
`default_nettype none
`timescale 1ns / 1ps

module axi_read #(
    parameter DATA_W = 512,    // bits of a beat: 32, 64, ... 1024
    parameter OUTSTANDING = 8, // bursts in flight, 1 to 64
    parameter BEATS = 512,     // beats in flight, a power of two, 1 to 4096; bursts are cut to it
    parameter ID_W = 1         // bits of the transaction id; the id is always 0
) (
    input  wire                clk,
    input  wire                rst_n,
    input  wire                port_rst_n,  // of the memory port
    // command
    input  wire                cmd_valid,
    output wire                cmd_ready,
    input  wire [        63:0] cmd_addr,
    input  wire [        31:0] cmd_bytes,
    // beats
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire [  DATA_W-1:0] m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tlast,
    output wire                m_axis_tuser,
    // memory
    output wire [    ID_W-1:0] m_axi_arid,
    output wire [        63:0] m_axi_araddr,
    output wire [         7:0] m_axi_arlen,
    output wire [         2:0] m_axi_arsize,
    output wire [         1:0] m_axi_arburst,
    output wire [         3:0] m_axi_arcache,
    output wire [         2:0] m_axi_arprot,
    output wire                m_axi_arvalid,
    input  wire                m_axi_arready,
    input  wire [    ID_W-1:0] m_axi_rid,
    input  wire [  DATA_W-1:0] m_axi_rdata,
    input  wire [         1:0] m_axi_rresp,
    input  wire                m_axi_rlast,
    input  wire                m_axi_rvalid,
    output wire                m_axi_rready,
    // status
    input  wire [        31:0] timeout,
    input  wire                clear,
    output wire                busy,
    output wire                error,
    output wire [         1:0] resp,
    output wire                timed_out,
    output wire                undrained,  // the memory owes beats of commands that are no more
    output wire [        31:0] stat_bursts,
    output wire [        31:0] stat_bytes
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);
  localparam PAGE_BEATS = 4096 / BYTES;
  localparam BUS_BEATS = PAGE_BEATS < 256 ? PAGE_BEATS : 256;
  localparam MAX_BEATS = BEATS < BUS_BEATS ? BEATS : BUS_BEATS;
  localparam BW = 33 - LB;  // bits of a number of beats
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
    if (BEATS < 1 || BEATS > 4096 || (BEATS & (BEATS - 1)) != 0) begin
      $display("%m: BEATS must be a power of two, 1 to 4096, it is %0d", BEATS);
      $finish;
    end
  end

  localparam [8:0] MAX9 = MAX_BEATS[8:0];
  localparam [$clog2(QUEUE):0] CREDITS = OUTSTANDING[$clog2(QUEUE):0];

  reg         up_reg;  // low in reset and the first cycle after it
  wire        dead = timed_out;
  wire        accept = cmd_valid & cmd_ready;
  wire        accept_some = accept & (cmd_bytes != 0);

  reg [7:0]   pending_reg;  // commands whose last beat has not come yet

  // Request side: what of the command is still to be asked for.
  reg         open_reg;
  reg [63:LB] addr_reg;
  reg [BW-1:0] left_reg;  // beats
  reg [LB-1:0] tail_reg;  // bytes in the last beat, 0 means all
  reg         burst_valid_reg;
  reg [8:0]   burst_reg;  // beats of the next burst

  assign cmd_ready = up_reg & ~open_reg & ~pending_reg[7];

  // Beats until the 4 KiB boundary. Where the page holds more than MAX_BEATS the boundary of MAX_BEATS is taken
  // instead: it is the same set of addresses for every later burst.
  wire [8:0]  room = MAX9 - (addr_reg[LB+8:LB] & (MAX9 - 9'd1));
  wire        fits = left_reg <= {{(BW - 9) {1'b0}}, room};

  wire        head_valid;
  wire        head_last;
  wire [LB-1:0] head_tail;
  wire [7:0]  head_len;
  wire        head_pop;

  wire        last_burst = left_reg == {{(BW - 9) {1'b0}}, burst_reg};
  wire [$clog2(QUEUE):0] flight;  // bursts asked for and not completely read
  wire        credit = flight != CREDITS;
  wire        port_ready;
  wire        issue = burst_valid_reg & credit & port_ready;

  wire [7:0]  burst_len = burst_reg[7:0] - 8'd1;  // 256 wraps to 255, as it must

  always @(posedge clk) begin
    if (!rst_n) begin
      up_reg          <= 1'b0;
      open_reg        <= 1'b0;
      burst_valid_reg <= 1'b0;
    end else begin
      up_reg <= 1'b1;
      if (dead) open_reg <= 1'b0;
      else if (accept_some) open_reg <= 1'b1;
      else if (issue & last_burst) open_reg <= 1'b0;
      burst_valid_reg <= open_reg & ~burst_valid_reg & ~dead | burst_valid_reg & ~issue;
    end
  end

  always @(posedge clk) begin
    if (accept) begin
      addr_reg <= cmd_addr[63:LB];
      left_reg <= {1'b0, cmd_bytes[31:LB]} + {{(BW - 1) {1'b0}}, |cmd_bytes[LB-1:0]};
      tail_reg <= cmd_bytes[LB-1:0];
    end else if (issue) begin
      addr_reg <= addr_reg + {{(64 - LB - 9) {1'b0}}, burst_reg};
      left_reg <= left_reg - {{(BW - 9) {1'b0}}, burst_reg};
    end
    if (!burst_valid_reg) burst_reg <= fits ? left_reg[8:0] : room;
  end

  wire beat_valid;
  wire beat_ready;
  read_firewall #(
      .DATA_W(DATA_W),
      .BEATS (BEATS)
  ) firewall (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .req_valid    (burst_valid_reg & credit),
      .req_ready    (port_ready),
      .req_addr     (addr_reg),
      .req_len      (burst_len),
      .beat_valid   (beat_valid),
      .beat_ready   (head_valid & beat_ready),
      .undrained    (undrained),
      .timed_out    (timed_out),
      .timeout      (timeout),
      .m_axi_araddr (m_axi_araddr),
      .m_axi_arlen  (m_axi_arlen),
      .m_axi_arvalid(m_axi_arvalid),
      .m_axi_arready(m_axi_arready),
      .m_axi_rvalid (m_axi_rvalid),
      .m_axi_rready (m_axi_rready)
  );

  assign m_axi_arid    = {ID_W{1'b0}};
  assign m_axi_arsize  = LB[2:0];
  assign m_axi_arburst = 2'b01;
  assign m_axi_arcache = 4'b0011;
  assign m_axi_arprot  = 3'b000;

  // One entry a burst in flight: its length, and whether it ends its command.
  wire queue_ready;
  stream_fifo #(
      .WIDTH(LB + 9),
      .DEPTH(QUEUE)
  ) queue (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(issue),
      .s_tready(queue_ready),
      .s_tdata ({last_burst, tail_reg, burst_len}),
      .m_tvalid(head_valid),
      .m_tready(head_pop),
      .m_tdata ({head_last, head_tail, head_len}),
      .count   (flight)
  );

  // Response side.
  reg  [7:0] beat_reg;  // beats of the head burst already taken
  wire       take = beat_valid & head_valid & beat_ready;
  wire       burst_end = beat_reg == head_len;
  wire       command_end = burst_end & head_last;
  wire       give_up = dead & (pending_reg != 8'd0);  // ends one command a beat

  assign head_pop = take & burst_end;

  wire [BYTES-1:0] tail_keep = ~({BYTES{1'b1}} << head_tail);
  wire [BYTES-1:0] keep = command_end & (head_tail != 0) ? tail_keep : {BYTES{1'b1}};

  skid_buffer #(
      .WIDTH(DATA_W + BYTES + 2)
  ) out (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(take | give_up),
      .s_tready(beat_ready),
      .s_tdata (dead ? {2'b11, {BYTES{1'b0}}, {DATA_W{1'b0}}}
                         : {m_axi_rresp[1], command_end, keep, m_axi_rdata}),
      .m_tvalid(m_axis_tvalid),
      .m_tready(m_axis_tready),
      .m_tdata ({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

  wire finish = (take & command_end) | (give_up & beat_ready);

  reg        error_reg;
  reg [1:0]  resp_reg;
  reg [31:0] bursts_reg;
  reg [31:0] bytes_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      beat_reg    <= 8'd0;
      pending_reg <= 8'd0;
      error_reg   <= 1'b0;
      resp_reg    <= 2'b00;
      bursts_reg  <= 32'd0;
      bytes_reg   <= 32'd0;
    end else begin
      if (take) beat_reg <= burst_end ? 8'd0 : beat_reg + 8'd1;
      pending_reg <= pending_reg + {7'd0, accept_some} - {7'd0, finish};
      if (clear) begin
        error_reg  <= 1'b0;
        resp_reg   <= 2'b00;
        bursts_reg <= 32'd0;
        bytes_reg  <= 32'd0;
      end else begin
        if (take & m_axi_rresp[1] & ~error_reg) begin
          error_reg <= 1'b1;
          resp_reg  <= m_axi_rresp;
        end
        if (issue) bursts_reg <= bursts_reg + 32'd1;
        if (take) bytes_reg <= bytes_reg + BYTES;
      end
    end
  end

  assign busy        = open_reg | (pending_reg != 8'd0) | m_axis_tvalid;
  assign error       = error_reg;
  assign resp        = resp_reg;
  assign stat_bursts = bursts_reg;
  assign stat_bytes  = bytes_reg;

  // The credits are fewer than the queue's places; the id is constant and the lengths are our own.
  wire unused = &{1'b0, queue_ready, m_axi_rid, m_axi_rlast, cmd_addr[LB-1:0], 1'b0};

endmodule

`default_nettype wire
