// Region sets, and the time it takes to put one in force. `commit` copies the whole shadow in one cycle, so that a set
// is never torn; a frame start copies the committed set to `roi_set`. `clip_set` is `roi_set`, or with `immediate`
// the committed set at once. `roi_change` is high in the cycle before a set is in force, at most one cycle later.
// The injection counter runs from the COMMIT handshake to the first beat that leaves the clip with the set in force.
// Counted apart are cycles of waiting for a frame start, for the reader of the clip's output, or for a beat that the
// set clips (`clip_pending` is low, also while older beats drain).
// `counters` = {sets that took over 24, 17 to 24, 9 to 16, 1 to 8 cycles, their number, sum, smallest, largest
// injection, waiting of the last set, injection of the last set, sets in force so far}.
// `clear` zeroes the counters and keeps the sets; reset empties the sets.
`default_nettype none
`timescale 1ns / 1ps

module roi_sets #(
    parameter NUM_ROI = 16  // regions in a set, 1 to 16
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire                  clear,
    input  wire [NUM_ROI*64-1:0] shadow,        // {y1, x1, y0, x0}, 16 bits each
    input  wire                  commit,
    input  wire                  frame_begins,  // the frame's first cycle is the next one
    input  wire                  immediate,
    output wire [NUM_ROI*52-1:0] roi_set,       // {y1, x1, y0, x0}, 13 bits each
    output wire [NUM_ROI*52-1:0] clip_set,
    output wire                  roi_change,
    input  wire                  clip_pending,
    input  wire                  clip_stalled,
    input  wire                  clip_fire,
    input  wire                  clip_fresh,
    output wire [     11*32-1:0] counters
);

  initial begin
    if (NUM_ROI < 1 || NUM_ROI > 16) begin
      $display("%m: NUM_ROI must be 1 to 16, it is %0d", NUM_ROI);
      $finish;
    end
  end

  // A frame is at most 4096 wide, so a larger coordinate means the same as 8191.
  function [12:0] clamp(input [15:0] value);
    clamp = value[15:13] != 3'd0 ? 13'h1FFF : value[12:0];
  endfunction

  reg [NUM_ROI*52-1:0] commit_reg;
  reg [NUM_ROI*52-1:0] set_reg;
  reg                  waiting_reg;  // a committed set waits for a frame start

  // `immediate` may change with the frame: a commit in that very cycle is judged by the new frame.
  wire                 at_once = immediate & ~frame_begins;
  wire                 takes = (waiting_reg & (frame_begins | immediate)) | (commit & at_once);

  integer n;
  always @(posedge clk) begin
    if (!rst_n) begin
      commit_reg  <= {NUM_ROI * 52{1'b0}};
      set_reg     <= {NUM_ROI * 52{1'b0}};
      waiting_reg <= 1'b0;
    end else begin
      if (commit) for (n = 0; n < 4 * NUM_ROI; n = n + 1) commit_reg[13*n+:13] <= clamp(shadow[16*n+:16]);
      if (frame_begins) set_reg <= commit_reg;
      waiting_reg <= (commit & ~at_once) | (waiting_reg & ~frame_begins & ~immediate);
    end
  end

  assign roi_set    = set_reg;
  assign clip_set   = immediate ? commit_reg : set_reg;
  assign roi_change = takes;

  reg         tracking_reg;  // the last set has not arrived yet
  reg  [31:0] sets_reg;
  reg  [31:0] inject_reg;
  reg  [31:0] wait_reg;
  reg  [31:0] max_reg;
  reg  [31:0] min_reg;
  reg  [31:0] sum_reg;
  reg  [31:0] count_reg;
  reg  [31:0] to_8_reg;
  reg  [31:0] to_16_reg;
  reg  [31:0] to_24_reg;
  reg  [31:0] over_24_reg;

  wire        waits = commit ? ~at_once : waiting_reg;
  wire        counts = ~waits & clip_pending & ~clip_stalled;
  wire        arrives = tracking_reg & ~commit & ~waiting_reg & clip_fire & clip_fresh;
  // The cycle of `commit` is the first one after the handshake on the bus, and counts.
  wire [31:0] inject_next = (commit ? 32'd0 : inject_reg) + {31'd0, counts};
  wire [31:0] wait_next = (commit ? 32'd0 : wait_reg) + {31'd0, ~counts};

  always @(posedge clk) begin
    if (!rst_n | clear) begin
      tracking_reg <= 1'b0;
      sets_reg     <= 32'd0;
      inject_reg   <= 32'd0;
      wait_reg     <= 32'd0;
      max_reg      <= 32'd0;
      min_reg      <= 32'd0;
      sum_reg      <= 32'd0;
      count_reg    <= 32'd0;
      to_8_reg     <= 32'd0;
      to_16_reg    <= 32'd0;
      to_24_reg    <= 32'd0;
      over_24_reg  <= 32'd0;
    end else begin
      tracking_reg <= commit | (tracking_reg & ~arrives);
      if (commit | tracking_reg) begin
        inject_reg <= inject_next;
        wait_reg   <= wait_next;
      end
      if (arrives) begin
        if (inject_next > max_reg) max_reg <= inject_next;
        if ((count_reg == 32'd0) | (inject_next < min_reg)) min_reg <= inject_next;
        sum_reg   <= sum_reg + inject_next;
        count_reg <= count_reg + 32'd1;
        if (inject_next <= 32'd8) to_8_reg <= to_8_reg + 32'd1;
        else if (inject_next <= 32'd16) to_16_reg <= to_16_reg + 32'd1;
        else if (inject_next <= 32'd24) to_24_reg <= to_24_reg + 32'd1;
        else over_24_reg <= over_24_reg + 32'd1;
      end
      if (takes) sets_reg <= sets_reg + 32'd1;
    end
  end

  assign counters = {
    over_24_reg, to_24_reg, to_16_reg, to_8_reg, count_reg, sum_reg, min_reg, max_reg, wait_reg, inject_reg, sets_reg
  };

endmodule

`default_nettype wire
