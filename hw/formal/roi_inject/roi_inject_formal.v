// roi_sets with roi_clip, as in the kernel: how long a COMMIT takes to the first beat that it clips. roi_regs hands a
// COMMIT on in the cycle after its handshake: `commit`. Sets may come at any time, also faster than they arrive.
// A beat that is marked when it is offered gives the count to expect: the cycles from its offer, or from `commit` if
// that is later, to its leaving, less those with a stalled output. ROI_INJECT_CYCLES is exactly this count of the first
// beat with the new set, and at most 5, in both modes. With `immediate` every beat that is offered from `commit` on is
// clipped by its set; else every beat of a frame is clipped by the set that was in force when the frame began.
`default_nettype none

module roi_inject_formal (
    input wire        clk,
    input wire        rst_n,
    input wire [63:0] shadow,
    input wire        commit,
    input wire        frame_begins,
    input wire        immediate,
    input wire        s_tvalid,
    input wire [13:0] s_tuser,
    input wire        s_tlast,
    input wire        m_tready,
    input wire        mark
);

  reg  frame_start_reg = 1'b0;
  wire [51:0] clip_set;
  wire roi_change;
  wire clip_active;
  wire clip_pending;
  wire clip_stalled;
  wire clip_fire;
  wire clip_fresh;
  wire s_tready;
  wire [11*32-1:0] counters;

  roi_sets #(
      .NUM_ROI(1)
  ) sets (
      .clk         (clk),
      .rst_n       (rst_n),
      .clear       (1'b0),
      .shadow      (shadow),
      .commit      (commit),
      .frame_begins(frame_begins),
      .immediate   (immediate),
      .roi_set     (),
      .clip_set    (clip_set),
      .roi_change  (roi_change),
      .clip_pending(clip_pending),
      .clip_stalled(clip_stalled),
      .clip_fire   (clip_fire),
      .clip_fresh  (clip_fresh),
      .counters    (counters)
  );

  roi_clip #(
      .PPC    (1),
      .PIX_W  (1),
      .NUM_ROI(1)
  ) clip (
      .clk          (clk),
      .rst_n        (rst_n),
      .frame_start  (frame_start_reg),
      .cfg_width    (13'd4096),
      .roi_set      (clip_set),
      .roi_change   (roi_change),
      .immediate    (immediate),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .s_axis_tdata (1'b0),
      .s_axis_tuser (s_tuser),
      .s_axis_tlast (s_tlast),
      .m_axis_tvalid(),
      .m_axis_tready(m_tready),
      .m_axis_tdata (),
      .m_axis_tkeep (),
      .m_axis_tuser (),
      .m_axis_tlast (),
      .clip_active  (clip_active),
      .clip_pending (clip_pending),
      .clip_stalled (clip_stalled),
      .clip_fire    (clip_fire),
      .clip_fresh   (clip_fresh),
      .err_sof      ()
  );

  stream_properties #(
      .WIDTH  (15),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tlast, s_tuser})
  );

  // Frames: one begins when the one before is through, its first beat and no other starts it; the mode is the frame's.
  initial assume (!rst_n);
  reg up_reg = 1'b0;
  reg in_frame_reg = 1'b0;
  reg sof_reg = 1'b0;  // the next beat is a frame's first
  reg past_immediate_reg;
  wire take = s_tvalid & s_tready;
  always @(posedge clk) begin
    up_reg             <= rst_n;
    frame_start_reg    <= rst_n & frame_begins;
    in_frame_reg       <= rst_n & (in_frame_reg | frame_start_reg);
    sof_reg            <= rst_n & (frame_start_reg | (sof_reg & ~take));
    past_immediate_reg <= immediate;
    assume (!((frame_begins | frame_start_reg) & clip_active));
    assume (!s_tvalid | (in_frame_reg & (s_tuser[0] == sof_reg)));
    if (up_reg & ~frame_start_reg) assume (immediate == past_immediate_reg);
  end

  // The marked beat.
  reg  [2:0] inside_reg = 3'd0;
  reg        offered_reg = 1'b0;  // the beat at the input was there in the cycle before
  reg        marked_reg = 1'b0;
  reg        at_input_reg = 1'b0;
  reg  [2:0] ahead_reg = 3'd0;
  reg  [3:0] age_reg = 4'd0;
  reg        newer_reg = 1'b0;  // it was offered in the cycle of the last COMMIT or later
  wire       marks = mark & s_tvalid & ~offered_reg & ~marked_reg;
  wire       leaves = marked_reg & ~at_input_reg & (ahead_reg == 3'd0) & clip_fire;
  wire [3:0] age = (commit ? 4'd0 : age_reg) + {3'd0, ~clip_stalled};

  // The last COMMIT's set: it waits for a frame start, then for its first beat.
  reg        waiting_reg = 1'b0;
  reg        tracking_reg = 1'b0;
  wire       arrives = tracking_reg & ~waiting_reg & ~commit & clip_fire & clip_fresh;
  reg        check_reg = 1'b0;  // the marked beat was the first one of its set
  reg  [3:0] expected_reg;
  always @(posedge clk) begin
    if (!rst_n) begin
      inside_reg   <= 3'd0;
      offered_reg  <= 1'b0;
      marked_reg   <= 1'b0;
      at_input_reg <= 1'b0;
      waiting_reg  <= 1'b0;
      tracking_reg <= 1'b0;
      check_reg    <= 1'b0;
    end else begin
      inside_reg  <= inside_reg + take - clip_fire;
      offered_reg <= s_tvalid & ~s_tready;
      if (marks) begin
        marked_reg   <= 1'b1;
        at_input_reg <= ~s_tready;
        ahead_reg    <= inside_reg - clip_fire;
        newer_reg    <= 1'b1;
        age_reg      <= {3'd0, ~clip_stalled};
      end else begin
        if (s_tready) at_input_reg <= 1'b0;
        if (clip_fire & (ahead_reg != 3'd0)) ahead_reg <= ahead_reg - 1'b1;
        if (commit) newer_reg <= 1'b0;
        if (age != 4'd15) age_reg <= age;
        if (leaves) marked_reg <= 1'b0;
      end
      waiting_reg  <= commit & (frame_begins | ~immediate) | waiting_reg & ~frame_begins & ~immediate;
      tracking_reg <= commit | (tracking_reg & ~arrives);
      check_reg    <= leaves & arrives;
      expected_reg <= age;
    end
    if (rst_n & up_reg) begin
      if (check_reg) assert (counters[63:32] == expected_reg);
      assert (counters[63:32] <= 32'd5);  // the last set's, also while it is on its way
      assert (counters[127:96] <= 32'd5);  // the largest
      assert (counters[351:256] == 96'd0);  // sets that took more than 8
      if (leaves & arrives) assert (age <= 4'd5);
      if (leaves & immediate & newer_reg & ~commit) assert (clip_fresh);
      if (clip_fire & ~immediate) assert (clip_fresh);
      cover (check_reg & immediate & (expected_reg == 4'd4));
      cover (check_reg & immediate & (expected_reg == 4'd5));
      cover (check_reg & ~immediate & (expected_reg == 4'd5) & (counters[31:0] == 32'd2));
      cover (leaves & immediate & ~clip_fresh);
    end
  end

endmodule

`default_nettype wire
