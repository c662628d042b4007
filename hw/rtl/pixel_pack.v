// Joins the kept pixels of a stream's beats into full beats, lowest lane first. The kept lanes of a beat
// may lie anywhere in it. A beat a clock; latency 3 cycles from the beat that fills an output beat.
// `flush` (a level: no beat comes any more) sends the last, partly filled beat; `drained` is high when
// nothing is held. Lanes with m_axis_tkeep = 0 mean nothing; the kept ones start at lane 0.
// Reset forgets what is held.
`default_nettype none
`timescale 1ns / 1ps

module pixel_pack #(
    parameter PPC   = 8,  // pixels a beat: 1, 2, 4, 8 or 16
    parameter PIX_W = 32  // bits a pixel, >= 1
) (
    input  wire                 clk,
    input  wire                 rst_n,
    input  wire                 flush,
    output wire                 drained,
    input  wire                 s_axis_tvalid,
    output wire                 s_axis_tready,
    input  wire [PPC*PIX_W-1:0] s_axis_tdata,
    input  wire [      PPC-1:0] s_axis_tkeep,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,
    output wire [PPC*PIX_W-1:0] m_axis_tdata,
    output wire [      PPC-1:0] m_axis_tkeep
);

  initial begin
    if ((PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) || PIX_W < 1) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16 and PIX_W >= 1, they are %0d and %0d", PPC, PIX_W);
      $finish;
    end
  end

  localparam STEPS = $clog2(PPC);
  localparam COUNT_W = STEPS + 1;  // counts 0..PPC
  localparam [31:0] PPC_INT = PPC;
  localparam [COUNT_W-1:0] FULL = PPC_INT[COUNT_W-1:0];

  // Stage 1: the beat, and for each lane how many lanes before it are left out.
  reg                      in_valid_reg;
  reg  [    PPC*PIX_W-1:0] in_data_reg;
  reg  [          PPC-1:0] in_keep_reg;
  reg  [  PPC*COUNT_W-1:0] in_holes_reg;
  reg  [      COUNT_W-1:0] in_count_reg;
  // Stage 2: kept lanes moved together at lane 0.
  reg                      dense_valid_reg;
  reg  [    PPC*PIX_W-1:0] dense_data_reg;
  reg  [      COUNT_W-1:0] dense_count_reg;
  // Stage 3: what does not fill a beat yet (`fill` lanes), and the output.
  reg  [    PPC*PIX_W-1:0] rest_reg;
  reg  [      COUNT_W-1:0] fill_reg;
  reg                      out_valid_reg;
  reg  [    PPC*PIX_W-1:0] out_data_reg;
  reg  [          PPC-1:0] out_keep_reg;
  reg                      awake_reg;

  wire                     out_move = ~out_valid_reg | m_axis_tready;
  wire [        COUNT_W:0] total = {1'b0, fill_reg} + {1'b0, dense_count_reg};
  wire                     fills = dense_valid_reg & (total >= {1'b0, FULL});
  wire                     dense_move = ~dense_valid_reg | ~fills | out_move;
  wire                     in_move = ~in_valid_reg | dense_move;
  wire                     in_take = s_axis_tvalid & s_axis_tready;
  wire                     flush_last = flush & ~in_valid_reg & ~dense_valid_reg & (fill_reg != 0);

  assign s_axis_tready = awake_reg & in_move;
  assign drained       = ~in_valid_reg & ~dense_valid_reg & ~out_valid_reg & (fill_reg == 0);

  reg     [PPC*COUNT_W-1:0] holes_next;
  reg     [    COUNT_W-1:0] holes;
  integer                   h;
  always @* begin
    holes = {COUNT_W{1'b0}};
    for (h = 0; h < PPC; h = h + 1) begin
      holes_next[COUNT_W*h+:COUNT_W] = holes;
      if (!s_axis_tkeep[h]) holes = holes + 1'b1;
    end
  end

  // Every kept lane moves down by its number of holes, one binary digit a step, the least significant
  // first: then two kept lanes never meet.
  reg     [  PPC*PIX_W-1:0] dense_data;
  reg     [        PPC-1:0] dense_keep;
  reg     [PPC*COUNT_W-1:0] dense_holes;
  integer                   d;
  integer                   lane;
  always @* begin
    dense_data  = in_data_reg;
    dense_keep  = in_keep_reg;
    dense_holes = in_holes_reg;
    for (d = 0; d < STEPS; d = d + 1)
      for (lane = 0; lane < PPC; lane = lane + 1) begin
        if (dense_keep[lane] & dense_holes[COUNT_W*lane+d]) dense_keep[lane] = 1'b0;
        if (lane + (1 << d) < PPC)
          if (dense_keep[lane+(1<<d)] & dense_holes[COUNT_W*(lane+(1<<d))+d]) begin
            dense_data[PIX_W*lane+:PIX_W]       = dense_data[PIX_W*(lane+(1<<d))+:PIX_W];
            dense_holes[COUNT_W*lane+:COUNT_W] = dense_holes[COUNT_W*(lane+(1<<d))+:COUNT_W];
            dense_keep[lane]                    = 1'b1;
          end
      end
  end

  // The dense beat turned up by `fill` lanes: its lanes from `fill` on join the rest, the ones that
  // wrapped start the next beat.
  reg     [PPC*PIX_W-1:0] turned;
  integer                 s;
  always @* begin
    turned = dense_data_reg;
    for (s = 0; s < STEPS; s = s + 1)
      if (fill_reg[s]) turned = (turned << (PIX_W * (1 << s))) | (turned >> (PIX_W * (PPC - (1 << s))));
  end

  reg     [PPC*PIX_W-1:0] joined;
  integer                 j;
  always @* begin
    joined = rest_reg;
    for (j = 0; j < PPC; j = j + 1) if (fill_reg <= j[COUNT_W-1:0]) joined[PIX_W*j+:PIX_W] = turned[PIX_W*j+:PIX_W];
  end

  always @(posedge clk) begin
    if (!rst_n) begin
      awake_reg       <= 1'b0;
      in_valid_reg    <= 1'b0;
      dense_valid_reg <= 1'b0;
      out_valid_reg   <= 1'b0;
      fill_reg        <= {COUNT_W{1'b0}};
      out_keep_reg    <= {PPC{1'b0}};
      out_data_reg    <= {PPC * PIX_W{1'b0}};
      rest_reg        <= {PPC * PIX_W{1'b0}};
    end else begin
      awake_reg <= 1'b1;
      // A beat that keeps nothing ends here.
      if (in_move) in_valid_reg <= in_take & (|s_axis_tkeep);
      if (dense_move) dense_valid_reg <= in_valid_reg;
      if (out_move) begin
        out_valid_reg <= fills | flush_last;
        out_keep_reg  <= flush_last ? ~({PPC{1'b1}} << fill_reg) : {PPC{1'b1}};
        if (fills | flush_last) out_data_reg <= flush_last ? rest_reg : joined;
      end
      if (dense_valid_reg & dense_move) begin
        rest_reg <= fills ? turned : joined;
        fill_reg <= fills ? total[COUNT_W-1:0] - FULL : total[COUNT_W-1:0];
      end else if (flush_last & out_move) fill_reg <= {COUNT_W{1'b0}};
    end
    if (in_take & (|s_axis_tkeep)) begin
      in_data_reg  <= s_axis_tdata;
      in_keep_reg  <= s_axis_tkeep;
      in_holes_reg <= holes_next;
      in_count_reg <= FULL - holes;
    end
    if (in_valid_reg & dense_move) begin
      dense_data_reg  <= dense_data;
      dense_count_reg <= in_count_reg;
    end
  end

  assign m_axis_tvalid = out_valid_reg;
  assign m_axis_tdata  = out_data_reg;
  assign m_axis_tkeep  = out_keep_reg;

endmodule

`default_nettype wire
