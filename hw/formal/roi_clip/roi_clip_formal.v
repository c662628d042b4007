// roi_clip, for any stream (any tlast, any start of frame, any number of lines left out), any pauses, and region sets
// that change at any time.
// MASK = 0: no beat is lost, doubled, changed or overtaken, and a beat passes a clock.
// MASK = 1: tkeep is the geometric mask of one set, which stood at roi_set as a whole in one cycle; the set changes with
// a frame's first beat only, or with `immediate` at once; clip_fresh says truly that it is the one at roi_set now.
// The mask is proved by induction: it needs the stages' contents, which are asserted to be what the stream demands.
`default_nettype none

module roi_clip_formal #(
    parameter PPC     = 2,
    parameter PIX_W   = 1,
    parameter NUM_ROI = 1,
    parameter MASK    = 0
) (
    input wire                  clk,
    input wire                  rst_n,
    input wire                  frame_start,
    input wire [NUM_ROI*52-1:0] roi_set,
    input wire                  roi_change,
    input wire                  immediate,
    input wire                  s_tvalid,
    input wire [ PPC*PIX_W-1:0] s_tdata,
    input wire [          13:0] s_tuser,
    input wire                  s_tlast,
    input wire                  m_tready,
    input wire                  mark
);

  localparam LANE_W = $clog2(PPC);
  localparam BLOCK_W = 13 - LANE_W;
  localparam SET_W = NUM_ROI * 52;

  (* anyconst *) reg [12:0] cfg_width;
  (* anyconst *) reg [LANE_W:0] lane;

  wire s_tready;
  wire m_tvalid;
  wire [PPC*PIX_W-1:0] m_tdata;
  wire [PPC-1:0] m_tkeep;
  wire [13:0] m_tuser;
  wire m_tlast;
  wire clip_active;
  wire clip_fire;
  wire clip_fresh;

  roi_clip #(
      .PPC    (PPC),
      .PIX_W  (PIX_W),
      .NUM_ROI(NUM_ROI)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .frame_start  (frame_start),
      .cfg_width    (cfg_width),
      .roi_set      (roi_set),
      .roi_change   (roi_change),
      .immediate    (immediate),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .s_axis_tdata (s_tdata),
      .s_axis_tuser (s_tuser),
      .s_axis_tlast (s_tlast),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready),
      .m_axis_tdata (m_tdata),
      .m_axis_tkeep (m_tkeep),
      .m_axis_tuser (m_tuser),
      .m_axis_tlast (m_tlast),
      .clip_active  (clip_active),
      .clip_pending (),
      .clip_stalled (),
      .clip_fire    (clip_fire),
      .clip_fresh   (clip_fresh),
      .err_sof      ()
  );

  initial assume (!rst_n);
  always @* begin
    assume (lane < PPC);
    assume (!(frame_start & clip_active));  // a frame starts when the one before is through
  end

  stream_properties #(
      .WIDTH  (PPC * PIX_W + 15),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tlast, s_tuser, s_tdata})
  );

  // Contents of the stages, for the mask.
  (* hierconn *) wire \dut.in_take ;
  (* hierconn *) wire [13:0] \dut.in_user ;
  (* hierconn *) wire \dut.in_last ;
  (* hierconn *) wire \dut.pos_valid_reg ;
  (* hierconn *) wire \dut.pos_sof_reg ;
  (* hierconn *) wire \dut.pos_first_reg ;
  (* hierconn *) wire \dut.pos_dead_reg ;
  (* hierconn *) wire \dut.pos_last_reg ;
  (* hierconn *) wire [13:0] \dut.pos_user_reg ;
  (* hierconn *) wire \dut.row_valid_reg ;
  (* hierconn *) wire \dut.row_dead_reg ;
  (* hierconn *) wire \dut.row_last_reg ;
  (* hierconn *) wire [13:0] \dut.row_user_reg ;
  (* hierconn *) wire [BLOCK_W-1:0] \dut.row_block_reg ;
  (* hierconn *) wire [NUM_ROI-1:0] \dut.row_hit_reg ;
  (* hierconn *) wire [SET_W-1:0] \dut.set_reg ;
  (* hierconn *) wire \dut.fresh_reg ;
  (* hierconn *) wire \dut.line_start_reg ;
  (* hierconn *) wire \dut.seek_reg ;
  (* hierconn *) wire [12:0] \dut.y_reg ;
  (* hierconn *) wire [BLOCK_W-1:0] \dut.block_reg ;
  (* hierconn *) wire \dut.row_take ;
  (* hierconn *) wire \dut.set_take ;
  (* hierconn *) wire \dut.out_move ;

  wire take = s_tvalid & s_tready & rst_n;

  generate
    if (!MASK) begin : stream
      stream_properties #(
          .WIDTH(PPC * PIX_W + PPC + 15)
      ) sink (
          .clk    (clk),
          .rst_n  (rst_n),
          .valid  (m_tvalid),
          .ready  (m_tready),
          .payload({m_tlast, m_tuser, m_tkeep, m_tdata})
      );

      order_properties #(
          .WIDTH   (PPC * PIX_W + 15),
          .CAPACITY(5)
      ) order (
          .clk         (clk),
          .rst_n       (rst_n),
          .mark        (mark),
          .push        (take),
          .into        ({s_tlast, s_tuser, s_tdata}),
          .note        (1'b0),
          .pop         (clip_fire),
          .out         ({m_tlast, m_tuser, m_tdata}),
          .leaves      (),
          .held        (),
          .leaving_note()
      );

      // A beat a clock, whatever the pauses: the input is let in a cycle after the output moved, and an input that has
      // held for the latency shows at the output. So a pause on one side never makes one on the other.
      reg moved_reg = 1'b0;
      reg [2:0] offered_reg = 3'd0;  // cycles in a row with a beat at the input, from one that was taken on
      reg stalled_reg = 1'b0;  // the output stalled within them
      always @(posedge clk) begin
        moved_reg   <= rst_n & (~m_tvalid | m_tready);
        if (!rst_n | !s_tvalid) offered_reg <= 3'd0;
        else if (s_tready | (offered_reg != 3'd0)) offered_reg <= offered_reg + (offered_reg != 3'd7);
        stalled_reg <= rst_n & s_tvalid & (stalled_reg | (m_tvalid & ~m_tready));
        if (rst_n & moved_reg) assert (s_tready);
        if (rst_n & (offered_reg >= 3'd4)) assert (m_tvalid);
        cover (rst_n & (offered_reg == 3'd7) & stalled_reg & clip_fire);
      end
    end else begin : mask
      // A position {live, line_start, y, block} steps from beat to beat by the rules of the stream. Each stage has that
      // of the beat that it took last, and so has the output's reader: a valid beat is one step behind the next stage.
      localparam POS_W = 15 + BLOCK_W;
      localparam [POS_W-1:0] BEGIN = {2'b01, 13'd0, {BLOCK_W{1'b0}}};
      function [POS_W-1:0] step(input [POS_W-1:0] from, input [13:0] user, input last);
        reg first;
        reg [12:0] y;
        reg [13:0] down;
        reg [BLOCK_W-1:0] block;
        begin
          first = user[0] | from[POS_W-2];
          down  = from[BLOCK_W+:13] + user[13:1] + 1;
          y     = user[0] ? user[13:1] : !first ? from[BLOCK_W+:13] : down > 14'd8191 ? 13'd8191 : down[12:0];
          block = first ? 0 : &from[BLOCK_W-1:0] ? from[BLOCK_W-1:0] : from[BLOCK_W-1:0] + 1'b1;
          step  = {from[POS_W-1] | user[0], last, y, block};
        end
      endfunction

      reg [POS_W-1:0] entry_reg = BEGIN;
      reg [POS_W-1:0] row_reg = BEGIN;
      reg [POS_W-1:0] out_reg = BEGIN;
      reg [POS_W-1:0] left_reg = BEGIN;
      wire [12:0] out_y = out_reg[BLOCK_W+:13];
      wire [12:0] x = {out_reg[BLOCK_W-1:0], lane[LANE_W-1:0]};  // lanes of a block are a power of two

      // Sets: as a whole, of the cycle in which a beat takes one; they travel with the beats.
      reg [SET_W-1:0] row_set_reg = {SET_W{1'b0}};  // of the beat that came to the rows last
      reg [SET_W-1:0] out_set_reg;
      reg [SET_W-1:0] left_set_reg;
      reg known_reg = 1'b0;  // a beat has left since reset
      wire [SET_W-1:0] out_set = m_tvalid ? out_set_reg : left_set_reg;

      // By the definition: some region holds the pixel.
      reg kept;
      reg [NUM_ROI-1:0] row_hits;
      integer n;
      always @* begin
        kept = 1'b0;
        for (n = 0; n < NUM_ROI; n = n + 1) begin
          if (x >= out_set_reg[52*n+:13] && x < out_set_reg[52*n+26+:13]
              && out_y >= out_set_reg[52*n+13+:13] && out_y < out_set_reg[52*n+39+:13])
            kept = 1'b1;
          row_hits[n] = row_reg[BLOCK_W+:13] >= row_set_reg[52*n+13+:13]
                      && row_reg[BLOCK_W+:13] < row_set_reg[52*n+39+:13];
        end
        if (!out_reg[POS_W-1] || x >= cfg_width) kept = 1'b0;
      end

      reg up_reg = 1'b0;
      reg past_change_reg = 1'b0;
      reg past_active_reg = 1'b0;
      reg past_immediate_reg;
      reg [SET_W-1:0] past_set_reg;
      always @(posedge clk) begin
        up_reg             <= 1'b1;
        past_change_reg    <= roi_change;
        past_active_reg    <= clip_active;
        past_immediate_reg <= immediate;
        past_set_reg       <= roi_set;
        if (!rst_n) begin
          entry_reg   <= BEGIN;
          row_reg     <= BEGIN;
          out_reg     <= BEGIN;
          left_reg    <= BEGIN;
          row_set_reg <= {SET_W{1'b0}};
          known_reg   <= 1'b0;
        end else begin
          if (\dut.in_take ) entry_reg <= step(entry_reg, \dut.in_user , \dut.in_last );
          if (\dut.row_take ) row_reg <= entry_reg;
          if (\dut.row_take & \dut.set_take ) row_set_reg <= roi_set;
          if (\dut.row_valid_reg & \dut.out_move ) begin
            out_reg     <= row_reg;
            out_set_reg <= row_set_reg;
          end
          if (clip_fire) begin
            left_reg     <= step(left_reg, m_tuser, m_tlast);
            left_set_reg <= out_set_reg;
            known_reg    <= 1'b1;
          end
          if (frame_start) begin
            entry_reg[POS_W-1] <= 1'b0;
            row_reg[POS_W-1]   <= 1'b0;
            out_reg[POS_W-1]   <= 1'b0;
            left_reg[POS_W-1]  <= 1'b0;
          end
        end

        if (!up_reg) assume (!rst_n);
        else begin
          assume (past_change_reg | (roi_set == past_set_reg));
          assume (!past_active_reg | (immediate == past_immediate_reg));  // the mode is the frame's
          // The properties.
          if (m_tvalid & rst_n) begin
            assert (m_tkeep[lane] == kept);
            if (known_reg & ~m_tuser[0] & ~immediate) assert (out_set_reg == left_set_reg);
            if (clip_fresh) assert (out_set_reg == roi_set);
          end
          // What makes them inductive.
          assert (out_reg == (m_tvalid ? step(left_reg, m_tuser, m_tlast) : left_reg));
          assert (row_reg == (\dut.row_valid_reg ? step(out_reg, \dut.row_user_reg , \dut.row_last_reg ) : out_reg));
          assert (entry_reg == (\dut.pos_valid_reg ? step(row_reg, \dut.pos_user_reg , \dut.pos_last_reg ) : row_reg));
          assert ({~\dut.seek_reg , \dut.line_start_reg , \dut.y_reg , \dut.block_reg } == entry_reg);
          if (\dut.pos_valid_reg ) begin
            assert (\dut.pos_dead_reg == ~entry_reg[POS_W-1]);
            assert (\dut.pos_first_reg == (\dut.pos_user_reg [0] | row_reg[POS_W-2]));
            assert (\dut.pos_sof_reg == \dut.pos_user_reg [0]);
          end
          if (\dut.row_valid_reg )
            assert (\dut.row_block_reg == row_reg[BLOCK_W-1:0] && \dut.row_dead_reg == ~row_reg[POS_W-1]);
          assert (\dut.set_reg == row_set_reg);
          if (row_reg[POS_W-1]) assert (\dut.row_hit_reg == row_hits);
          if (\dut.fresh_reg ) assert (row_set_reg == roi_set);
          if ((m_tvalid | known_reg) & (~\dut.row_valid_reg | ~(\dut.row_user_reg [0] | immediate)))
            assert (row_set_reg == out_set);
        end
        cover (clip_fire & m_tkeep[lane] & (out_y > 2) & (x > PPC));
        cover (clip_fire & ~m_tkeep[lane] & out_reg[POS_W-1] & (m_tkeep != 0));
        cover (clip_fire & (out_y == 13'd8191));
        cover (clip_fire & known_reg & (out_set_reg != left_set_reg) & m_tuser[0] & ~immediate & m_tkeep[lane]);
        cover (clip_fire & known_reg & (out_set_reg != left_set_reg) & ~m_tuser[0] & immediate & m_tkeep[lane]);
      end
    end
  endgenerate

endmodule

`default_nettype wire
