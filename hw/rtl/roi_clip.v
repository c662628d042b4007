// Marks the pixels of a raster stream that some region holds: m_axis_tkeep is the exact mask, every
// beat is passed on, those that keep nothing too. A beat a clock; latency 4 cycles, tready registered.
// Position: tuser[0] starts a frame, tlast ends a line whatever its length, tuser[13:1] of a line's
// first beat counts the lines left out before it. Pixels at or beyond cfg_width are never kept, and
// both coordinates saturate at 8191, which no region holds: a long line or a frame without end keeps
// nothing there. A short line just ends; a start of frame inside a line restarts the position.
// Regions: taken as a whole with the frame's first beat, or with every beat while `immediate`.
// After reset and after frame_start nothing is kept until a start-of-frame beat; beats before it are
// passed with tkeep = 0 and raise err_sof, which holds until the next frame_start.
`default_nettype none
`timescale 1ns / 1ps

module roi_clip #(
    parameter PPC     = 8,   // pixels a beat: 1, 2, 4, 8 or 16
    parameter PIX_W   = 56,  // bits a pixel, >= 1
    parameter NUM_ROI = 16   // regions, >= 1
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire                  frame_start,
    input  wire [          12:0] cfg_width,
    input  wire [NUM_ROI*52-1:0] roi_set,
    input  wire                  roi_change,   // roi_set is another set from the next cycle on
    input  wire                  immediate,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    input  wire [ PPC*PIX_W-1:0] s_axis_tdata,
    input  wire [          13:0] s_axis_tuser,
    input  wire                  s_axis_tlast,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire [ PPC*PIX_W-1:0] m_axis_tdata,
    output wire [       PPC-1:0] m_axis_tkeep,
    output wire [          13:0] m_axis_tuser,
    output wire                  m_axis_tlast,
    output wire                  clip_active,   // a beat at the input or inside
    output wire                  clip_pending,  // such a beat that the newest set clips, or may clip
    output wire                  clip_stalled,  // the output holds a beat that is not taken
    output wire                  clip_fire,     // a beat leaves
    output wire                  clip_fresh,    // the set at roi_set clipped the beat at the output
    output wire                  err_sof
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
    if (PIX_W < 1 || NUM_ROI < 1) begin
      $display("%m: PIX_W and NUM_ROI must be at least 1, they are %0d and %0d", PIX_W, NUM_ROI);
      $finish;
    end
  end

  localparam LANE_W = $clog2(PPC);
  localparam BLOCK_W = 13 - LANE_W;
  localparam [31:0] LANES_INT = PPC - 1;
  localparam [12:0] LANES = LANES_INT[12:0];
  localparam [12:0] LAST_Y = 13'h1fff;
  localparam BEAT_W = PPC * PIX_W + 15;

  // Entry: a skid buffer cuts the path from m_axis_tready.
  wire                 in_valid;
  wire                 in_ready;
  wire [PPC*PIX_W-1:0] in_data;
  wire [         13:0] in_user;
  wire                 in_last;

  skid_buffer #(
      .WIDTH(BEAT_W)
  ) u_entry (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(s_axis_tvalid),
      .s_tready(s_axis_tready),
      .s_tdata ({s_axis_tlast, s_axis_tuser, s_axis_tdata}),
      .m_tvalid(in_valid),
      .m_tready(in_ready),
      .m_tdata ({in_last, in_user, in_data})
  );

  // Three stages: position, rows tested, columns tested (the output).
  reg  pos_valid_reg;
  reg  row_valid_reg;
  reg  out_valid_reg;
  wire out_move = ~out_valid_reg | m_axis_tready;
  wire row_move = ~row_valid_reg | out_move;
  assign in_ready = ~pos_valid_reg | row_move;
  wire                 in_take = in_valid & in_ready;

  // Position of the beat that enters.
  reg                  line_start_reg;
  reg                  seek_reg;  // no start of frame seen yet
  reg                  err_sof_reg;
  reg  [         12:0] y_reg;
  reg  [  BLOCK_W-1:0] block_reg;
  wire                 in_sof = in_user[0];
  wire                 in_first = in_sof | line_start_reg;
  wire [         13:0] y_sum = {1'b0, y_reg} + {1'b0, in_user[13:1]} + 14'd1;
  wire [         12:0] y_line = y_sum[13] ? LAST_Y : y_sum[12:0];
  wire [         12:0] y_next = in_sof ? in_user[13:1] : in_first ? y_line : y_reg;
  wire [  BLOCK_W-1:0] block_inc = &block_reg ? block_reg : block_reg + 1'b1;
  wire [  BLOCK_W-1:0] block_next = in_first ? {BLOCK_W{1'b0}} : block_inc;

  reg                  pos_sof_reg;
  reg                  pos_first_reg;
  reg                  pos_dead_reg;
  reg                  pos_last_reg;
  reg  [         13:0] pos_user_reg;
  reg  [PPC*PIX_W-1:0] pos_data_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      pos_valid_reg  <= 1'b0;
      line_start_reg <= 1'b1;
      seek_reg       <= 1'b1;
      err_sof_reg    <= 1'b0;
      y_reg          <= 13'd0;
      block_reg      <= {BLOCK_W{1'b0}};
    end else begin
      if (in_ready) pos_valid_reg <= in_valid;
      if (in_take) begin
        line_start_reg <= in_last;
        y_reg          <= y_next;
        block_reg      <= block_next;
      end
      if (frame_start) begin
        seek_reg    <= 1'b1;
        err_sof_reg <= 1'b0;
      end else if (in_take) begin
        seek_reg    <= seek_reg & ~in_sof;
        err_sof_reg <= err_sof_reg | (seek_reg & ~in_sof);
      end
    end
    if (in_take) begin
      pos_sof_reg   <= in_sof;
      pos_first_reg <= in_first;
      pos_dead_reg  <= seek_reg & ~in_sof;
      pos_last_reg  <= in_last;
      pos_user_reg  <= in_user;
      pos_data_reg  <= in_data;
    end
  end

  // Rows: 2 * NUM_ROI comparisons once a line. The set and its row tests change together, so that
  // no beat sees parts of two sets.
  wire                  set_take = pos_sof_reg | immediate;
  reg  [NUM_ROI*52-1:0] set_reg;
  reg                   fresh_reg;  // set_reg is the set at roi_set
  reg  [   NUM_ROI-1:0] row_hit_reg;
  reg  [   NUM_ROI-1:0] row_hit_next;
  reg  [   BLOCK_W-1:0] row_block_reg;
  reg                   row_last_reg;
  reg  [          13:0] row_user_reg;
  reg  [ PPC*PIX_W-1:0] row_data_reg;
  reg                   row_dead_reg;
  wire                  row_take = pos_valid_reg & row_move;
  wire [NUM_ROI*52-1:0] set_next = set_take ? roi_set : set_reg;

  integer               r;
  always @* begin
    row_hit_next = row_hit_reg;
    for (r = 0; r < NUM_ROI; r = r + 1)
      if (pos_first_reg | set_take)
        row_hit_next[r] = (y_reg >= set_next[52*r+13+:13]) & (y_reg < set_next[52*r+39+:13]);
  end


  always @(posedge clk) begin
    if (!rst_n) begin
      row_valid_reg <= 1'b0;
      set_reg       <= {NUM_ROI * 52{1'b0}};
      fresh_reg     <= 1'b0;
      row_hit_reg   <= {NUM_ROI{1'b0}};
    end else begin
      if (row_move) row_valid_reg <= pos_valid_reg;
      if (row_take) begin
        row_hit_reg <= row_hit_next;
        if (set_take) set_reg <= roi_set;
      end
      // The beat that takes the set just before it changes has an old one already.
      fresh_reg <= ~roi_change & (fresh_reg | (row_take & set_take));
    end
    if (row_take) begin
      row_block_reg <= block_reg;
      row_dead_reg  <= pos_dead_reg;
      row_last_reg  <= pos_last_reg;
      row_user_reg  <= pos_user_reg;
      row_data_reg  <= pos_data_reg;
    end
  end

  // Columns: a bound splits the lanes of its own block, and all lanes of any other block lie on one side.
  function [PPC-1:0] at_or_after;
    input [12:0] bound;
    input [BLOCK_W-1:0] block;
    begin
      if (block > bound[12:LANE_W]) at_or_after = {PPC{1'b1}};
      else if (block == bound[12:LANE_W]) at_or_after = {PPC{1'b1}} << (bound & LANES);
      else at_or_after = {PPC{1'b0}};
    end
  endfunction

  reg     [PPC-1:0] keep_next;
  integer           c;
  always @* begin
    keep_next = {PPC{1'b0}};
    for (c = 0; c < NUM_ROI; c = c + 1)
      if (row_hit_reg[c])
        keep_next = keep_next |
            (at_or_after(set_reg[52*c+:13], row_block_reg) & ~at_or_after(set_reg[52*c+26+:13], row_block_reg));
    keep_next = keep_next & ~at_or_after(cfg_width, row_block_reg) & {PPC{~row_dead_reg}};
  end

  reg                  out_fresh_reg;
  reg                  out_last_reg;
  reg  [         13:0] out_user_reg;
  reg  [PPC*PIX_W-1:0] out_data_reg;
  reg  [      PPC-1:0] out_keep_reg;

  always @(posedge clk) begin
    if (!rst_n) out_valid_reg <= 1'b0;
    else if (out_move) out_valid_reg <= row_valid_reg;
    out_fresh_reg <= ~roi_change & (out_move ? fresh_reg : out_fresh_reg);
    if (row_valid_reg & out_move) begin
      out_last_reg <= row_last_reg;
      out_user_reg <= row_user_reg;
      out_data_reg <= row_data_reg;
      out_keep_reg <= keep_next;
    end
  end

  assign m_axis_tvalid = out_valid_reg;
  assign m_axis_tdata  = out_data_reg;
  assign m_axis_tkeep  = out_keep_reg;
  assign m_axis_tuser  = out_user_reg;
  assign m_axis_tlast  = out_last_reg;
  assign clip_active   = s_axis_tvalid | in_valid | pos_valid_reg | row_valid_reg | out_valid_reg;
  // Beats with an old set only drain: they are none of the newest set's.
  assign clip_pending  = s_axis_tvalid | in_valid | (pos_valid_reg & ~(roi_change & row_move))
                       | (~roi_change & ((row_valid_reg & fresh_reg) | (out_valid_reg & out_fresh_reg)));
  assign clip_stalled  = out_valid_reg & ~m_axis_tready;
  assign clip_fire     = out_valid_reg & m_axis_tready;
  assign clip_fresh    = out_fresh_reg;
  assign err_sof       = err_sof_reg;

endmodule

`default_nettype wire
