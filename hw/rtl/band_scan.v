// Streams the active rows of a finished band in raster order, ceil(cfg_width / PPC) beats a row, by
// reading band_store (data two cycles after scan_en). tuser[0] marks the frame's first beat;
// tuser[13:1], on a row's first beat, counts the rows of the frame left out before it since the last
// one sent (within a band and across bands). tlast ends a row. A beat a clock; reads are issued
// against credits, so the output may stall at any time.
// A start command gives the bank, the band's first row and a bit for each row to send (none: nothing
// happens). start_ready comes back when all reads are issued; the bank is free (read and cleared) when
// busy has fallen. frame_start, while not busy, begins a new frame. Reset empties everything.
`default_nettype none
`timescale 1ns / 1ps

module band_scan #(
    parameter PPC  = 8,                  // pixels a beat: 1, 2, 4, 8 or 16
    parameter COLW = $clog2(4096 / PPC)  // bits of a beat's column; leave at its default
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire              start_valid,
    output wire              start_ready,
    input  wire              start_bank,
    input  wire [      12:0] start_y0,
    input  wire [      31:0] start_rows,     // bit r: row start_y0 + r is sent
    input  wire [      12:0] cfg_width,      // 1..4096
    input  wire              frame_start,
    output wire              scan_en,
    output wire              scan_bank,
    output wire [       4:0] scan_row,
    output wire [  COLW-1:0] scan_col,
    input  wire [PPC*56-1:0] scan_data,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [PPC*56-1:0] m_axis_tdata,
    output wire [      13:0] m_axis_tuser,
    output wire              m_axis_tlast,
    output wire              busy,
    output wire              stalled
);

  localparam L = $clog2(PPC);
  localparam CREDITS = 8;  // covers the way around: store 2 cycles, buffer 2, credit back 1
  localparam CW = $clog2(CREDITS) + 1;
  localparam [CW-1:0] ALL = CREDITS;

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  function [4:0] lowest(input [31:0] bits);
    integer n;
    begin
      lowest = 5'd0;
      for (n = 31; n >= 0; n = n - 1) if (bits[n]) lowest = n[4:0];
    end
  endfunction

  reg             active_reg;
  reg             bank_reg;
  reg  [    12:0] y0_reg;
  reg  [     4:0] row_reg;
  reg  [    31:0] rest_reg;      // rows still to send after row_reg
  reg  [COLW-1:0] col_reg;
  reg             sof_reg;       // nothing of this frame is sent yet
  reg  [    12:0] expected_reg;  // the row that would follow without a gap
  reg  [  CW-1:0] credits_reg;
  reg             read_valid_reg;
  reg  [    14:0] read_mark_reg;  // {tlast, tuser}
  reg             data_valid_reg;
  reg  [    14:0] data_mark_reg;

  wire [    12:0] last_x = cfg_width - 13'd1;
  wire            issue = active_reg & (credits_reg != 0);
  wire            first = col_reg == 0;
  wire            last = col_reg == last_x[L+:COLW];
  wire [    12:0] y = y0_reg + {8'd0, row_reg};
  wire [    13:0] user = first ? {y - expected_reg, sof_reg} : 14'd0;
  wire            start = start_valid & start_ready;
  wire            taken = m_axis_tvalid & m_axis_tready;

  assign start_ready = rst_n & ~active_reg;
  assign scan_en     = issue;
  assign scan_bank   = bank_reg;
  assign scan_row    = row_reg;
  assign scan_col    = col_reg;
  assign busy        = active_reg | (credits_reg != ALL);
  assign stalled     = m_axis_tvalid & ~m_axis_tready;

  always @(posedge clk) begin
    if (!rst_n) begin
      active_reg     <= 1'b0;
      sof_reg        <= 1'b1;
      expected_reg   <= 13'd0;
      credits_reg    <= ALL;
      read_valid_reg <= 1'b0;
      data_valid_reg <= 1'b0;
    end else begin
      if (start) active_reg <= start_rows != 0;
      else if (issue & last & rest_reg == 0) active_reg <= 1'b0;
      if (frame_start) begin
        sof_reg      <= 1'b1;
        expected_reg <= 13'd0;
      end else if (issue & first) begin
        sof_reg      <= 1'b0;
        expected_reg <= y + 13'd1;
      end
      credits_reg    <= credits_reg + {{CW - 1{1'b0}}, taken} - {{CW - 1{1'b0}}, issue};
      read_valid_reg <= issue;
      data_valid_reg <= read_valid_reg;
    end
  end

  always @(posedge clk) begin
    if (start) begin
      bank_reg <= start_bank;
      y0_reg   <= start_y0;
      row_reg  <= lowest(start_rows);
      rest_reg <= start_rows & (start_rows - 32'd1);
      col_reg  <= 0;
    end else if (issue) begin
      col_reg <= last ? 0 : col_reg + 1'b1;
      if (last) begin
        row_reg  <= lowest(rest_reg);
        rest_reg <= rest_reg & (rest_reg - 32'd1);
      end
    end
    if (issue) read_mark_reg <= {last, user};
    if (read_valid_reg) data_mark_reg <= read_mark_reg;
  end

  wire              fifo_ready;  // always, by the credits
  wire [CW-1:0]     fifo_count;

  stream_fifo #(
      .WIDTH(PPC * 56 + 15),
      .DEPTH(CREDITS)
  ) beats (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(data_valid_reg),
      .s_tready(fifo_ready),
      .s_tdata ({data_mark_reg, scan_data}),
      .m_tvalid(m_axis_tvalid),
      .m_tready(m_axis_tready),
      .m_tdata ({m_axis_tlast, m_axis_tuser, m_axis_tdata}),
      .count   (fifo_count)
  );

  wire unused = &{1'b0, fifo_ready, fifo_count, last_x};

endmodule

`default_nettype wire
