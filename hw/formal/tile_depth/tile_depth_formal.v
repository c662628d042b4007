// tile_depth: a tile is never dropped if it has a covered pixel that is nearer than all that were drawn before on the
// same pixel: shown of one pixel that the solver picks, in one tile of one bank that it picks too. The triangle's plane
// at the pixel may be any value between the least and the greatest one at the tile's corners, as it is for every pixel
// of the tile. Tokens are never dropped. What is offered stays until it is taken.
// Contract: the scan reads the other bank; wr_bank changes while nothing is inside; planes keep within 54 bits.
`default_nettype none

module tile_depth_formal #(
    parameter PPC  = 1,
    parameter COLW = 1,
    parameter BANK = 0  // of the watched tile
) (
    input wire             clk,
    input wire             rst_n,
    input wire             wr_bank,
    input wire             s_valid,
    input wire             s_end,
    input wire [ COLW-1:0] s_col,
    input wire [      1:0] s_trow,
    input wire [      7:0] s_any,
    input wire [8*PPC-1:0] s_cover,
    input wire [     55:0] s_z,
    input wire [     39:0] s_dzdx,
    input wire [     39:0] s_dzdy,
    input wire [     31:0] s_surface,
    input wire [     55:0] s_plane,  // at the watched pixel
    input wire             m_ready,
    input wire             clear_en,
    input wire             clear_bank,
    input wire [      1:0] clear_trow,
    input wire [ COLW-1:0] clear_col
);

  localparam L = $clog2(PPC);
  localparam AW = 2 + COLW;
  localparam PIXELS = 8 * PPC;
  localparam WIDTH = 48 + PIXELS;
  localparam PAYLOAD = COLW + 2 + 8 + PIXELS + 56 + 40 + 40 + 32;

  wire s_ready, m_valid, m_end, busy, stat_hidden;
  wire [PAYLOAD-1:0] m_tile;

  tile_depth #(
      .PPC (PPC),
      .COLW(COLW)
  ) dut (
      .clk        (clk),
      .rst_n      (rst_n),
      .wr_bank    (wr_bank),
      .s_valid    (s_valid),
      .s_ready    (s_ready),
      .s_end      (s_end),
      .s_col      (s_col),
      .s_trow     (s_trow),
      .s_any      (s_any),
      .s_cover    (s_cover),
      .s_z        (s_z),
      .s_dzdx     (s_dzdx),
      .s_dzdy     (s_dzdy),
      .s_surface  (s_surface),
      .m_valid    (m_valid),
      .m_ready    (m_ready),
      .m_end      (m_end),
      .m_col      (m_tile[178+PIXELS+:COLW]),
      .m_trow     (m_tile[176+PIXELS+:2]),
      .m_any      (m_tile[168+PIXELS+:8]),
      .m_cover    (m_tile[168+:PIXELS]),
      .m_z        (m_tile[112+:56]),
      .m_dzdx     (m_tile[72+:40]),
      .m_dzdy     (m_tile[32+:40]),
      .m_surface  (m_tile[31:0]),
      .busy       (busy),
      .stat_hidden(stat_hidden),
      .clear_en   (clear_en),
      .clear_bank (clear_bank),
      .clear_trow (clear_trow),
      .clear_col  (clear_col)
  );

  // Inside the design: the watched tile's state and what is under way. Induction starts from what they hold.
  (* hierconn *) wire [AW-1:0] \dut.bank[0].ram.pick ;
  (* hierconn *) wire [AW-1:0] \dut.bank[1].ram.pick ;
  (* hierconn *) wire [WIDTH-1:0] \dut.bank[0].ram.word_reg ;
  (* hierconn *) wire [WIDTH-1:0] \dut.bank[1].ram.word_reg ;
  (* hierconn *) wire [WIDTH-1:0] \dut.bank[0].ram.rd_data_reg ;
  (* hierconn *) wire [WIDTH-1:0] \dut.bank[1].ram.rd_data_reg ;
  (* hierconn *) wire [AW:0] \dut.sweep_reg ;
  (* hierconn *) wire \dut.read_valid_reg ;
  (* hierconn *) wire \dut.read_end_reg ;
  (* hierconn *) wire \dut.read_bank_reg ;
  (* hierconn *) wire \dut.read_true_reg ;
  (* hierconn *) wire [PAYLOAD-1:0] \dut.read_tile_reg ;
  (* hierconn *) wire [43:0] \dut.read_across_reg ;
  (* hierconn *) wire [43:0] \dut.read_down_reg ;
  (* hierconn *) wire \dut.test_valid_reg ;
  (* hierconn *) wire \dut.test_end_reg ;
  (* hierconn *) wire \dut.test_bank_reg ;
  (* hierconn *) wire [PAYLOAD-1:0] \dut.test_tile_reg ;
  (* hierconn *) wire [39:0] \dut.test_low_reg ;
  (* hierconn *) wire [39:0] \dut.test_high_reg ;
  (* hierconn *) wire [WIDTH-1:0] \dut.test_state_reg ;
  (* hierconn *) wire \dut.write_valid_reg ;
  (* hierconn *) wire \dut.write_bank_reg ;
  (* hierconn *) wire [AW-1:0] \dut.write_addr_reg ;
  (* hierconn *) wire [WIDTH-1:0] \dut.write_state_reg ;
  (* hierconn *) wire \dut.out_valid_reg ;
  (* hierconn *) wire \dut.hidden ;
  wire [AW-1:0] pick = BANK ? \dut.bank[1].ram.pick : \dut.bank[0].ram.pick ;
  wire [WIDTH-1:0] word = BANK ? \dut.bank[1].ram.word_reg : \dut.bank[0].ram.word_reg ;
  wire [WIDTH-1:0] answer = BANK ? \dut.bank[1].ram.rd_data_reg : \dut.bank[0].ram.rd_data_reg ;
  wire [AW:0] sweep = \dut.sweep_reg ;
  wire [PAYLOAD-1:0] read_tile = \dut.read_tile_reg ;
  wire [PAYLOAD-1:0] test_tile = \dut.test_tile_reg ;
  wire [WIDTH-1:0] test_state = \dut.test_state_reg ;
  wire [WIDTH-1:0] write_state = \dut.write_state_reg ;

  (* anyconst *) reg [6:0] pixel;

  function [23:0] depth(input [55:0] z);
    depth = z[55] ? 24'd0 : z[54:40] != 15'd0 ? 24'hffffff : z[39:16];
  endfunction

  function [43:0] wide(input [39:0] step);
    wide = {{4{step[39]}}, step};
  endfunction

  function [55:0] least(input [PAYLOAD-1:0] tile, input [43:0] across, input [43:0] down);
    least = tile[112+:56] + (across[43] ? {{12{1'b1}}, across} : 56'd0) + (down[43] ? {{12{1'b1}}, down} : 56'd0);
  endfunction

  function [55:0] greatest(input [PAYLOAD-1:0] tile, input [43:0] across, input [43:0] down);
    greatest = tile[112+:56] + (across[43] ? 56'd0 : {12'd0, across}) + (down[43] ? 56'd0 : {12'd0, down});
  endfunction

  function between(input [55:0] low, input [55:0] value, input [55:0] high);
    between = ($signed(low) <= $signed(value)) & ($signed(value) <= $signed(high));
  endfunction

  function watched(input [PAYLOAD-1:0] tile);
    watched = {tile[176+PIXELS+:2], tile[178+PIXELS+:COLW]} == pick;
  endfunction

  function covers(input [PAYLOAD-1:0] tile);
    covers = tile[168+:PIXELS] >> pixel;
  endfunction

  // A state is true of a pixel of this depth.
  function holds(input [WIDTH-1:0] state, input [23:0] stored);
    reg seen;
    begin
      seen  = state[PIXELS-1:0] >> pixel;
      holds = (state[PIXELS+24+:24] >= stored) & (~seen | (state[PIXELS+:24] >= stored));
    end
  endfunction

  wire [PAYLOAD-1:0] s_tile = {s_col, s_trow, s_any, s_cover, s_z, s_dzdx, s_dzdy, s_surface};
  wire take = s_valid & s_ready;
  wire draws = take & ~s_end & (wr_bank == BANK) & watched(s_tile) & covers(s_tile);
  wire forgets = clear_en & (clear_bank == BANK) & ({clear_trow, clear_col} == pick);

  reg [23:0] stored_reg = 24'hffffff;  // the pixel, were all tiles taken drawn
  reg [23:0] read_before_reg = 24'hffffff;  // the same before the tile in stage 1, and in stage 2
  reg [23:0] test_before_reg = 24'hffffff;
  reg bank_reg;
  reg was_busy_reg = 1'b0;
  reg up_reg = 1'b0;

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (PAYLOAD + 1),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_valid),
      .ready  (s_ready),
      .payload({s_end, s_tile})
  );

  stream_properties #(
      .WIDTH(PAYLOAD + 1)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_valid),
      .ready  (m_ready),
      .payload({m_end, m_tile})
  );

  wire read_here = \dut.read_valid_reg & ~\dut.read_end_reg & (\dut.read_bank_reg == BANK) & watched(read_tile);
  wire test_here = \dut.test_valid_reg & ~\dut.test_end_reg & (\dut.test_bank_reg == BANK) & watched(test_tile);
  wire write_here = \dut.write_valid_reg & (\dut.write_bank_reg == BANK) & (\dut.write_addr_reg == pick);
  wire leaves = ~\dut.out_valid_reg | m_ready;
  wire moves = ~\dut.test_valid_reg | leaves;

  // What the tile's plane rises from its first pixel to the last one of the row, of the column.
  wire [43:0] s_across = (wide(s_dzdx) << L) - wide(s_dzdx);
  wire [43:0] s_down = (wide(s_dzdy) << 3) - wide(s_dzdy);
  reg [55:0] read_plane_reg;
  reg [55:0] test_plane_reg;
  reg [55:0] test_low_reg;
  reg [55:0] test_high_reg;
  wire [55:0] read_low = least(read_tile, \dut.read_across_reg , \dut.read_down_reg );
  wire [55:0] read_high = greatest(read_tile, \dut.read_across_reg , \dut.read_down_reg );

  always @* begin
    assume (pixel < PIXELS);
    assume (between(least(s_tile, s_across, s_down), s_plane, greatest(s_tile, s_across, s_down)));
    assume (!(clear_en & clear_bank == wr_bank));
    if (was_busy_reg) assume (wr_bank == bank_reg);
    assume (s_z[55:53] == 3'b000 || s_z[55:53] == 3'b111);  // 2^47 + 2 * 2^39 * 2^13, as in SPEC section 2
  end

  always @(posedge clk) begin
    up_reg       <= rst_n;
    bank_reg     <= wr_bank;
    was_busy_reg <= rst_n & (busy | take);
    if (!rst_n) begin
      stored_reg <= 24'hffffff;
    end else begin
      if (forgets) stored_reg <= 24'hffffff;
      else if (draws & (depth(s_plane) < stored_reg)) stored_reg <= depth(s_plane);
      if (take) begin
        read_before_reg <= stored_reg;
        read_plane_reg  <= s_plane;
      end
      if (moves) begin
        test_before_reg <= read_before_reg;
        test_plane_reg  <= read_plane_reg;
        test_low_reg    <= read_low;
        test_high_reg   <= read_high;
      end

      // The promise.
      if (test_here & covers(test_tile) & (depth(test_plane_reg) < test_before_reg)) assert (!\dut.hidden );
      if (\dut.test_valid_reg & \dut.test_end_reg ) assert (!\dut.hidden );
      if (up_reg & stat_hidden) assert (!\dut.out_valid_reg | !$past(leaves));

      // What it rests on.
      if (sweep > {1'b0, pick}) assert (holds(word, stored_reg));
      assert (!(sweep[AW] & (sweep[AW-1:0] != 0)));
      if (\dut.read_valid_reg ) begin
        assert (\dut.read_bank_reg == bank_reg);
        assert (was_busy_reg);
        assert (between(read_low, read_plane_reg, read_high));
      end
      if (read_here) begin
        assert (stored_reg <= read_before_reg);
        if (\dut.read_true_reg ) assert (holds(answer, read_before_reg));
        if (\dut.read_true_reg ) assert (sweep[AW]);
        if (covers(read_tile)) assert (stored_reg <= depth(read_plane_reg));
      end
      if (\dut.test_valid_reg ) begin
        assert (\dut.test_bank_reg == bank_reg);
        assert (was_busy_reg);
        assert (\dut.test_low_reg == test_low_reg[55:16]);
        assert (\dut.test_high_reg == test_high_reg[55:16]);
        assert (between(test_low_reg, test_plane_reg, test_high_reg));
      end
      if (test_here) begin
        assert (stored_reg <= test_before_reg);
        assert (holds(test_state, test_before_reg));
        if (covers(test_tile)) assert (stored_reg <= depth(test_plane_reg));
      end
      if (\dut.write_valid_reg ) assert (\dut.out_valid_reg & was_busy_reg & \dut.write_bank_reg == bank_reg);
      if (write_here) assert (holds(write_state, stored_reg));

      cover (test_here & covers(test_tile) & \dut.hidden & (stored_reg != 0) & (stored_reg != 24'hffffff));
      cover (write_here & (write_state[PIXELS+24+:24] == 24'd9) & ($past(test_tile[168+:PIXELS], 2) == 1));
      cover (forgets & sweep[AW] & (word[PIXELS+24+:24] == 24'd9));
    end
  end

endmodule

`default_nettype wire
