// band_store: a word of either bank, read by the scan, holds the nearest of all blocks that were drawn on it since it
// was cleared, whatever their distance in time, and "nothing" if there was none; the first of equals stays. It is
// clear after its scan, and after the sweep that follows a reset. blk_done comes when all blocks before it are in.
// Contract: blocks and scan use different banks, and a bank changes hands only when its last blocks are retired (4
// cycles) or its last scan has read (2 cycles).
`default_nettype none

module band_store_formal #(
    parameter PPC  = 1,
    parameter COLW = 1,
    parameter BANK = 1  // the bank of the watched word
) (
    input wire              clk,
    input wire              rst_n,
    input wire              s_tvalid,
    input wire [       4:0] s_row,
    input wire [  COLW-1:0] s_col,
    input wire [   PPC-1:0] s_cover,
    input wire [PPC*24-1:0] s_depth,
    input wire [      31:0] s_surface,
    input wire              s_end,
    input wire              wr_bank,
    input wire              scan_en,
    input wire              scan_bank,
    input wire [       4:0] scan_row,
    input wire [  COLW-1:0] scan_col
);

  localparam AW = 5 + COLW;
  localparam WIDTH = PPC * 56;
  localparam [WIDTH-1:0] NOTHING = {PPC{24'hffffff, 32'd0}};

  wire s_tready, blk_done, init_done, stat_blocks;
  wire [WIDTH-1:0] scan_data;

  band_store #(
      .PPC (PPC),
      .COLW(COLW)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .s_blk_tvalid (s_tvalid),
      .s_blk_tready (s_tready),
      .s_blk_row    (s_row),
      .s_blk_col    (s_col),
      .s_blk_cover  (s_cover),
      .s_blk_depth  (s_depth),
      .s_blk_surface(s_surface),
      .s_blk_end    (s_end),
      .wr_bank      (wr_bank),
      .blk_done     (blk_done),
      .init_done    (init_done),
      .scan_en      (scan_en),
      .scan_bank    (scan_bank),
      .scan_row     (scan_row),
      .scan_col     (scan_col),
      .scan_data    (scan_data),
      .stat_blocks  (stat_blocks)
  );

  // Inside the design: the watched word and its address, and the sweep. Induction starts from what they hold.
  (* hierconn *) wire [AW-1:0] \dut.bank[0].ram.pick ;
  (* hierconn *) wire [AW-1:0] \dut.bank[1].ram.pick ;
  (* hierconn *) wire [WIDTH-1:0] \dut.bank[0].ram.word_reg ;
  (* hierconn *) wire [WIDTH-1:0] \dut.bank[1].ram.word_reg ;
  (* hierconn *) wire [AW:0] \dut.init_reg ;
  wire [AW-1:0] pick = BANK ? \dut.bank[1].ram.pick : \dut.bank[0].ram.pick ;
  wire [WIDTH-1:0] word = BANK ? \dut.bank[1].ram.word_reg : \dut.bank[0].ram.word_reg ;
  wire [AW:0] swept = \dut.init_reg ;

  initial assume (!rst_n);

  wire take = s_tvalid & s_tready & rst_n;
  wire mine = take & ~s_end & (wr_bank == BANK) & ({s_row, s_col} == pick);
  wire scans = scan_en & (scan_bank == BANK) & ({scan_row, scan_col} == pick);
  reg [AW:0] sweep_reg = 0;
  reg [2:0] drawn_reg = 3'd0;  // cycles until the bank may be scanned
  reg [1:0] read_reg = 2'd0;  // cycles until it may be drawn on
  reg [1:0] due_reg = 2'd0;  // a scan's answer comes
  reg [2:0] ends_reg = 3'd0;
  reg [2:0] takes_reg = 3'd0;
  // The model: blocks on the word in the order of arrival, each applied three cycles later, a clear one cycle later.
  reg [2:0] mine_reg = 3'd0;
  reg clear_reg = 1'b0;
  reg [3*PPC-1:0] cover_reg;
  reg [3*PPC*24-1:0] depth_reg;
  reg [95:0] surface_reg;
  reg [WIDTH-1:0] model_reg = NOTHING;
  reg [WIDTH-1:0] first_reg;  // the model when the scan read, one and two cycles ago
  reg [WIDTH-1:0] second_reg;

  always @* begin
    assume (!(take & scan_en & wr_bank == scan_bank));
    assume (!(scan_en & ~init_done));
    if (scan_en & (scan_bank == BANK)) assume (drawn_reg == 0);
    if (take & (wr_bank == BANK)) assume (read_reg == 0);
  end

  integer i;
  always @(posedge clk) begin
    cover_reg   <= {cover_reg, s_cover};
    depth_reg   <= {depth_reg, s_depth};
    surface_reg <= {surface_reg, s_surface};
    first_reg   <= model_reg;
    second_reg  <= first_reg;
    if (!rst_n) begin
      drawn_reg <= 3'd0;
      read_reg  <= 2'd0;
      due_reg   <= 2'd0;
      ends_reg  <= 3'd0;
      takes_reg <= 3'd0;
      mine_reg  <= 3'd0;
      clear_reg <= 1'b0;
      model_reg <= NOTHING;
      sweep_reg <= 0;
    end else begin
      if (!sweep_reg[AW]) sweep_reg <= sweep_reg + 1;
      drawn_reg <= take & (wr_bank == BANK) ? 3'd4 : drawn_reg - (drawn_reg != 0);
      read_reg  <= scan_en & (scan_bank == BANK) ? 2'd2 : read_reg - (read_reg != 0);
      due_reg   <= {due_reg[0], scans};
      ends_reg  <= {ends_reg[1:0], take & s_end};
      takes_reg <= {takes_reg[1:0], take & ~s_end};
      mine_reg  <= {mine_reg[1:0], mine};
      clear_reg <= scans;
      if (clear_reg) model_reg <= NOTHING;
      else if (mine_reg[2])
        for (i = 0; i < PPC; i = i + 1)
          if (cover_reg[2*PPC+i] & (depth_reg[24*(2*PPC+i)+:24] < model_reg[56*i+32+:24]))
            model_reg[56*i+:56] <= {depth_reg[24*(2*PPC+i)+:24], surface_reg[95:64]};
      assert (init_done == sweep_reg[AW]);
      assert (swept == sweep_reg);
      if (sweep_reg > {1'b0, pick}) assert (word == model_reg);
      assert (!(init_done & (sweep_reg[AW-1:0] != 0)));
      assert (init_done || (mine_reg == 0 && !clear_reg && model_reg == NOTHING));
      if (due_reg[1]) assert (scan_data == second_reg);
      assert (blk_done == ends_reg[2]);
      assert (stat_blocks == takes_reg[2]);
      if (take) assert (init_done);
      // Four blocks in a row on the word, of which the third is seen and the fourth hidden; then the scan.
      cover (due_reg[1] & (scan_data[55:32] == 24'd5) & (scan_data[31:0] == 32'd7));
      cover ((mine_reg == 3'b111) & mine & (model_reg[55:32] == 24'd9));
      cover (clear_reg & (mine_reg == 0) & (model_reg != NOTHING));
    end
  end

endmodule

`default_nettype wire
