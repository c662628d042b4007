// roi_sets: no set is ever torn. What is in force is a set that one COMMIT handed over, coordinate by coordinate: here
// two arbitrary coordinates, which must always be those of the same COMMIT, the one that the mode demands.
`default_nettype none

module roi_sets_formal #(
    parameter NUM_ROI = 2
) (
    input wire                  clk,
    input wire                  rst_n,
    input wire                  clear,
    input wire [NUM_ROI*64-1:0] shadow,
    input wire                  commit,
    input wire                  frame_begins,
    input wire                  immediate,
    input wire                  clip_pending,
    input wire                  clip_stalled,
    input wire                  clip_fire,
    input wire                  clip_fresh
);

  (* anyconst *) reg [7:0] one;
  (* anyconst *) reg [7:0] two;
  wire [NUM_ROI*52-1:0] roi_set;
  wire [NUM_ROI*52-1:0] clip_set;
  wire roi_change;
  wire [11*32-1:0] counters;

  roi_sets #(
      .NUM_ROI(NUM_ROI)
  ) dut (
      .clk         (clk),
      .rst_n       (rst_n),
      .clear       (clear),
      .shadow      (shadow),
      .commit      (commit),
      .frame_begins(frame_begins),
      .immediate   (immediate),
      .roi_set     (roi_set),
      .clip_set    (clip_set),
      .roi_change  (roi_change),
      .clip_pending(clip_pending),
      .clip_stalled(clip_stalled),
      .clip_fire   (clip_fire),
      .clip_fresh  (clip_fresh),
      .counters    (counters)
  );

  initial assume (!rst_n);
  always @* assume (one < 4 * NUM_ROI && two < 4 * NUM_ROI);
  // The mode is part of a frame's configuration.
  reg past_immediate_reg;
  reg past_begins_reg = 1'b0;
  reg started_reg = 1'b0;
  always @(posedge clk) begin
    past_immediate_reg <= immediate;
    past_begins_reg    <= frame_begins;
    started_reg        <= 1'b1;
    if (started_reg && !past_begins_reg) assume (immediate == past_immediate_reg);
  end

  function [12:0] limited(input [15:0] value);
    limited = value > 16'd8191 ? 13'd8191 : value[12:0];
  endfunction

  wire [25:0] now = {limited(shadow >> (16 * one)), limited(shadow >> (16 * two))};
  wire [12:0] frame_one = roi_set >> (13 * one);
  wire [12:0] frame_two = roi_set >> (13 * two);
  wire [12:0] clip_one = clip_set >> (13 * one);
  wire [12:0] clip_two = clip_set >> (13 * two);
  wire [25:0] frame_pair = {frame_one, frame_two};
  wire [25:0] clip_pair = {clip_one, clip_two};
  reg  [25:0] committed_reg = 26'd0;  // of the last COMMIT
  reg  [25:0] frame_reg = 26'd0;  // of the last COMMIT before the frame began
  reg  [25:0] past_clip_reg = 26'd0;
  reg         past_change_reg = 1'b0;
  reg         up_reg = 1'b0;  // no reset in the cycle before
  reg  [ 1:0] quiet_reg = 2'd0;  // cycles in which nothing could change a set
  always @(posedge clk) begin
    if (!rst_n) begin
      committed_reg <= 26'd0;
      frame_reg     <= 26'd0;
    end else begin
      if (commit) committed_reg <= now;
      if (frame_begins) frame_reg <= committed_reg;
    end
    quiet_reg     <= commit | frame_begins | ~rst_n ? 2'd0 : quiet_reg + (quiet_reg != 2'd3);
    past_clip_reg <= clip_pair;
    past_change_reg <= roi_change;
    up_reg          <= rst_n;
    if (rst_n & started_reg) begin
      assert (frame_pair == frame_reg);
      assert (clip_pair == (immediate ? committed_reg : frame_reg));
      // A set is announced in the cycle before it is in force; only one that comes with a frame's first cycle may be
      // announced in that cycle. Nothing happens without a COMMIT or a frame start.
      if (up_reg && clip_pair != past_clip_reg) assert (past_change_reg | (roi_change & past_begins_reg));
      if (quiet_reg == 2'd3) assert (clip_pair == past_clip_reg && (commit | frame_begins | !roi_change));
      cover (one != two && frame_pair[12:0] != frame_pair[25:13] && frame_pair != committed_reg && frame_pair[12:0] != 0
             && !immediate);
      cover (immediate && clip_pair != frame_pair && roi_change);
      cover (counters[31:0] == 2);
    end
  end

endmodule

`default_nettype wire
