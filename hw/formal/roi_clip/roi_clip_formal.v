// roi_clip: no beat is lost, doubled, changed or overtaken; its tkeep is the geometric mask of one whole region set;
// the set changes only with a frame's first beat, or with `immediate` at once. The input is any stream (any tlast,
// any start of frame, any number of lines left out); the set in force is one of two arbitrary ones, named by roi_gen.
// MASK proves the mask (by induction, with the stages' contents as helping assertions), else the rest is proved.
`default_nettype none

module roi_clip_formal #(
    parameter PPC     = 2,
    parameter PIX_W   = 1,
    parameter NUM_ROI = 1,
    parameter MASK    = 0
) (
    input wire                 clk,
    input wire                 rst_n,
    input wire                 frame_start,
    input wire                 roi_gen,
    input wire                 s_tvalid,
    input wire [PPC*PIX_W-1:0] s_tdata,
    input wire [         13:0] s_tuser,
    input wire                 s_tlast,
    input wire                 m_tready,
    input wire                 mark
);

  localparam LANE_W = $clog2(PPC);
  localparam BLOCK_W = 13 - LANE_W;

  (* anyconst *) reg [NUM_ROI*52-1:0] set_0;
  (* anyconst *) reg [NUM_ROI*52-1:0] set_1;
  (* anyconst *) reg [12:0] cfg_width;
  (* anyconst *) reg immediate;
  (* anyconst *) reg [LANE_W:0] lane;

  wire s_tready;
  wire m_tvalid;
  wire [PPC*PIX_W-1:0] m_tdata;
  wire [PPC-1:0] m_tkeep;
  wire [13:0] m_tuser;
  wire m_tlast;
  wire clip_active;
  wire clip_fire;
  wire clip_gen;

  roi_clip #(
      .PPC    (PPC),
      .PIX_W  (PIX_W),
      .NUM_ROI(NUM_ROI)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .frame_start  (frame_start),
      .cfg_width    (cfg_width),
      .roi_set      (roi_gen ? set_1 : set_0),
      .roi_gen      (roi_gen),
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
      .clip_stalled (),
      .clip_fire    (clip_fire),
      .clip_gen     (clip_gen),
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

  wire take = s_tvalid & s_tready & rst_n;
  wire leaves;
  wire held;

  generate
    if (MASK) begin : mask
      assign leaves = 1'b0;
      assign held   = 1'b0;
    end else begin : stream
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
          .leaves      (leaves),
          .held        (held),
          .leaving_note()
      );
    end
  endgenerate

  // ---- The mask, by induction ------------------------------------------------------------------------------------
  // A position {live, line_start, y, block} steps from beat to beat by the rules of the stream. It is kept for the last
  // beat that left; the beats inside, from the output back, give the positions that the stages must agree with.
  localparam POS_W = 15 + BLOCK_W;
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
  (* hierconn *) wire [NUM_ROI*52-1:0] \dut.set_reg ;
  (* hierconn *) wire \dut.gen_reg ;
  (* hierconn *) wire \dut.line_start_reg ;
  (* hierconn *) wire \dut.seek_reg ;
  (* hierconn *) wire [12:0] \dut.y_reg ;
  (* hierconn *) wire [BLOCK_W-1:0] \dut.block_reg ;

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

  reg [POS_W-1:0] left_reg = {2'b01, 13'd0, {BLOCK_W{1'b0}}};  // of the beat that left last
  wire [POS_W-1:0] at_out = step(left_reg, m_tuser, m_tlast);
  wire [POS_W-1:0] after_out = m_tvalid ? at_out : left_reg;
  wire [POS_W-1:0] at_row = step(after_out, \dut.row_user_reg , \dut.row_last_reg );
  wire [POS_W-1:0] after_row = \dut.row_valid_reg ? at_row : after_out;
  wire [POS_W-1:0] at_pos = step(after_row, \dut.pos_user_reg , \dut.pos_last_reg );
  wire [POS_W-1:0] after_pos = \dut.pos_valid_reg ? at_pos : after_row;
  wire [NUM_ROI*52-1:0] row_set = \dut.gen_reg ? set_1 : set_0;
  wire [NUM_ROI*52-1:0] out_set = clip_gen ? set_1 : set_0;
  wire [12:0] out_y = at_out[BLOCK_W+:13];
  wire [13:0] x = at_out[BLOCK_W-1:0] * PPC + lane;

  // By the definition: some region holds the pixel.
  reg kept;
  reg [NUM_ROI-1:0] row_hits;
  integer n;
  always @* begin
    kept = 1'b0;
    for (n = 0; n < NUM_ROI; n = n + 1) begin
      if (x >= out_set[52*n+:13] && x < out_set[52*n+26+:13] && out_y >= out_set[52*n+13+:13] && out_y < out_set[52*n+39+:13])
        kept = 1'b1;
      row_hits[n] = after_row[BLOCK_W+:13] >= row_set[52*n+13+:13] && after_row[BLOCK_W+:13] < row_set[52*n+39+:13];
    end
    if (!at_out[POS_W-1] || x >= cfg_width) kept = 1'b0;
  end

  always @(posedge clk) begin
    if (!rst_n) left_reg <= {2'b01, 13'd0, {BLOCK_W{1'b0}}};
    else if (clip_fire) left_reg <= at_out;
    else if (frame_start) left_reg[POS_W-1] <= 1'b0;
  end

  generate
    if (MASK) begin : masked
      reg up_reg = 1'b0;
      always @(posedge clk) begin
        up_reg <= 1'b1;
        if (!up_reg) assume (!rst_n);
        else begin
          if (m_tvalid & rst_n) assert (m_tkeep[lane] == kept);  // the property; what follows makes it inductive
          assert ({~\dut.seek_reg , \dut.line_start_reg , \dut.y_reg , \dut.block_reg } == after_pos);
          if (\dut.pos_valid_reg ) begin
            assert (\dut.pos_dead_reg == ~at_pos[POS_W-1]);
            assert (\dut.pos_first_reg == (\dut.pos_user_reg [0] | after_row[POS_W-2]));
            assert (\dut.pos_sof_reg == \dut.pos_user_reg [0]);
          end
          if (\dut.row_valid_reg ) assert (\dut.row_block_reg == at_row[BLOCK_W-1:0] && \dut.row_dead_reg == ~at_row[POS_W-1]);
          if (after_row[POS_W-1]) assert (\dut.set_reg == row_set && \dut.row_hit_reg == row_hits);
        end
        cover (clip_fire & m_tkeep[lane] & (out_y > 2) & (x > PPC));
        cover (clip_fire & ~m_tkeep[lane] & at_out[POS_W-1] & (m_tkeep != 0));
        cover (clip_fire & (out_y == 13'd8191));
      end
    end
  endgenerate

  // ---- When the set changes, and a beat a clock --------------------------------------------------------------------
  generate
    if (!MASK) begin : when
      reg gen_known_reg = 1'b0;  // a beat has left since reset
      reg gen_reg;
      reg past_gen_reg;
      reg steady_reg = 1'b0;  // roi_gen has not changed since the marked beat came
      reg [2:0] flow_reg = 3'd0;  // cycles in which the output moved
      reg [2:0] fed_reg = 3'd0;
      always @(posedge clk) begin
        past_gen_reg <= roi_gen;
        steady_reg   <= held & (roi_gen == past_gen_reg) & steady_reg | take & mark & ~held;
        flow_reg     <= rst_n & m_tready ? flow_reg + (flow_reg != 3'd7) : 3'd0;
        fed_reg      <= rst_n & m_tready & s_tvalid & s_tready ? fed_reg + (fed_reg != 3'd7) : 3'd0;
        if (!rst_n) gen_known_reg <= 1'b0;
        else if (clip_fire) begin
          gen_known_reg <= 1'b1;
          gen_reg       <= clip_gen;
        end
        if (rst_n) begin
          if (clip_fire & gen_known_reg & ~m_tuser[0] & ~immediate) assert (clip_gen == gen_reg);
          if (leaves & steady_reg & (roi_gen == past_gen_reg) & (m_tuser[0] | immediate)) assert (clip_gen == roi_gen);
          // A beat a clock: an output that moves for five cycles has let the input in, and has no gap after a full one.
          if (flow_reg >= 3'd5) assert (s_tready);
          if (fed_reg >= 3'd4) assert (m_tvalid);
          cover (clip_fire & gen_known_reg & (clip_gen != gen_reg) & m_tuser[0] & ~immediate);
          cover (clip_fire & gen_known_reg & (clip_gen != gen_reg) & ~m_tuser[0] & immediate & m_tkeep[lane]);
        end
      end
    end
  endgenerate

endmodule

`default_nettype wire
