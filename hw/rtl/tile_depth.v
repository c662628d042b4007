// Drops covered tiles that lie behind what was drawn before: a tile whose nearest possible depth is not
// less than a bound on all depths stored in it cannot change a pixel. Per tile of each band bank it keeps
// `far`, which no stored depth of the tile exceeds, and a layer on its way to replace it: `seen` pixels
// none of which exceeds `near`. A layer that has seen all pixels becomes the bound. So triangles that
// cover a tile together hide what is behind them as one that covers it alone does.
// Every state of a tile is true for the rest of its band, since stored depths only fall: a state that an
// update in flight has overtaken hides less, never too much. The scan's reads (clear_*) forget a tile; reset
// starts a sweep that forgets all, and until its end nothing stored is believed.
// A tile a clock, latency 3, tokens pass in order. wr_bank holds while tiles of its band are inside, and the
// scan's bank is the other one. stat_hidden pulses per tile dropped.
`default_nettype none
`timescale 1ns / 1ps

module tile_depth #(
    parameter PPC  = 8,                  // pixels a tile is wide: 1, 2, 4, 8 or 16
    parameter COLW = $clog2(4096 / PPC)  // bits of a tile's column; leave at its default
) (
    input  wire             clk,
    input  wire             rst_n,
    input  wire             wr_bank,
    // from tile_cover
    input  wire             s_valid,
    output wire             s_ready,
    input  wire             s_end,
    input  wire [ COLW-1:0] s_col,
    input  wire [      1:0] s_trow,
    input  wire [      7:0] s_any,
    input  wire [8*PPC-1:0] s_cover,
    input  wire [     55:0] s_z,
    input  wire [     39:0] s_dzdx,
    input  wire [     39:0] s_dzdy,
    input  wire [     31:0] s_surface,
    // tiles that may be seen
    output wire             m_valid,
    input  wire             m_ready,
    output wire             m_end,
    output wire [ COLW-1:0] m_col,
    output wire [      1:0] m_trow,
    output wire [      7:0] m_any,
    output wire [8*PPC-1:0] m_cover,
    output wire [     55:0] m_z,
    output wire [     39:0] m_dzdx,
    output wire [     39:0] m_dzdy,
    output wire [     31:0] m_surface,
    output wire             busy,
    output wire             stat_hidden,
    // the scan
    input  wire             clear_en,
    input  wire             clear_bank,
    input  wire [      1:0] clear_trow,
    input  wire [ COLW-1:0] clear_col
);

  localparam L = $clog2(PPC);
  localparam AW = 2 + COLW;
  localparam PIXELS = 8 * PPC;
  localparam WIDTH = 48 + PIXELS;  // {far, near, seen}
  localparam PAYLOAD = COLW + 2 + 8 + PIXELS + 56 + 40 + 40 + 32;
  localparam [WIDTH-1:0] NOTHING = {24'hffffff, 24'd0, {PIXELS{1'b0}}};

  initial begin
    if (PPC != 1 && PPC != 2 && PPC != 4 && PPC != 8 && PPC != 16) begin
      $display("%m: PPC must be 1, 2, 4, 8 or 16, it is %0d", PPC);
      $finish;
    end
  end

  function [43:0] wide44(input [39:0] step);
    wide44 = {{4{step[39]}}, step};
  endfunction

  function [55:0] below(input [43:0] span);
    below = span[43] ? {{12{1'b1}}, span} : 56'd0;
  endfunction

  function [55:0] above(input [43:0] span);
    above = span[43] ? 56'd0 : {12'd0, span};
  endfunction

  // As for a pixel, so that the order of the planes is the order of the depths.
  function [23:0] depth(input [39:0] z);
    depth = z[39] ? 24'd0 : z[38:24] != 15'd0 ? 24'hffffff : z[23:0];
  endfunction

  // Stage 1: what the plane rises across the tile; the tile's state is read.
  reg                read_valid_reg;
  reg                read_end_reg;
  reg                read_bank_reg;
  reg                read_true_reg;    // the sweep was through: what was read is of this run
  reg  [PAYLOAD-1:0] read_tile_reg;
  reg  [       43:0] read_across_reg;
  reg  [       43:0] read_down_reg;
  // Stage 2: the plane's least and greatest value in the tile.
  reg                test_valid_reg;
  reg                test_end_reg;
  reg                test_bank_reg;
  reg  [PAYLOAD-1:0] test_tile_reg;
  reg  [       39:0] test_low_reg;
  reg  [       39:0] test_high_reg;
  reg  [  WIDTH-1:0] test_state_reg;
  // Stage 3: the tile is let through or dropped, and its new state written.
  reg                out_valid_reg;
  reg                out_end_reg;
  reg  [PAYLOAD-1:0] out_tile_reg;
  reg                hidden_reg;
  reg                write_valid_reg;
  reg                write_bank_reg;
  reg  [     AW-1:0] write_addr_reg;
  reg  [  WIDTH-1:0] write_state_reg;
  reg  [       AW:0] sweep_reg;       // next tile to forget after reset; the top bit says done

  wire               out_ready = ~out_valid_reg | m_ready;
  wire               test_ready = ~test_valid_reg | out_ready;
  wire               read_ready = ~read_valid_reg | test_ready;
  wire               swept = sweep_reg[AW];

  assign s_ready     = read_ready;
  assign m_valid     = out_valid_reg;
  assign m_end       = out_end_reg;
  assign {m_col, m_trow, m_any, m_cover, m_z, m_dzdx, m_dzdy, m_surface} = out_tile_reg;
  assign busy        = read_valid_reg | test_valid_reg | out_valid_reg;
  assign stat_hidden = hidden_reg;

  wire [     55:0] read_z = read_tile_reg[112+:56];
  wire [     55:0] read_low = read_z + below(read_across_reg) + below(read_down_reg);
  wire [     55:0] read_high = read_z + above(read_across_reg) + above(read_down_reg);

  wire [PIXELS-1:0] test_cover = test_tile_reg[168+:PIXELS];
  wire [    AW-1:0] test_addr = {test_tile_reg[176+PIXELS+:2], test_tile_reg[178+PIXELS+:COLW]};
  wire [      23:0] far = test_state_reg[PIXELS+24+:24];
  wire [      23:0] near = test_state_reg[PIXELS+:24];
  wire [PIXELS-1:0] seen = test_state_reg[PIXELS-1:0] | test_cover;
  wire [      23:0] least = depth(test_low_reg);
  wire [      23:0] greatest = depth(test_high_reg);
  wire              hidden = ~test_end_reg & (least >= far);
  // A layer with this tile in it would be no better than the bound: such a tile is left out.
  wire              helps = ~test_end_reg & (greatest < far);
  wire              alone = &test_cover;
  wire [      23:0] layer = ~alone & (near > greatest) ? near : greatest;

  wire [ WIDTH-1:0] bank_state[0:1];

  genvar b;
  generate
    for (b = 0; b < 2; b = b + 1) begin : bank
      wire write = write_valid_reg & write_bank_reg == b;
      wire clear = clear_en & clear_bank == b;

      band_ram #(
          .WIDTH(WIDTH),
          .AW   (AW)
      ) ram (
          .clk    (clk),
          .rd_en  (s_valid & read_ready & wr_bank == b),
          .rd_addr({s_trow, s_col}),
          .rd_data(bank_state[b]),
          .wr_en  (write | clear | ~swept),
          .wr_addr(write ? write_addr_reg : clear ? {clear_trow, clear_col} : sweep_reg[AW-1:0]),
          .wr_data(write ? write_state_reg : NOTHING)
      );
    end
  endgenerate

  always @(posedge clk) begin
    if (!rst_n) begin
      read_valid_reg  <= 1'b0;
      test_valid_reg  <= 1'b0;
      out_valid_reg   <= 1'b0;
      hidden_reg      <= 1'b0;
      write_valid_reg <= 1'b0;
      sweep_reg       <= 0;
    end else begin
      if (read_ready) read_valid_reg <= s_valid;
      if (test_ready) test_valid_reg <= read_valid_reg;
      if (out_ready) out_valid_reg <= test_valid_reg & ~hidden;
      hidden_reg      <= test_valid_reg & out_ready & hidden;
      write_valid_reg <= test_valid_reg & out_ready & helps;
      if (~swept & ~write_valid_reg & ~clear_en) sweep_reg <= sweep_reg + 1'b1;
    end
  end

  always @(posedge clk) begin
    if (s_valid & read_ready) begin
      read_end_reg    <= s_end;
      read_bank_reg   <= wr_bank;
      read_true_reg   <= swept;
      read_tile_reg   <= {s_col, s_trow, s_any, s_cover, s_z, s_dzdx, s_dzdy, s_surface};
      read_across_reg <= (wide44(s_dzdx) << L) - wide44(s_dzdx);
      read_down_reg   <= (wide44(s_dzdy) << 3) - wide44(s_dzdy);
    end
    if (read_valid_reg & test_ready) begin
      test_end_reg   <= read_end_reg;
      test_bank_reg  <= read_bank_reg;
      test_tile_reg  <= read_tile_reg;
      test_low_reg   <= read_low[55:16];
      test_high_reg  <= read_high[55:16];
      test_state_reg <= read_true_reg ? bank_state[read_bank_reg] : NOTHING;
    end
    if (test_valid_reg & out_ready) begin
      out_end_reg     <= test_end_reg;
      out_tile_reg    <= test_tile_reg;
      write_bank_reg  <= test_bank_reg;
      write_addr_reg  <= test_addr;
      write_state_reg <= alone | (&seen) ? {layer, 24'd0, {PIXELS{1'b0}}} : {far, layer, seen};
    end
  end

  wire unused = &{1'b0, read_low[15:0], read_high[15:0]};

endmodule

`default_nettype wire
