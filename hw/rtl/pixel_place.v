// Gives each beat of a raster stream its place in a frame of fixed line distance: byte offset
// line * stride + beat * PPC * PIX_BYTES. tuser[0] starts a frame, tlast ends a line, tuser[13:1] of a
// line's first beat counts the lines left out before it. Beats that keep no pixel end here.
// A beat a clock, latency 4 cycles: entry, lines times stride, line offset, beat offset. `drained` is
// high when nothing is held. Reset forgets what is held; the next beat should start a frame.
`default_nettype none
`timescale 1ns / 1ps

module pixel_place #(
    parameter PPC       = 8,  // pixels a beat: 1, 2, 4, 8 or 16
    parameter PIX_BYTES = 4   // bytes a pixel, a power of two
) (
    input  wire                       clk,
    input  wire                       rst_n,
    input  wire [               31:0] cfg_stride,     // bytes
    output wire                       drained,
    input  wire                       s_axis_tvalid,
    output wire                       s_axis_tready,
    input  wire [PPC*PIX_BYTES*8-1:0] s_axis_tdata,
    input  wire [            PPC-1:0] s_axis_tkeep,
    input  wire [               13:0] s_axis_tuser,
    input  wire                       s_axis_tlast,
    output wire                       m_axis_tvalid,
    input  wire                       m_axis_tready,
    output wire [               45:0] m_axis_offset,
    output wire [PPC*PIX_BYTES*8-1:0] m_axis_tdata,
    output wire [            PPC-1:0] m_axis_tkeep
);

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
    if (PIX_BYTES != 1 && PIX_BYTES != 2 && PIX_BYTES != 4 && PIX_BYTES != 8) begin
      $display("%m: PIX_BYTES must be 1, 2, 4 or 8, it is %0d", PIX_BYTES);
      $finish;
    end
  end

  localparam DATA_W = PPC * PIX_BYTES * 8;
  localparam BEAT_SHIFT = $clog2(PPC * PIX_BYTES);

  reg               awake_reg;
  reg               line_start_reg;  // the next beat is a line's first
  reg               in_valid_reg;
  reg               mul_valid_reg;
  reg               line_valid_reg;
  reg               out_valid_reg;

  wire              out_move = ~out_valid_reg | m_axis_tready;
  wire              line_move = ~line_valid_reg | out_move;
  wire              mul_move = ~mul_valid_reg | line_move;
  wire              in_move = ~in_valid_reg | mul_move;
  wire              in_take = s_axis_tvalid & s_axis_tready;
  wire              in_first = s_axis_tuser[0] | line_start_reg;

  reg  [      13:0] in_lines_reg;  // lines to go down
  reg               in_sof_reg;
  reg               in_first_reg;
  reg  [      12:0] in_block_reg;
  reg  [DATA_W-1:0] in_data_reg;
  reg  [   PPC-1:0] in_keep_reg;

  reg  [      45:0] mul_down_reg;
  reg               mul_sof_reg;
  reg  [      12:0] mul_block_reg;
  reg  [DATA_W-1:0] mul_data_reg;
  reg  [   PPC-1:0] mul_keep_reg;

  reg  [      45:0] line_offset_reg;
  reg  [      12:0] line_block_reg;
  reg  [DATA_W-1:0] line_data_reg;
  reg  [   PPC-1:0] line_keep_reg;

  reg  [      45:0] out_offset_reg;
  reg  [DATA_W-1:0] out_data_reg;
  reg  [   PPC-1:0] out_keep_reg;

  assign s_axis_tready = awake_reg & in_move;
  assign drained       = ~in_valid_reg & ~mul_valid_reg & ~line_valid_reg & ~out_valid_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      awake_reg       <= 1'b0;
      line_start_reg  <= 1'b1;
      in_valid_reg    <= 1'b0;
      mul_valid_reg   <= 1'b0;
      line_valid_reg  <= 1'b0;
      out_valid_reg   <= 1'b0;
      in_block_reg    <= 13'd0;
      line_offset_reg <= 46'd0;
      out_offset_reg  <= 46'd0;
      out_keep_reg    <= {PPC{1'b0}};
      out_data_reg    <= {DATA_W{1'b0}};
    end else begin
      awake_reg <= 1'b1;
      if (in_move) in_valid_reg <= in_take;
      if (mul_move) mul_valid_reg <= in_valid_reg;
      if (line_move) line_valid_reg <= mul_valid_reg;
      if (out_move) out_valid_reg <= line_valid_reg & (|line_keep_reg);
      if (in_take) begin
        line_start_reg <= s_axis_tlast;
        in_block_reg   <= in_first ? 13'd0 : in_block_reg + 13'd1;
      end
      if (mul_valid_reg & line_move) line_offset_reg <= (mul_sof_reg ? 46'd0 : line_offset_reg) + mul_down_reg;
      if (line_valid_reg & out_move & (|line_keep_reg)) begin
        out_offset_reg <= line_offset_reg + ({33'd0, line_block_reg} << BEAT_SHIFT);
        out_keep_reg   <= line_keep_reg;
        out_data_reg   <= line_data_reg;
      end
    end
    if (in_take) begin
      // The lines left out, and one for the line break itself unless the frame starts.
      in_lines_reg <= {1'b0, s_axis_tuser[13:1]} + {13'd0, ~s_axis_tuser[0]};
      in_sof_reg   <= s_axis_tuser[0];
      in_first_reg <= in_first;
      in_data_reg  <= s_axis_tdata;
      in_keep_reg  <= s_axis_tkeep;
    end
    if (in_valid_reg & mul_move) begin
      mul_down_reg  <= in_first_reg ? {32'd0, in_lines_reg} * {14'd0, cfg_stride} : 46'd0;
      mul_sof_reg   <= in_sof_reg;
      mul_block_reg <= in_block_reg;
      mul_data_reg  <= in_data_reg;
      mul_keep_reg  <= in_keep_reg;
    end
    if (mul_valid_reg & line_move) begin
      line_block_reg <= mul_block_reg;
      line_data_reg  <= mul_data_reg;
      line_keep_reg  <= mul_keep_reg;
    end
  end

  assign m_axis_tvalid = out_valid_reg;
  assign m_axis_offset = out_offset_reg;
  assign m_axis_tdata  = out_data_reg;
  assign m_axis_tkeep  = out_keep_reg;

endmodule

`default_nettype wire
