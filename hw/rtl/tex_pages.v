// Brings the pages of the texture list into the store: page n lies at cfg_base + 4096 n and goes to slot n. `start`
// (a pulse, with the ego in the zone) walks the list, a page a cycle; a resident page is skipped, any other is asked for
// with one command of 4 KiB, and the walk goes on once its last beat is in. One page is in flight at a time, so one
// burst of 64 beats. A page with a bad beat stays absent and pulses `failed`; the next start tries it again.
// A change of the base or `invalidate` makes all pages absent at the next start, `leave` at once (and the list counts as
// skipped). `busy` from the cycle after a start to the end of the walk; not at all when the list is empty.
// Commands and beats: as axi_read has them. Reset: idle, counters zero.
`default_nettype none
`timescale 1ns / 1ps

module tex_pages #(
    parameter SLOTS = 16  // pages of the store: 2, 4, 8, 16, 32 or 64
) (
    input  wire                        clk,
    input  wire                        rst_n,
    input  wire [                63:0] cfg_base,      // any byte
    input  wire [                 6:0] cfg_pages,     // at most SLOTS
    input  wire                        invalidate,
    input  wire                        start,
    input  wire                        leave,
    output wire                        busy,
    output wire                        failed,
    output wire                        cmd_valid,
    input  wire                        cmd_ready,
    output wire [                63:0] cmd_addr,
    input  wire                        s_beat_valid,
    input  wire                        s_beat_last,
    input  wire                        s_beat_bad,
    // texture store
    input  wire [           SLOTS-1:0] resident,
    output wire                        forget,
    output wire                        page_we,
    output wire [$clog2(SLOTS*64)-1:0] page_waddr,
    output wire                        page_done,
    output wire [   $clog2(SLOTS)-1:0] page_slot,
    output wire [                31:0] stat_loaded,
    output wire [                31:0] stat_skipped
);

  localparam SW = $clog2(SLOTS);

  initial begin
    if (SLOTS != (1 << SW) || SLOTS < 2 || SLOTS > 64) begin
      $display("%m: SLOTS must be 2, 4, 8, 16, 32 or 64, it is %0d", SLOTS);
      $finish;
    end
  end

  localparam [1:0] IDLE = 2'd0;
  localparam [1:0] WALK = 2'd1;
  localparam [1:0] ASK = 2'd2;
  localparam [1:0] TAKE = 2'd3;

  reg  [ 1:0] state_reg;
  reg  [ 6:0] page_reg;
  reg  [ 5:0] beat_reg;
  reg         bad_reg;  // a beat of the page was bad
  reg         stale_reg;  // what is resident must be read again
  reg  [63:0] base_reg;  // where the resident pages came from
  reg  [31:0] loaded_reg;
  reg  [31:0] skipped_reg;

  wire        begins = start & (cfg_pages != 7'd0);
  wire        moved = base_reg != cfg_base;
  wire        walking = state_reg == WALK;
  wire        past = page_reg == cfg_pages;
  wire        here = resident[page_reg[SW-1:0]];
  wire        page_end = (state_reg == TAKE) & s_beat_valid & s_beat_last;
  wire        bad = bad_reg | s_beat_bad;

  always @(posedge clk) begin
    if (!rst_n) begin
      state_reg   <= IDLE;
      stale_reg   <= 1'b1;  // base_reg holds nothing yet
      loaded_reg  <= 32'd0;
      skipped_reg <= 32'd0;
    end else begin
      case (state_reg)
        IDLE:    if (begins) state_reg <= WALK;
        WALK:    if (past) state_reg <= IDLE;
                 else if (!here) state_reg <= ASK;
        ASK:     if (cmd_ready) state_reg <= TAKE;
        default: if (page_end) state_reg <= WALK;
      endcase
      // An invalidation that comes during the walk holds for the next start.
      stale_reg <= invalidate | (stale_reg & ~begins);
      if (page_end & ~bad) loaded_reg <= loaded_reg + 32'd1;
      if (leave) skipped_reg <= skipped_reg + {25'd0, cfg_pages};
      else if (walking & ~past & here) skipped_reg <= skipped_reg + 32'd1;
    end
    if (begins) base_reg <= cfg_base;
    if (begins) page_reg <= 7'd0;
    else if (page_end | (walking & here)) page_reg <= page_reg + 7'd1;
    if (state_reg == ASK) begin
      beat_reg <= 6'd0;
      bad_reg  <= 1'b0;
    end else if (s_beat_valid) begin
      beat_reg <= beat_reg + 6'd1;
      bad_reg  <= bad;
    end
  end

  assign busy         = state_reg != IDLE;
  assign failed       = page_end & bad;
  assign cmd_valid    = state_reg == ASK;
  assign cmd_addr     = base_reg + {45'd0, page_reg, 12'd0};
  assign forget       = leave | (begins & (stale_reg | moved));
  assign page_we      = (state_reg == TAKE) & s_beat_valid & ~s_beat_bad;
  assign page_waddr   = {page_reg[SW-1:0], beat_reg};
  assign page_done    = page_end & ~bad;
  assign page_slot    = page_reg[SW-1:0];
  assign stat_loaded  = loaded_reg;
  assign stat_skipped = skipped_reg;

endmodule

`default_nettype wire
