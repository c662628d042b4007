// Depth and surface of two bands of 32 rows, one a bank. Blocks go through a read-test-write pipeline
// into bank wr_bank: a covered pixel is written if its depth is less than the stored one. A block a
// clock, never stalled; blocks on the same word may follow each other at any distance, for results
// that the memory does not hold yet are forwarded. blk_done pulses when an end token has retired: all
// blocks before it are in memory. stat_blocks pulses per block tested.
// The scan side reads a word of the *other* bank in any cycle: data exactly two cycles after scan_en;
// the word is set to "nothing" (depth 2^24-1, surface 0) behind the read. To scan the bank that
// blocks go to is an error of the caller.
// Reset starts a sweep that clears both banks, 32*4096/PPC cycles; until init_done no block is taken.
`default_nettype none
`timescale 1ns / 1ps

module band_store #(
    parameter PPC  = 8,                  // pixels a block: 1, 2, 4, 8 or 16
    parameter COLW = $clog2(4096 / PPC)  // bits of a block's column; leave at its default
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire              s_blk_tvalid,
    output wire              s_blk_tready,
    input  wire [       4:0] s_blk_row,
    input  wire [  COLW-1:0] s_blk_col,
    input  wire [   PPC-1:0] s_blk_cover,
    input  wire [PPC*24-1:0] s_blk_depth,
    input  wire [      31:0] s_blk_surface,
    input  wire              s_blk_end,
    input  wire              wr_bank,
    output wire              blk_done,
    output wire              init_done,
    input  wire              scan_en,
    input  wire              scan_bank,
    input  wire [       4:0] scan_row,
    input  wire [  COLW-1:0] scan_col,
    output wire [PPC*56-1:0] scan_data,      // pixel n at [56*n +: 56] = {depth, surface}
    output wire              stat_blocks
);

  localparam AW = 5 + COLW;
  localparam WIDTH = PPC * 56;
  localparam [WIDTH-1:0] NOTHING = {PPC{24'hffffff, 32'd0}};

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  // Lanes whose new depth is less than the stored one.
  function automatic [PPC-1:0] nearer(input [WIDTH-1:0] old, input [PPC-1:0] lanes, input [PPC*24-1:0] depth);
    integer i;
    for (i = 0; i < PPC; i = i + 1) nearer[i] = lanes[i] && depth[24*i+:24] < old[56*i+32+:24];
  endfunction

  function automatic [WIDTH-1:0] merged(input [WIDTH-1:0] old, input [PPC-1:0] take, input [PPC*24-1:0] depth,
                              input [31:0] surface);
    integer i;
    for (i = 0; i < PPC; i = i + 1)
      merged[56*i+:56] = take[i] ? {depth[24*i+:24], surface} : old[56*i+:56];
  endfunction

  reg  [      AW:0] init_reg;        // next word to clear; the top bit says done
  // Stage 1: the memory reads.
  reg               read_valid_reg;
  reg               read_end_reg;
  reg               read_bank_reg;
  reg  [    AW-1:0] read_addr_reg;
  reg  [   PPC-1:0] read_cover_reg;
  reg  [PPC*24-1:0] read_depth_reg;
  reg  [      31:0] read_surface_reg;
  // Stage 2: the test.
  reg               test_valid_reg;
  reg               test_end_reg;
  reg               test_bank_reg;
  reg  [    AW-1:0] test_addr_reg;
  reg  [   PPC-1:0] test_cover_reg;
  reg  [PPC*24-1:0] test_depth_reg;
  reg  [      31:0] test_surface_reg;
  reg  [ WIDTH-1:0] test_word_reg;
  // Stage 3: the write. Stage 4: written at the edge at which the block now in stage 1 was read.
  reg               write_valid_reg;
  reg               write_bank_reg;
  reg  [    AW-1:0] write_addr_reg;
  reg  [ WIDTH-1:0] write_word_reg;
  reg               late_valid_reg;
  reg               late_bank_reg;
  reg  [    AW-1:0] late_addr_reg;
  reg  [ WIDTH-1:0] late_word_reg;
  reg               blk_done_reg;
  reg               stat_blocks_reg;
  // The scan side.
  reg               clear_valid_reg;
  reg               clear_bank_reg;
  reg  [    AW-1:0] clear_addr_reg;
  reg  [ WIDTH-1:0] scan_data_reg;

  wire              take = s_blk_tvalid & init_done;
  wire              read = take & ~s_blk_end;
  wire [    AW-1:0] blk_addr = {s_blk_row, s_blk_col};
  wire [    AW-1:0] scan_addr = {scan_row, scan_col};
  wire [ WIDTH-1:0] bank_word     [0:1];

  // What stage 1 missed: the results of the blocks two and three before it. The newest is the word's value.
  wire              read_hits_write = write_valid_reg & write_bank_reg == read_bank_reg & write_addr_reg == read_addr_reg;
  wire              read_hits_late = late_valid_reg & late_bank_reg == read_bank_reg & late_addr_reg == read_addr_reg;
  // And of the block just before it, which is known one cycle later.
  wire              test_hits_write = write_valid_reg & write_bank_reg == test_bank_reg & write_addr_reg == test_addr_reg;
  wire [ WIDTH-1:0] test_old = test_hits_write ? write_word_reg : test_word_reg;
  wire [   PPC-1:0] test_take = nearer(test_old, test_cover_reg, test_depth_reg);

  assign s_blk_tready = init_done;
  assign init_done    = init_reg[AW];
  assign blk_done     = blk_done_reg;
  assign stat_blocks  = stat_blocks_reg;
  assign scan_data    = scan_data_reg;

  genvar b;
  generate
    for (b = 0; b < 2; b = b + 1) begin : bank
      wire drawn = wr_bank == b;
      wire write = write_valid_reg & write_bank_reg == b;
      wire clear = clear_valid_reg & clear_bank_reg == b;

      band_ram #(
          .WIDTH(WIDTH),
          .AW   (AW)
      ) ram (
          .clk    (clk),
          .rd_en  ((read & drawn) | (scan_en & scan_bank == b)),
          .rd_addr(read & drawn ? blk_addr : scan_addr),
          .rd_data(bank_word[b]),
          .wr_en  (write | clear | ~init_done),
          .wr_addr(write ? write_addr_reg : clear ? clear_addr_reg : init_reg[AW-1:0]),
          .wr_data(write ? write_word_reg : NOTHING)
      );
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_n) begin
      init_reg        <= 0;
      read_valid_reg  <= 1'b0;
      test_valid_reg  <= 1'b0;
      write_valid_reg <= 1'b0;
      late_valid_reg  <= 1'b0;
      blk_done_reg    <= 1'b0;
      stat_blocks_reg <= 1'b0;
      clear_valid_reg <= 1'b0;
    end else begin
      if (!init_done) init_reg <= init_reg + 1'b1;
      read_valid_reg  <= take;
      test_valid_reg  <= read_valid_reg;
      write_valid_reg <= test_valid_reg & ~test_end_reg & (test_take != 0);
      late_valid_reg  <= write_valid_reg;
      blk_done_reg    <= test_valid_reg & test_end_reg;
      stat_blocks_reg <= test_valid_reg & ~test_end_reg;
      clear_valid_reg <= scan_en & init_done;
    end
  end

  always @(posedge clk) begin
    if (take) begin
      read_end_reg     <= s_blk_end;
      read_bank_reg    <= wr_bank;
      read_addr_reg    <= blk_addr;
      read_cover_reg   <= s_blk_cover;
      read_depth_reg   <= s_blk_depth;
      read_surface_reg <= s_blk_surface;
    end
    if (read_valid_reg) begin
      test_end_reg     <= read_end_reg;
      test_bank_reg    <= read_bank_reg;
      test_addr_reg    <= read_addr_reg;
      test_cover_reg   <= read_cover_reg;
      test_depth_reg   <= read_depth_reg;
      test_surface_reg <= read_surface_reg;
      test_word_reg    <= read_hits_write ? write_word_reg : read_hits_late ? late_word_reg : bank_word[read_bank_reg];
    end
    if (test_valid_reg) begin
      write_bank_reg <= test_bank_reg;
      write_addr_reg <= test_addr_reg;
      write_word_reg <= merged(test_old, test_take, test_depth_reg, test_surface_reg);
    end
    if (write_valid_reg) begin
      late_bank_reg <= write_bank_reg;
      late_addr_reg <= write_addr_reg;
      late_word_reg <= write_word_reg;
    end
    if (scan_en) begin
      clear_bank_reg <= scan_bank;
      clear_addr_reg <= scan_addr;
    end
    if (clear_valid_reg) scan_data_reg <= bank_word[clear_bank_reg];
  end

endmodule

`default_nettype wire
