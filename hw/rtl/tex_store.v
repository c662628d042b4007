// Texture pages on chip, and their bilinear samples. A page is 4 KiB: 32 x 32 texels of R, G, B, A, rows first. Texels
// lie in four banks by the parity of column and row, so the footprint of a sample is one read of each bank wherever it
// lies, across page edges and around the texture's own: four texels a clock. A second port is a second store.
// Request and result: SPEC section 11. A sample that touches a page which is not resident gives MISS_COLOUR and the
// miss flag, at the same pace: nothing ever waits for a page.
// A request a clock, latency 6 cycles: place, address, read, select, across, down. `forget` makes all pages absent,
// `page_done` one resident; both act on requests taken a cycle later. Reset: no page is resident, no request inside.
`default_nettype none
`timescale 1ns / 1ps

module tex_store #(
    parameter SLOTS = 16,                   // pages held: 2, 4, 8, 16, 32 or 64
    parameter [31:0] MISS_COLOUR = 32'hffff00ff  // R, G, B, A from the low byte: magenta, as nothing in a street is
) (
    input  wire                       clk,
    input  wire                       rst_n,
    // pages in
    input  wire                       forget,
    input  wire                       page_we,
    input  wire [$clog2(SLOTS*64)-1:0] page_waddr,  // page, then beat of 16 texels
    input  wire [              511:0] page_wdata,
    input  wire                       page_done,
    input  wire [  $clog2(SLOTS)-1:0] page_slot,
    output wire [          SLOTS-1:0] resident,
    // samples out
    input  wire                       s_axis_tvalid,
    output wire                       s_axis_tready,
    input  wire [               63:0] s_axis_tdata,
    output wire                       m_axis_tvalid,
    input  wire                       m_axis_tready,
    output wire [               39:0] m_axis_tdata,
    output wire [               31:0] stat_missed   // results with the miss flag since reset
);

  localparam SW = $clog2(SLOTS);
  localparam AW = SW + 5;  // of a bank: page, row pair, half row
  localparam STAGES = 6;

  initial begin
    if (SLOTS != (1 << SW) || SLOTS < 2 || SLOTS > 64) begin
      $display("%m: SLOTS must be 2, 4, 8, 16, 32 or 64, it is %0d", SLOTS);
      $finish;
    end
  end

  // ---- Residency -----------------------------------------------------------------------------------------------
  reg [SLOTS-1:0] resident_reg;
  assign resident = resident_reg;

  always @(posedge clk) begin
    if (!rst_n | forget) resident_reg <= {SLOTS{1'b0}};
    else if (page_done) resident_reg[page_slot] <= 1'b1;
  end

  // ---- Pace: the stages move together, so a beat a clock passes and a stall holds all of them --------------------
  reg               awake_reg;
  reg  [STAGES-1:0] valid_reg;
  reg  [STAGES-1:0] miss_reg;  // from the address stage on
  wire              move = ~valid_reg[STAGES-1] | m_axis_tready;
  assign s_axis_tready = awake_reg & move;
  assign m_axis_tvalid = valid_reg[STAGES-1];

  always @(posedge clk) begin
    if (!rst_n) begin
      awake_reg <= 1'b0;
      valid_reg <= {STAGES{1'b0}};
    end else begin
      awake_reg <= 1'b1;
      if (move) valid_reg <= {valid_reg[STAGES-2:0], s_axis_tvalid & awake_reg};
    end
  end

  // Each stage loads only what is valid: an idle store burns nothing, on a card or in simulation.
  wire       place_load = s_axis_tvalid & s_axis_tready;
  wire [4:0] load = valid_reg[4:0] & {5{move}};  // address, read, select, across, down

  // ---- Place: the sample lies between the centres of four texels ------------------------------------------------
  // Sizes are powers of two up to 256 texels, so wrapping is leaving bits out.
  wire [15:0] u = s_axis_tdata[15:0] - 16'd128;
  wire [15:0] v = s_axis_tdata[39:24] - 16'd128;
  reg  [ 7:0] x_reg, y_reg;  // texel up left
  reg  [ 7:0] wu_reg, wv_reg;  // weight of the right, the lower texels, in 1/256
  reg  [ 7:0] first_reg;  // first page of the texture
  reg  [ 1:0] wide_reg, high_reg;  // log2 of its pages

  always @(posedge clk) begin
    if (place_load) begin
      {x_reg, wu_reg} <= u;
      {y_reg, wv_reg} <= v;
      first_reg <= s_axis_tdata[55:48];
      wide_reg  <= s_axis_tdata[57:56];
      high_reg  <= s_axis_tdata[59:58];
    end
  end

  // ---- Address: each bank has one of the two columns and one of the two rows ------------------------------------
  wire [7:0] x_next = x_reg + 8'd1;
  wire [7:0] y_next = y_reg + 8'd1;
  // By parity: the even one is [0], the odd one [1].
  wire [7:0] x_of[0:1];
  wire [7:0] y_of[0:1];
  assign x_of[0] = x_reg[0] ? x_next : x_reg;
  assign x_of[1] = x_reg[0] ? x_reg : x_next;
  assign y_of[0] = y_reg[0] ? y_next : y_reg;
  assign y_of[1] = y_reg[0] ? y_reg : y_next;

  function [2:0] wrapped;
    input [2:0] tile;
    input [1:0] log2_tiles;
    wrapped = tile & ~(3'b111 << log2_tiles);
  endfunction

  reg  [2:0] lane_reg[0:1];  // texel of the word, by the column's parity
  reg        odd_x_reg, odd_y_reg;  // the texel up left is in an odd column, row
  reg  [7:0] address_wu_reg, address_wv_reg;

  always @(posedge clk) begin
    if (load[0]) begin
      lane_reg[0] <= x_of[0][3:1];
      lane_reg[1] <= x_of[1][3:1];
      odd_x_reg <= x_reg[0];
      odd_y_reg <= y_reg[0];
      address_wu_reg <= wu_reg;
      address_wv_reg <= wv_reg;
    end
  end

  // A beat of a page is half a row: eight texels of even and eight of odd columns. It is written a cycle later, in time
  // for the first request that sees the page resident.
  reg            we_reg;
  reg  [  AW:0]  waddr_reg;
  reg  [511:0]   half_reg;  // even columns, then odd ones

  integer t;
  always @(posedge clk) begin
    we_reg <= page_we & rst_n;
    if (page_we) begin
      waddr_reg <= page_waddr;
      for (t = 0; t < 8; t = t + 1) begin
        half_reg[32*t+:32]     <= page_wdata[64*t+:32];
        half_reg[256+32*t+:32] <= page_wdata[64*t+32+:32];
      end
    end
  end

  wire [  3:0] absent;
  wire [255:0] word  [0:3];

  genvar bank;
  generate
    for (bank = 0; bank < 4; bank = bank + 1) begin : g_bank
      localparam COLUMN = bank % 2;
      localparam ROW = bank / 2;
      wire [5:0] down = {3'd0, wrapped(y_of[ROW][7:5], high_reg)} << wide_reg;
      wire [8:0] page = {1'b0, first_reg} + {3'd0, down} + {6'd0, wrapped(x_of[COLUMN][7:5], wide_reg)};
      reg  [AW-1:0] addr_reg;
      assign absent[bank] = (page[8:SW] != 0) | ~resident_reg[page[SW-1:0]];
      always @(posedge clk) if (load[0]) addr_reg <= {page[SW-1:0], y_of[ROW][4:1], x_of[COLUMN][4]};

      tex_bank #(
          .AW(AW)
      ) u_bank (
          .clk    (clk),
          .rd_en  (load[1]),
          .rd_addr(addr_reg),
          .rd_data(word[bank]),
          .wr_en  (we_reg & (ROW == 1 ? waddr_reg[1] : ~waddr_reg[1])),
          .wr_addr({waddr_reg[AW:2], waddr_reg[0]}),
          .wr_data(half_reg[256*COLUMN+:256])
      );
    end
  endgenerate

  always @(posedge clk) if (move) miss_reg <= {miss_reg[STAGES-2:1], |absent, 1'b0};

  // ---- Read, then select: texels in the order of the picture ----------------------------------------------------
  reg [2:0] read_lane_reg[0:1];
  reg       read_odd_x_reg, read_odd_y_reg;
  reg [7:0] read_wu_reg, read_wv_reg;
  reg [7:0] select_wu_reg, select_wv_reg;
  reg [7:0] across_wv_reg;

  wire [1:0] up_left = {read_odd_y_reg, read_odd_x_reg};  // its bank
  integer place;

  reg [31:0] texel_reg[0:3];  // up left, up right, low left, low right

  always @(posedge clk) begin
    if (load[1]) begin
      read_lane_reg[0] <= lane_reg[0];
      read_lane_reg[1] <= lane_reg[1];
      {read_odd_x_reg, read_odd_y_reg} <= {odd_x_reg, odd_y_reg};
      {read_wu_reg, read_wv_reg} <= {address_wu_reg, address_wv_reg};
    end
    if (load[2]) begin
      for (place = 0; place < 4; place = place + 1)
        texel_reg[place] <= word[up_left^place[1:0]][{read_lane_reg[up_left[0]^place[0]], 5'd0}+:32];
      {select_wu_reg, select_wv_reg} <= {read_wu_reg, read_wv_reg};
    end
    if (load[3]) across_wv_reg <= select_wv_reg;
  end

  // ---- Filter: exact sums, rounded once at the end --------------------------------------------------------------
  // 256 a + (b - a) w: 8 more fractional bits than a and b have.
  function [15:0] across;
    input [7:0] a;
    input [7:0] b;
    input [7:0] w;
    reg signed [8:0] step;
    reg signed [17:0] product;
    reg [1:0] unused_sign;
    begin
      step = $signed({1'b0, b}) - $signed({1'b0, a});
      product = $signed({{9{step[8]}}, step}) * $signed({10'd0, w});
      {unused_sign, across} = product + $signed({2'd0, a, 8'd0});
    end
  endfunction

  function [7:0] down_rounded;
    input [15:0] a;
    input [15:0] b;
    input [7:0] w;
    reg signed [16:0] step;
    reg signed [25:0] product;
    reg [1:0] unused_sign;
    reg [15:0] unused_fraction;
    begin
      step = $signed({1'b0, b}) - $signed({1'b0, a});
      product = $signed({{9{step[16]}}, step}) * $signed({18'd0, w});
      {unused_sign, down_rounded, unused_fraction} = product + $signed({2'd0, a, 8'd0}) + 26'sd32768;
    end
  endfunction

  reg [63:0] upper_reg, lower_reg;  // four channels of 16 bits
  reg [31:0] colour_reg;
  wire result_miss = miss_reg[STAGES-2];

  integer ch;
  always @(posedge clk) begin
    for (ch = 0; ch < 4; ch = ch + 1) begin
      if (load[3]) begin
        upper_reg[16*ch+:16] <= across(texel_reg[0][8*ch+:8], texel_reg[1][8*ch+:8], select_wu_reg);
        lower_reg[16*ch+:16] <= across(texel_reg[2][8*ch+:8], texel_reg[3][8*ch+:8], select_wu_reg);
      end
      if (load[4])
        colour_reg[8*ch+:8] <= result_miss ? MISS_COLOUR[8*ch+:8]
                             : down_rounded(upper_reg[16*ch+:16], lower_reg[16*ch+:16], across_wv_reg);
    end
  end

  assign m_axis_tdata = {7'd0, miss_reg[STAGES-1], colour_reg};

  reg [31:0] missed_reg;
  always @(posedge clk) begin
    if (!rst_n) missed_reg <= 32'd0;
    else if (m_axis_tvalid & m_axis_tready & miss_reg[STAGES-1]) missed_reg <= missed_reg + 32'd1;
  end
  assign stat_missed = missed_reg;

  wire unused = &{1'b0, s_axis_tdata[63:60], s_axis_tdata[47:40], s_axis_tdata[23:16], 1'b0};

endmodule

`default_nettype wire
