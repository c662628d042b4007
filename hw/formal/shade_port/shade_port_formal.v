// shade_port: every beat that is taken comes out once, in order, with its keep, user and last; those that keep a pixel
// or end a line go to the shader once each, in order, as records with their keep and pixels. Beats, records and answers
// keep the handshake rules, also when the shader is given up. `hold` stops the input and nothing else; `busy` is "a beat
// is inside". With a shader that keeps its side (ANSWERS = 1: one answer a record, in order, with the record's last)
// each answer leaves with its own beat, and there is no error. ANSWERS = 0: it may answer whatever and whenever.
// What the table holds, and lines and places in the record, are left to the bench.
`default_nettype none

module shade_port_formal #(
    parameter PPC     = 1,
    parameter FLIGHT  = 4,
    parameter ANSWERS = 0
) (
    input wire              clk,
    input wire              rst_n,
    input wire              hold,
    input wire [      31:0] timeout,
    input wire              clear,
    input wire              s_tvalid,
    input wire [       1:0] s_pixel,
    input wire [   PPC-1:0] s_tkeep,
    input wire [      13:0] s_tuser,
    input wire              s_tlast,
    input wire              r_tready,
    input wire              a_tvalid,
    input wire [       1:0] a_pixel,
    input wire              a_tlast,
    input wire              m_tready,
    input wire              mark_beat,
    input wire              mark_record,
    input wire              mark_answer
);

  localparam SIDE_W = PPC + 15;
  localparam PLACES = FLIGHT + 2;
  localparam RECORD_W = (PPC + 1) * 80;

  wire busy, error, timed_out, s_tready, r_tvalid, r_tlast, a_tready, m_tvalid, m_tlast;
  wire [RECORD_W-1:0] r_tdata;
  wire [PPC*32-1:0] m_tdata;
  wire [PPC-1:0] m_tkeep;
  wire [13:0] m_tuser;

  // Pixels are routed, never looked at: two bits, repeated, stand for all.
  shade_port #(
      .PPC   (PPC),
      .FLIGHT(FLIGHT)
  ) dut (
      .clk                (clk),
      .rst_n              (rst_n),
      .mat_we             (1'b0),
      .mat_waddr          (4'd0),
      .mat_wdata          (512'd0),
      .use_table          (1'b0),
      .cfg_background     (32'd0),
      .cfg_depth_out      (1'b0),
      .hold               (hold),
      .timeout            (timeout),
      .clear              (clear),
      .busy               (busy),
      .error              (error),
      .timed_out          (timed_out),
      .s_axis_tvalid      (s_tvalid),
      .s_axis_tready      (s_tready),
      .s_axis_tdata       ({PPC * 28{s_pixel}}),
      .s_axis_tkeep       (s_tkeep),
      .s_axis_tuser       (s_tuser),
      .s_axis_tlast       (s_tlast),
      .m_axis_shade_tvalid(r_tvalid),
      .m_axis_shade_tready(r_tready),
      .m_axis_shade_tdata (r_tdata),
      .m_axis_shade_tlast (r_tlast),
      .s_axis_shade_tvalid(a_tvalid),
      .s_axis_shade_tready(a_tready),
      .s_axis_shade_tdata ({PPC * 16{a_pixel}}),
      .s_axis_shade_tlast (a_tlast),
      .m_axis_tvalid      (m_tvalid),
      .m_axis_tready      (m_tready),
      .m_axis_tdata       (m_tdata),
      .m_axis_tkeep       (m_tkeep),
      .m_axis_tuser       (m_tuser),
      .m_axis_tlast       (m_tlast)
  );

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (SIDE_W + 2),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_pixel, s_tkeep, s_tuser, s_tlast})
  );

  stream_properties #(
      .WIDTH(RECORD_W + 1)
  ) records (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (r_tvalid),
      .ready  (r_tready),
      .payload({r_tdata, r_tlast})
  );

  stream_properties #(
      .WIDTH  (3),
      .ASSUMED(1)
  ) answers (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (a_tvalid),
      .ready  (a_tready),
      .payload({a_pixel, a_tlast})
  );

  stream_properties #(
      .WIDTH(PPC * 32 + SIDE_W)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({m_tdata, m_tkeep, m_tuser, m_tlast})
  );

  wire asking = rst_n & ~timed_out;
  wire takes = s_tvalid & s_tready & asking;
  wire leaves = m_tvalid & m_tready & asking;
  wire asks = r_tvalid & r_tready & asking;
  wire answered = a_tvalid & a_tready & asking;
  wire s_sent = s_tkeep != 0 | s_tlast;
  wire m_sent = m_tkeep != 0 | m_tlast;
  wire beat_leaves;

  order_properties #(
      .WIDTH   (SIDE_W),
      .CAPACITY(FLIGHT)
  ) beat_order (
      .clk         (clk),
      .rst_n       (asking),
      .mark        (mark_beat),
      .push        (takes),
      .into        ({s_tkeep, s_tuser, s_tlast}),
      .note        (1'b0),
      .pop         (leaves),
      .out         ({m_tkeep, m_tuser, m_tlast}),
      .leaves      (beat_leaves),
      .held        (),
      .leaving_note()
  );

  order_properties #(
      .WIDTH   (PPC + 3),
      .CAPACITY(3)
  ) record_order (
      .clk         (clk),
      .rst_n       (asking),
      .mark        (mark_record),
      .push        (takes & s_sent),
      .into        ({s_tkeep, s_pixel, s_tlast}),
      .note        (1'b0),
      .pop         (asks),
      .out         ({r_tdata[32+:PPC], r_tdata[80+:2], r_tlast}),
      .leaves      (),
      .held        (),
      .leaving_note()
  );

  generate
    if (ANSWERS) begin : g_answers
      order_properties #(
          .WIDTH   (2),
          .CAPACITY(2)
      ) answer_order (
          .clk         (clk),
          .rst_n       (asking),
          .mark        (mark_answer),
          .push        (answered),
          .into        (a_pixel),
          .note        (1'b0),
          .pop         (leaves & m_sent),
          .out         (m_tdata[1:0]),
          .leaves      (),
          .held        (),
          .leaving_note()
      );

      // Records that the shader has and owes an answer, the last of each.
      reg [2:0] owed_reg = 3'd0;
      reg [PLACES-1:0] lasts_reg;
      wire [2:0] left = owed_reg - answered;
      always @(posedge clk) begin
        owed_reg  <= asking ? left + asks : 3'd0;
        lasts_reg <= (answered ? lasts_reg >> 1 : lasts_reg) & ~({PLACES{1'b1}} << left) | ((asks & r_tlast) << left);
        if (asking & a_tvalid) assume (owed_reg != 0 && a_tlast == lasts_reg[0]);
        if (asking) assert (!error);
        cover (leaves & m_sent & m_tlast & (owed_reg == 3'd2));
      end
    end
  endgenerate

  reg [2:0] inside_reg = 3'd0;
  reg up_reg = 1'b0;
  always @(posedge clk) begin
    up_reg     <= rst_n;
    inside_reg <= asking ? inside_reg + takes - leaves : 3'd0;
    if (rst_n) begin
      if (hold & ~timed_out) assert (!s_tready);
      if (timed_out & up_reg) assert (s_tready && !m_tvalid && !busy);
      if (~timed_out) assert (busy == (inside_reg != 0));
      if (m_tvalid & ~m_sent) assert (m_tdata == 0);
      cover (beat_leaves & ~m_sent & (inside_reg == FLIGHT));
      cover (timed_out & r_tvalid & s_tvalid);
    end
  end

endmodule

`default_nettype wire
