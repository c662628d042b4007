// Sends clipped beats to a shading kernel outside and takes the shaded ones back, in the place of surface_shade.
// Only beats that keep a pixel or end a line go out, as records of SPEC section 12; keep, user and last stay here, so
// order and mask do not depend on the shader. At most FLIGHT beats are inside. A beat a clock on all four streams.
// `error` (sticky until `clear`): an answer's tlast differs from the line's end, or an answer that nobody asked for
// (it is dropped). When the next beat waits for its answer and neither stream moves for `timeout` cycles the shader is
// given up until reset: `timed_out` stays, input is taken and dropped, answers are dropped, an offered record stays.
// Latency without the shader: 2 cycles out, 2 back. `hold` and the material table: as in surface_shade.
`default_nettype none
`timescale 1ns / 1ps

module shade_port #(
    parameter PPC = 8,     // pixels a beat: 1, 2, 4, 8 or 16
    parameter FLIGHT = 64  // beats inside, a power of two, >= 4: more than the shader's latency for a beat a clock
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire                  mat_we,
    input  wire [           3:0] mat_waddr,            // a row of 16 materials
    input  wire [         511:0] mat_wdata,            // per material R, G, B, 0
    input  wire                  use_table,
    input  wire [          31:0] cfg_background,       // R, G, B, 0
    input  wire                  cfg_depth_out,
    input  wire                  hold,
    input  wire [          31:0] timeout,
    input  wire                  clear,
    output wire                  busy,                 // a beat is inside
    output wire                  error,
    output wire                  timed_out,
    // clipped beats in
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    input  wire [    PPC*56-1:0] s_axis_tdata,
    input  wire [       PPC-1:0] s_axis_tkeep,
    input  wire [          13:0] s_axis_tuser,
    input  wire                  s_axis_tlast,
    // to the shader and back
    output wire                  m_axis_shade_tvalid,
    input  wire                  m_axis_shade_tready,
    output wire [(PPC+1)*80-1:0] m_axis_shade_tdata,
    output wire                  m_axis_shade_tlast,
    input  wire                  s_axis_shade_tvalid,
    output wire                  s_axis_shade_tready,
    input  wire [    PPC*32-1:0] s_axis_shade_tdata,
    input  wire                  s_axis_shade_tlast,
    // shaded beats out
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire [    PPC*32-1:0] m_axis_tdata,
    output wire [       PPC-1:0] m_axis_tkeep,
    output wire [          13:0] m_axis_tuser,
    output wire                  m_axis_tlast
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  localparam [23:0] ONE = 24'h808080;  // the tint that leaves a colour as it is
  localparam SHIFT = $clog2(PPC);

  reg  dead_reg;
  assign timed_out = dead_reg;

  // ---- Out: table read, record ------------------------------------------------------------------------------------
  wire side_ready;
  reg  awake_reg;
  reg  read_valid_reg;  // a beat that must go out
  reg  out_valid_reg;
  wire out_move = ~out_valid_reg | m_axis_shade_tready;
  wire read_move = ~read_valid_reg | out_move;
  assign s_axis_tready = awake_reg & (dead_reg | (side_ready & read_move & ~hold));
  wire take = s_axis_tvalid & s_axis_tready & ~dead_reg;
  wire sent = (|s_axis_tkeep) | s_axis_tlast;

  reg  line_start_reg;  // the next beat is a line's first
  reg  first_reg;  // no beat of the frame has gone out yet
  wire in_first = s_axis_tuser[0] | line_start_reg;
  reg  [12:0] block_reg;  // place of the beat in the read stage
  reg  [12:0] line_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      awake_reg      <= 1'b0;
      read_valid_reg <= 1'b0;
      out_valid_reg  <= 1'b0;
      line_start_reg <= 1'b1;
    end else begin
      awake_reg <= 1'b1;
      if (read_move) read_valid_reg <= take & sent;
      if (out_move) out_valid_reg <= read_valid_reg & ~dead_reg;
      if (take) line_start_reg <= s_axis_tlast;
    end
  end

  reg  [    511:0] table_mem[0:15];
  reg  [PPC*24-1:0] tint_reg;
  reg  [PPC*56-1:0] read_reg;
  reg  [   PPC-1:0] read_keep_reg;
  reg               read_last_reg;
  reg               read_first_reg;
  reg  [(PPC+1)*80-1:0] out_reg;
  reg               out_last_reg;

  always @(posedge clk) if (mat_we) table_mem[mat_waddr] <= mat_wdata;

  integer n;
  always @(posedge clk) begin
    if (take) begin
      block_reg <= in_first ? 13'd0 : block_reg + 13'd1;
      // The lines left out, and one for the line break itself unless the frame starts.
      if (in_first) line_reg <= (s_axis_tuser[0] ? 13'd0 : line_reg + 13'd1) + s_axis_tuser[13:1];
      first_reg <= (s_axis_tuser[0] | first_reg) & ~sent;
      read_first_reg <= s_axis_tuser[0] | first_reg;
      read_last_reg <= s_axis_tlast;
      read_keep_reg <= s_axis_tkeep;
    end
    if (take & sent) begin
      read_reg <= s_axis_tdata;
      for (n = 0; n < PPC; n = n + 1)
        tint_reg[24*n+:24] <= table_mem[s_axis_tdata[56*n+28+:4]][{s_axis_tdata[56*n+24+:4], 5'd0}+:24];
    end
    if (read_valid_reg & out_move) begin
      out_last_reg <= read_last_reg;
      out_reg[15:0] <= {3'd0, block_reg} << SHIFT;
      out_reg[31:16] <= {3'd0, line_reg};
      out_reg[47:32] <= {{(16 - PPC) {1'b0}}, read_keep_reg};
      out_reg[55:48] <= {6'd0, cfg_depth_out, read_first_reg};
      out_reg[79:56] <= cfg_background[23:0];
      for (n = 0; n < PPC; n = n + 1)
        out_reg[80*n+80+:80] <= {use_table ? tint_reg[24*n+:24] : ONE, read_reg[56*n+:56]};
    end
  end

  assign m_axis_shade_tvalid = out_valid_reg;
  assign m_axis_shade_tdata  = out_reg;
  assign m_axis_shade_tlast  = out_last_reg;

  // ---- What stays here, one entry a beat --------------------------------------------------------------------------
  wire                    side_valid;
  wire                    side_pop;
  wire                    side_sent;
  wire [$clog2(FLIGHT):0] side_count;

  stream_fifo #(
      .WIDTH(PPC + 16),
      .DEPTH(FLIGHT)
  ) side (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(take),
      .s_tready(side_ready),
      .s_tdata ({sent, s_axis_tkeep, s_axis_tuser, s_axis_tlast}),
      .m_tvalid(side_valid),
      .m_tready(side_pop),
      .m_tdata ({side_sent, m_axis_tkeep, m_axis_tuser, m_axis_tlast}),
      .count   (side_count)
  );

  // ---- Back -------------------------------------------------------------------------------------------------------
  wire answer_valid;
  wire answer_last;
  wire answer_pop;
  wire [PPC*32-1:0] answer_data;

  skid_buffer #(
      .WIDTH(PPC * 32 + 1)
  ) back (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(s_axis_shade_tvalid),
      .s_tready(s_axis_shade_tready),
      .s_tdata ({s_axis_shade_tlast, s_axis_shade_tdata}),
      .m_tvalid(answer_valid),
      .m_tready(answer_pop),
      .m_tdata ({answer_last, answer_data})
  );

  // An entry is counted before its record is offered, so an answer that meets no entry belongs to nothing.
  wire unasked = answer_valid & (side_count == 0);
  wire matched = side_valid & side_sent & answer_valid;
  assign m_axis_tvalid = ~dead_reg & side_valid & (answer_valid | ~side_sent);
  assign m_axis_tdata  = side_sent ? answer_data : {PPC * 32{1'b0}};
  assign side_pop      = m_axis_tvalid & m_axis_tready;
  assign answer_pop    = dead_reg | unasked | (matched & m_axis_tready);
  assign busy          = ~dead_reg & (side_count != 0);

  wire moves = (m_axis_shade_tvalid & m_axis_shade_tready) | (s_axis_shade_tvalid & s_axis_shade_tready);
  wire waiting = side_valid & side_sent & ~answer_valid & ~moves & ~dead_reg;
  reg [31:0] wait_reg;
  reg error_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      wait_reg  <= 32'd0;
      dead_reg  <= 1'b0;
      error_reg <= 1'b0;
    end else begin
      wait_reg <= waiting ? wait_reg + 32'd1 : 32'd0;
      if (waiting & (wait_reg >= timeout)) dead_reg <= 1'b1;
      if (clear) error_reg <= 1'b0;
      else if (unasked | (matched & (answer_last != m_axis_tlast))) error_reg <= ~dead_reg | error_reg;
    end
  end
  assign error = error_reg;

  wire unused = &{1'b0, cfg_background[31:24], 1'b0};

endmodule

`default_nettype wire
