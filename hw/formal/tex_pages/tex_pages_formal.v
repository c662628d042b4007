// tex_pages: a page is asked for only in a walk of the list and never while it is resident or the ego is outside; from
// its place in memory, whole, into its own slot; it becomes resident only if all its beats were good. After a walk
// each page of the list is resident or has failed. What is resident came from the base that is set. Assumed: commands
// and beats as axi_read has them, a configuration that holds during a walk, no start during one.
`default_nettype none

module tex_pages_formal #(
    parameter SLOTS = 4
) (
    input wire        clk,
    input wire        rst_n,
    input wire [63:0] cfg_base,
    input wire [ 6:0] cfg_pages,
    input wire        invalidate,
    input wire        start,
    input wire        leave,
    input wire        cmd_ready,
    input wire        beat_valid,
    input wire        beat_last,
    input wire        beat_bad
);

  localparam SW = $clog2(SLOTS);

  (* anyconst *) reg [SW-1:0] watched;  // any page
  wire busy, failed, cmd_valid, forget, page_we, page_done;
  wire [63:0] cmd_addr;
  wire [SW+5:0] page_waddr;
  wire [SW-1:0] page_slot;
  reg [SLOTS-1:0] resident_reg = 0;  // as tex_store keeps it

  tex_pages #(
      .SLOTS(SLOTS)
  ) dut (
      .clk         (clk),
      .rst_n       (rst_n),
      .cfg_base    (cfg_base),
      .cfg_pages   (cfg_pages),
      .invalidate  (invalidate),
      .start       (start),
      .leave       (leave),
      .busy        (busy),
      .failed      (failed),
      .cmd_valid   (cmd_valid),
      .cmd_ready   (cmd_ready),
      .cmd_addr    (cmd_addr),
      .s_beat_valid(beat_valid),
      .s_beat_last (beat_last),
      .s_beat_bad  (beat_bad),
      .resident    (resident_reg),
      .forget      (forget),
      .page_we     (page_we),
      .page_waddr  (page_waddr),
      .page_done   (page_done),
      .page_slot   (page_slot),
      .stat_loaded (),
      .stat_skipped()
  );

  (* hierconn *) wire [1:0] \dut.state_reg ;
  (* hierconn *) wire [6:0] \dut.page_reg ;
  (* hierconn *) wire [5:0] \dut.beat_reg ;
  (* hierconn *) wire \dut.bad_reg ;
  (* hierconn *) wire \dut.stale_reg ;
  (* hierconn *) wire [63:0] \dut.base_reg ;
  wire [6:0] page = \dut.page_reg ;
  wire [63:0] page_at = {45'd0, page, 12'd0};

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH(64)
  ) commands (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (cmd_valid),
      .ready  (cmd_ready),
      .payload(cmd_addr)
  );

  reg asked_reg = 1'b0;  // a command is taken, beats are to come
  reg [5:0] beat_reg = 6'd0;
  reg bad_reg = 1'b0;  // one of them was bad
  reg outside_reg = 1'b1;  // no walk has begun since the ego left
  reg busy_reg = 1'b0;
  reg [63:0] base_reg;
  reg [6:0] pages_reg;
  reg tried_reg = 1'b0;  // the walk has asked for the watched page, and failed
  reg [63:0] source_reg;  // where the watched page came from
  reg dirty_reg = 1'b0;  // an invalidation waits for the next start
  wire begins = start & (cfg_pages != 0);
  wire ends = beat_valid & beat_last;
  always @* begin
    assume (cfg_pages <= SLOTS);
    assume (!(busy & (start | leave)) && !(start & leave));
    if (busy_reg) assume (cfg_base == base_reg && cfg_pages == pages_reg);
    if (beat_valid) assume (asked_reg && beat_last == (beat_reg == 6'd63));
  end

  always @(posedge clk) begin
    base_reg  <= cfg_base;
    pages_reg <= cfg_pages;
    if (!rst_n) begin
      resident_reg <= 0;
      asked_reg    <= 1'b0;
      outside_reg  <= 1'b1;
      busy_reg     <= 1'b0;
      dirty_reg    <= 1'b0;
    end else begin
      busy_reg    <= begins | busy;
      outside_reg <= leave | (outside_reg & ~begins);
      dirty_reg   <= invalidate | (dirty_reg & ~begins);
      if (forget) resident_reg <= 0;
      else if (page_done) resident_reg[page_slot] <= 1'b1;
      if (cmd_valid & cmd_ready) begin
        asked_reg <= 1'b1;
        beat_reg  <= 6'd0;
        bad_reg   <= 1'b0;
      end else if (beat_valid) begin
        asked_reg <= ~beat_last;
        beat_reg  <= beat_reg + 6'd1;
        bad_reg   <= bad_reg | beat_bad;
      end
      if (begins) tried_reg <= 1'b0;
      else if (failed & (page_slot == watched)) tried_reg <= 1'b1;
      if (page_done & (page_slot == watched)) source_reg <= cmd_addr - page_at;
    end
  end

  wire listed = watched < cfg_pages;
  always @(posedge clk)
    if (rst_n) begin
      if (cmd_valid) assert (page < cfg_pages && !resident_reg[page[SW-1:0]] && !outside_reg && busy && !asked_reg);
      if (cmd_valid) assert (cmd_addr == cfg_base + page_at);
      if (page_we) assert (asked_reg && !beat_bad && page_waddr == {page[SW-1:0], beat_reg});
      if (beat_valid & ~beat_bad) assert (page_we);
      assert (page_done == (ends & ~(bad_reg | beat_bad)) && failed == (ends & (bad_reg | beat_bad)));
      if (page_done) assert (!resident_reg[page_slot] && page_slot == page && !outside_reg && !forget);
      if (leave | (begins & dirty_reg)) assert (forget);
      if (busy_reg & ~busy & listed) assert (resident_reg[watched] || tried_reg);
      if (outside_reg) assert (resident_reg == 0 && !busy);
      if (busy & resident_reg[watched]) assert (source_reg == cfg_base);
      // What induction needs.
      if (resident_reg[watched]) assert (source_reg == \dut.base_reg );
      if (busy) assert (busy_reg && \dut.base_reg == cfg_base && page <= cfg_pages && cfg_pages != 0);
      assert (asked_reg == (\dut.state_reg == 2'd3));
      if (asked_reg) assert (page < cfg_pages && !resident_reg[page[SW-1:0]] && \dut.beat_reg == beat_reg);
      if (asked_reg) assert (\dut.bad_reg == bad_reg);
      if (busy & listed & (page > watched)) assert (resident_reg[watched] || tried_reg);
      if (dirty_reg) assert (\dut.stale_reg );
      cover (cmd_valid & (page == 1) & resident_reg[0]);
      cover (failed & (page == 0) & ~outside_reg);
    end

endmodule

`default_nettype wire
