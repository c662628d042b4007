// Drops triangle records that touch no region in the band's 32 rows, and tightens the others' bounds
// to bounds ∩ band rows ∩ the smallest box that holds all touched regions. The record itself passes
// unchanged (its edges and depth stay relative to its own bounds). One record a clock, latency 4.
// The end-of-band token (tuser = 1) passes in order, with bounds 0. `roi_set` and `band_y0` must hold
// while records are inside. stat_fetched pulses for each record taken, stat_culled for each dropped.
// Reset empties the pipeline; s_tri_tready is low in reset.
`default_nettype none
`timescale 1ns / 1ps

module roi_cull #(
    parameter NUM_ROI = 16  // regions in roi_set, a multiple of 4
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire [NUM_ROI*52-1:0] roi_set,        // region n at [52*n +: 52] = {y1, x1, y0, x0}
    input  wire [          12:0] band_y0,        // first row of the band
    input  wire                  s_tri_tvalid,
    output wire                  s_tri_tready,
    input  wire [         511:0] s_tri_tdata,
    input  wire                  s_tri_tuser,
    output wire                  m_tri_tvalid,
    input  wire                  m_tri_tready,
    output wire [         511:0] m_tri_tdata,
    output wire                  m_tri_tuser,
    output wire [          51:0] m_tri_bounds,   // {y1, x1, y0, x0}
    output wire                  stat_culled,
    output wire                  stat_fetched
);

  localparam GROUPS = NUM_ROI / 4;
  localparam [51:0] NOTHING = {13'd0, 13'd0, 13'h1fff, 13'h1fff};  // neutral element of `join_boxes`

  initial begin
    if (NUM_ROI < 4 || NUM_ROI % 4 != 0) begin
      $display("%m: NUM_ROI must be a positive multiple of 4, it is %0d", NUM_ROI);
      $finish;
    end
  end

  function [51:0] join_boxes(input [51:0] a, input [51:0] b);
    begin
      join_boxes[12:0]  = a[12:0] < b[12:0] ? a[12:0] : b[12:0];
      join_boxes[25:13] = a[25:13] < b[25:13] ? a[25:13] : b[25:13];
      join_boxes[38:26] = a[38:26] > b[38:26] ? a[38:26] : b[38:26];
      join_boxes[51:39] = a[51:39] > b[51:39] ? a[51:39] : b[51:39];
    end
  endfunction

  function [51:0] cut_box(input [51:0] a, input [51:0] b);
    begin
      cut_box[12:0]  = a[12:0] > b[12:0] ? a[12:0] : b[12:0];
      cut_box[25:13] = a[25:13] > b[25:13] ? a[25:13] : b[25:13];
      cut_box[38:26] = a[38:26] < b[38:26] ? a[38:26] : b[38:26];
      cut_box[51:39] = a[51:39] < b[51:39] ? a[51:39] : b[51:39];
    end
  endfunction

  // A bit for each region that shares a pixel with `box`. Empty boxes and regions share none.
  function [NUM_ROI-1:0] touched(input [51:0] box);
    integer n;
    reg [51:0] both;
    begin
      for (n = 0; n < NUM_ROI; n = n + 1) begin
        both = cut_box(box, roi_set[52*n+:52]);
        touched[n] = both[12:0] < both[38:26] && both[25:13] < both[51:39];
      end
    end
  endfunction

  function [51:0] join_group(input [3:0] take, input [207:0] regions);
    begin
      join_group = join_boxes(
        join_boxes(take[0] ? regions[51:0] : NOTHING, take[1] ? regions[103:52] : NOTHING),
        join_boxes(take[2] ? regions[155:104] : NOTHING, take[3] ? regions[207:156] : NOTHING));
    end
  endfunction

  function [51:0] join_all(input [GROUPS*52-1:0] boxes);
    integer g;
    begin
      join_all = NOTHING;
      for (g = 0; g < GROUPS; g = g + 1) join_all = join_boxes(join_all, boxes[52*g+:52]);
    end
  endfunction

  // A registered input, so that the source never sees this pipeline's stall as a long path.
  wire         in_valid;
  wire         in_ready;
  wire         in_end;
  wire [511:0] in_data;

  skid_buffer #(
      .WIDTH(513)
  ) skid (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(s_tri_tvalid),
      .s_tready(s_tri_tready),
      .s_tdata ({s_tri_tuser, s_tri_tdata}),
      .m_tvalid(in_valid),
      .m_tready(in_ready),
      .m_tdata ({in_end, in_data})
  );

  // Frames are at most 4096 pixels a side, so the record's 16-bit bounds fit 13 bits.
  wire [51:0] in_bounds = {in_data[60:48], in_data[44:32], in_data[28:16], in_data[12:0]};
  wire [51:0] band_box = {band_y0 + 13'd32, 13'h1fff, band_y0, 13'd0};

  // Stage 1: which regions are touched. Stage 2: joint boxes of four regions each. Stage 3: the bounds.
  reg                  hit_valid_reg;
  reg                  hit_end_reg;
  reg  [        511:0] hit_data_reg;
  reg  [         51:0] hit_bounds_reg;
  reg  [  NUM_ROI-1:0] hit_reg;
  reg                  box_valid_reg;
  reg                  box_end_reg;
  reg  [        511:0] box_data_reg;
  reg  [         51:0] box_bounds_reg;
  reg  [GROUPS*52-1:0] box_reg;
  reg                  out_valid_reg;
  reg                  out_end_reg;
  reg  [        511:0] out_data_reg;
  reg  [         51:0] out_bounds_reg;
  reg                  fetched_reg;
  reg                  culled_reg;

  wire                 dropped = hit_valid_reg & ~hit_end_reg & (hit_reg == 0);
  wire                 out_ready = ~out_valid_reg | m_tri_tready;
  wire                 box_ready = ~box_valid_reg | out_ready;
  wire                 hit_ready = ~hit_valid_reg | dropped | box_ready;

  assign in_ready     = hit_ready;
  assign m_tri_tvalid = out_valid_reg;
  assign m_tri_tdata  = out_data_reg;
  assign m_tri_tuser  = out_end_reg;
  assign m_tri_bounds = out_bounds_reg;
  assign stat_fetched = fetched_reg;
  assign stat_culled  = culled_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      hit_valid_reg <= 1'b0;
      box_valid_reg <= 1'b0;
      out_valid_reg <= 1'b0;
      fetched_reg   <= 1'b0;
      culled_reg    <= 1'b0;
    end else begin
      if (hit_ready) hit_valid_reg <= in_valid;
      if (box_ready) box_valid_reg <= hit_valid_reg & ~dropped;
      if (out_ready) out_valid_reg <= box_valid_reg;
      fetched_reg <= in_valid & in_ready & ~in_end;
      culled_reg  <= dropped;
    end
  end

  integer g;

  always @(posedge clk) begin
    if (in_valid & hit_ready) begin
      hit_end_reg    <= in_end;
      hit_data_reg   <= in_data;
      hit_bounds_reg <= cut_box(in_bounds, band_box);
      hit_reg        <= touched(cut_box(in_bounds, band_box));
    end
    if (hit_valid_reg & box_ready) begin
      box_end_reg    <= hit_end_reg;
      box_data_reg   <= hit_data_reg;
      box_bounds_reg <= hit_bounds_reg;
      for (g = 0; g < GROUPS; g = g + 1) box_reg[52*g+:52] <= join_group(hit_reg[4*g+:4], roi_set[208*g+:208]);
    end
    if (box_valid_reg & out_ready) begin
      out_end_reg    <= box_end_reg;
      out_data_reg   <= box_data_reg;
      out_bounds_reg <= box_end_reg ? 52'd0 : cut_box(box_bounds_reg, join_all(box_reg));
    end
  end

endmodule

`default_nettype wire
