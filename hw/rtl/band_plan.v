// Lists the bands of a frame that hold an active row, top to bottom. A row is active if a region that
// is not empty holds it, or with `all_rows` every row of the frame; rows at or below cfg_height are not.
// After `start`: NUM_ROI cycles mark the bands, then `planned` rises and `any_band` is valid. Then one
// cycle a band left out, NUM_ROI + 2 cycles a band offered, while the consumer works on earlier bands.
// `finished` rises when the last band was taken. Reset: idle, finished.
`default_nettype none
`timescale 1ns / 1ps

module band_plan #(
    parameter NUM_ROI = 16  // regions, >= 1
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire                  start,         // pulse; the configuration holds from here on
    input  wire [          12:0] cfg_height,    // 1..4096
    input  wire [NUM_ROI*52-1:0] roi_set,
    input  wire                  all_rows,
    output wire                  planned,
    output wire                  any_band,
    output wire                  finished,
    output wire [           7:0] skipped,       // bands left out so far
    output wire                  m_band_valid,
    input  wire                  m_band_ready,
    output wire [           6:0] m_band_index,
    output wire [          31:0] m_band_rows    // bit r: row 32 * index + r is active
);

  localparam [2:0] IDLE = 3'd0;
  localparam [2:0] MARK = 3'd1;
  localparam [2:0] SEEK = 3'd2;
  localparam [2:0] ROWS = 3'd3;
  localparam [2:0] OFFER = 3'd4;

  localparam INDEX_W = NUM_ROI > 1 ? $clog2(NUM_ROI) : 1;
  localparam [31:0] LAST_INT = NUM_ROI - 1;
  localparam [INDEX_W-1:0] LAST = LAST_INT[INDEX_W-1:0];

  initial begin
    if (NUM_ROI < 1) begin
      $display("%m: NUM_ROI must be at least 1, it is %0d", NUM_ROI);
      $finish;
    end
  end

  reg  [        2:0] state_reg;
  reg  [INDEX_W-1:0] index_reg;  // of the region in hand
  reg  [      127:0] marks_reg;
  reg                any_reg;
  reg  [        7:0] band_reg;
  reg  [       31:0] rows_reg;
  reg  [        7:0] skipped_reg;

  wire [       51:0] roi = roi_set[52*index_reg+:52];
  wire [       12:0] roi_x0 = roi[12:0];
  wire [       12:0] roi_y0 = roi[25:13];
  wire [       12:0] roi_x1 = roi[38:26];
  wire [       12:0] roi_y1 = roi[51:39];
  wire               roi_holds = (roi_x0 < roi_x1) & (roi_y0 < roi_y1);
  wire [        8:0] roi_band_end = {1'b0, roi_y1[12:5]} + {8'd0, |roi_y1[4:0]};

  function [31:0] at_or_after;
    input [12:0] bound;
    input [7:0] band;
    begin
      if (band > bound[12:5]) at_or_after = 32'hffffffff;
      else if (band == bound[12:5]) at_or_after = 32'hffffffff << bound[4:0];
      else at_or_after = 32'd0;
    end
  endfunction

  wire [31:0] roi_rows = roi_holds ? at_or_after(roi_y0, band_reg) & ~at_or_after(roi_y1, band_reg) : 32'd0;
  wire        band_exists = {band_reg, 5'd0} < cfg_height;

  always @(posedge clk) begin
    if (!rst_n) begin
      state_reg   <= IDLE;
      index_reg   <= {INDEX_W{1'b0}};
      marks_reg   <= 128'd0;
      any_reg     <= 1'b0;
      band_reg    <= 8'd0;
      rows_reg    <= 32'd0;
      skipped_reg <= 8'd0;
    end else if (start) begin
      state_reg   <= MARK;
      index_reg   <= {INDEX_W{1'b0}};
      marks_reg   <= {128{all_rows}};
      any_reg     <= all_rows;
      band_reg    <= 8'd0;
      rows_reg    <= 32'd0;
      skipped_reg <= 8'd0;
    end else begin
      case (state_reg)
        MARK: begin
          if (roi_holds & (roi_y0 < cfg_height)) begin
            marks_reg <= marks_reg | (({128{1'b1}} << roi_y0[12:5]) & ~({128{1'b1}} << roi_band_end));
            any_reg   <= 1'b1;
          end
          index_reg <= index_reg + 1'b1;
          if (index_reg == LAST) state_reg <= SEEK;
        end
        SEEK: begin
          index_reg <= {INDEX_W{1'b0}};
          rows_reg  <= {32{all_rows}};
          if (!band_exists) state_reg <= IDLE;
          else if (marks_reg[band_reg[6:0]]) state_reg <= ROWS;
          else begin
            band_reg    <= band_reg + 8'd1;
            skipped_reg <= skipped_reg + 8'd1;
          end
        end
        ROWS: begin
          rows_reg  <= (rows_reg | roi_rows) & ~at_or_after(cfg_height, band_reg);
          index_reg <= index_reg + 1'b1;
          if (index_reg == LAST) state_reg <= OFFER;
        end
        OFFER:
        if (m_band_ready) begin
          band_reg  <= band_reg + 8'd1;
          state_reg <= SEEK;
        end
        default: state_reg <= IDLE;
      endcase
    end
  end

  assign planned      = state_reg != MARK;
  assign any_band     = any_reg;
  assign finished     = state_reg == IDLE;
  assign skipped      = skipped_reg;
  assign m_band_valid = state_reg == OFFER;
  assign m_band_index = band_reg[6:0];
  assign m_band_rows  = rows_reg;

endmodule

`default_nettype wire
