// roi_sets with roi_clip, as in the kernel: in immediate mode a beat that leaves the clip more than 5 moving cycles
// after the COMMIT handshake is clipped by the new set. roi_regs hands the COMMIT on one cycle after the handshake, so
// the handshake is one cycle before `commit`. Cycles in which the output stalls or the clip has no beat do not count.
// Where the input has a gap in these cycles, beats of the old set may drain before the next beat comes: then 9.
`default_nettype none

module roi_inject_formal (
    input wire        clk,
    input wire        rst_n,
    input wire [63:0] shadow,
    input wire        commit,
    input wire        frame_start,
    input wire        s_tvalid,
    input wire [13:0] s_tuser,
    input wire        s_tlast,
    input wire        m_tready
);

  wire [51:0] clip_set;
  wire roi_gen;
  wire clip_active;
  wire clip_stalled;
  wire clip_fire;
  wire clip_gen;
  wire s_tready;
  wire [11*32-1:0] counters;
  wire m_tkeep;
  wire m_tlast;

  roi_sets #(
      .NUM_ROI(1)
  ) sets (
      .clk         (clk),
      .rst_n       (rst_n),
      .clear       (1'b0),
      .shadow      (shadow),
      .commit      (commit),
      .frame_begins(frame_start),
      .immediate   (1'b1),
      .roi_set     (),
      .clip_set    (clip_set),
      .roi_gen     (roi_gen),
      .clip_active (clip_active),
      .clip_stalled(clip_stalled),
      .clip_fire   (clip_fire),
      .clip_gen    (clip_gen),
      .counters    (counters)
  );

  roi_clip #(
      .PPC    (1),
      .PIX_W  (1),
      .NUM_ROI(1)
  ) clip (
      .clk          (clk),
      .rst_n        (rst_n),
      .frame_start  (frame_start),
      .cfg_width    (13'd4096),
      .roi_set      (clip_set),
      .roi_gen      (roi_gen),
      .immediate    (1'b1),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .s_axis_tdata (1'b0),
      .s_axis_tuser (s_tuser),
      .s_axis_tlast (s_tlast),
      .m_axis_tvalid(),
      .m_axis_tready(m_tready),
      .m_axis_tdata (),
      .m_axis_tkeep (m_tkeep),
      .m_axis_tuser (),
      .m_axis_tlast (m_tlast),
      .clip_active  (clip_active),
      .clip_stalled (clip_stalled),
      .clip_fire    (clip_fire),
      .clip_gen     (clip_gen),
      .err_sof      ()
  );

  initial assume (!rst_n);

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

  // Moving cycles from the handshake on; a COMMIT comes only when the one before has arrived (one bit of generation).
  reg [3:0] since_reg = 4'd15;
  reg       tracking_reg = 1'b0;
  reg       had_reg = 1'b0;
  reg       gap_reg = 1'b0;  // the input had a gap since
  wire      moves = clip_active & ~clip_stalled;
  wire      arrives = tracking_reg & clip_fire & (clip_gen == roi_gen);
  always @(posedge clk) begin
    if (!rst_n) begin
      tracking_reg <= 1'b0;
      had_reg      <= 1'b0;
    end else begin
      if (commit) begin
        tracking_reg <= 1'b1;
        had_reg      <= 1'b1;
        since_reg    <= 4'd1 + moves;  // the handshake's cycle and this one
        gap_reg      <= ~s_tvalid;
      end else begin
        if (tracking_reg & moves) since_reg <= since_reg + (since_reg != 4'd15);
        if (tracking_reg & ~s_tvalid) gap_reg <= 1'b1;
        if (arrives) tracking_reg <= 1'b0;
      end
    end
    if (commit) assume (!tracking_reg);
    if (rst_n) begin
      // `since_reg` counts the cycles before this one.
      if (clip_fire & had_reg & ~gap_reg & (since_reg > 4'd4)) assert (clip_gen == roi_gen);
      if (tracking_reg & ~gap_reg & s_tvalid) assert (since_reg <= 4'd5);
      if (tracking_reg) assert (since_reg <= 4'd9);
      if (had_reg & ~tracking_reg & ~gap_reg) assert (counters[63:32] <= 32'd5);
      if (had_reg & ~tracking_reg) assert (counters[63:32] <= 32'd9);
      cover (arrives & m_tkeep & ~gap_reg & (since_reg == 4'd4));
      cover (arrives & m_tlast & (since_reg == 4'd3));
    end
  end

endmodule

`default_nettype wire
