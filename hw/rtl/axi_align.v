// Moves bytes from where they lie in memory to the start of a beat: a command (offset of the first byte in its beat,
// bytes, at least 1) and the beats of memory that cover it give the bytes from lane 0 on, the last beat with `tlast` and
// a partial `tkeep`. One beat a clock within a command; the next command is accepted when the last beat has left.
// `s_axis_tuser` marks a bad beat, and so every beat that holds bytes of it. A command whose beats end early (the reader
// gave up, its last beat is bad) ends with a bad beat. Latency: 2 cycles from the second covering beat, or the only one.
// Reset drops everything.
`default_nettype none
`timescale 1ns / 1ps

module axi_align #(
    parameter DATA_W = 512  // bits of a beat: 32, 64, ... 1024
) (
    input  wire                        clk,
    input  wire                        rst_n,
    input  wire                        cmd_valid,
    output wire                        cmd_ready,
    input  wire [$clog2(DATA_W/8)-1:0] cmd_offset,
    input  wire [                31:0] cmd_bytes,
    input  wire                        s_axis_tvalid,
    output wire                        s_axis_tready,
    input  wire [          DATA_W-1:0] s_axis_tdata,
    input  wire                        s_axis_tlast,
    input  wire                        s_axis_tuser,
    output wire                        m_axis_tvalid,
    input  wire                        m_axis_tready,
    output wire [          DATA_W-1:0] m_axis_tdata,
    output wire [        DATA_W/8-1:0] m_axis_tkeep,
    output wire                        m_axis_tlast,
    output wire                        m_axis_tuser
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);

  initial begin
    if (DATA_W != BYTES * 8 || BYTES != (1 << LB) || BYTES < 4 || BYTES > 128) begin
      $display("%m: DATA_W must be 32, 64, 128, 256, 512 or 1024, it is %0d", DATA_W);
      $finish;
    end
  end

  reg               up_reg;  // low in reset and the first cycle after it
  reg               open_reg;  // a command is being served
  reg  [    LB-1:0] offset_reg;
  reg  [      31:0] left_reg;  // bytes that have not left
  reg               full_reg;  // a beat is held that the next one out begins with
  reg  [DATA_W-1:0] held_reg;
  reg               held_last_reg;
  reg               held_bad_reg;

  wire              out_ready;
  wire              ends = held_last_reg | (left_reg <= BYTES);
  wire              emit = full_reg & out_ready & (held_last_reg | s_axis_tvalid);
  wire              take = s_axis_tvalid & s_axis_tready;

  assign cmd_ready     = up_reg & ~open_reg;
  assign s_axis_tready = open_reg & (full_reg ? out_ready & ~held_last_reg : 1'b1);

  always @(posedge clk) begin
    if (!rst_n) begin
      up_reg   <= 1'b0;
      open_reg <= 1'b0;
      full_reg <= 1'b0;
    end else begin
      up_reg <= 1'b1;
      if (cmd_valid & cmd_ready) open_reg <= 1'b1;
      else if (emit & ends) open_reg <= 1'b0;
      if (emit & ends) full_reg <= 1'b0;
      else if (take) full_reg <= 1'b1;
    end
  end

  always @(posedge clk) begin
    if (cmd_ready) begin
      offset_reg <= cmd_offset;
      left_reg   <= cmd_bytes;
    end else if (emit) left_reg <= left_reg - BYTES;
    if (take) begin
      held_reg      <= s_axis_tdata;
      held_last_reg <= s_axis_tlast;
      held_bad_reg  <= s_axis_tuser;
    end
  end

  // The offset's bits shift one after the other, the widest first, so that each later stage has less to keep.
  wire [2*DATA_W-1:0] stage[0:LB];
  // Behind the last beat nothing is known of the channel.
  assign stage[0] = {s_axis_tdata & {DATA_W{~held_last_reg}}, held_reg};
  genvar n;
  generate
    for (n = 0; n < LB; n = n + 1) begin : g_shift
      localparam BY = DATA_W >> (n + 1);
      assign stage[n+1] = offset_reg[LB-1-n] ? stage[n] >> BY : stage[n];
    end
  endgenerate

  wire             partial = left_reg < BYTES;
  wire [BYTES-1:0] keep = partial ? ~({BYTES{1'b1}} << left_reg[LB-1:0]) : {BYTES{1'b1}};
  wire             bad = held_bad_reg | (~held_last_reg & s_axis_tuser & (offset_reg != 0));

  skid_buffer #(
      .WIDTH(DATA_W + BYTES + 2)
  ) out (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(emit),
      .s_tready(out_ready),
      .s_tdata ({bad, ends, keep, stage[LB][DATA_W-1:0]}),
      .m_tvalid(m_axis_tvalid),
      .m_tready(m_axis_tready),
      .m_tdata ({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
  );

  wire unused = &{1'b0, stage[LB][2*DATA_W-1:DATA_W], 1'b0};

endmodule

`default_nettype wire
