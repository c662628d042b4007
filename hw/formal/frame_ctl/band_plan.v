// Stands for band_plan in the proof: bands in rising order at any pace, as band_plan_formal has proven them.
`default_nettype none

module band_plan #(
    parameter NUM_ROI = 16
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire                  start,
    input  wire [          12:0] cfg_height,
    input  wire [NUM_ROI*52-1:0] roi_set,
    input  wire                  all_rows,
    output wire                  planned,
    output wire                  any_band,
    output wire                  finished,
    output wire [           7:0] skipped,
    output wire                  m_band_valid,
    input  wire                  m_band_ready,
    output wire [           6:0] m_band_index,
    output wire [          31:0] m_band_rows
);

  (* anyseq *) reg go;  // to the next step, now
  (* anyseq *) reg more;  // and it is a band
  (* anyseq *) reg some;
  (* anyseq *) reg [6:0] index;
  (* anyseq *) reg [31:0] rows;
  reg planned_reg, any_reg, finished_reg, valid_reg, offered_reg;
  reg [6:0] index_reg;
  reg [7:0] next_reg;  // the lowest band that may follow
  reg [31:0] rows_reg;

  assign planned      = planned_reg;
  assign any_band     = any_reg;
  assign finished     = finished_reg;
  assign skipped      = 8'd0;
  assign m_band_valid = valid_reg;
  assign m_band_index = index_reg;
  assign m_band_rows  = rows_reg;

  wire offers = planned_reg & ~finished_reg & ~valid_reg & go & more;
  wire ends = planned_reg & ~finished_reg & ~valid_reg & go & ~more;
  always @* begin
    if (offers) assume (any_reg && index >= next_reg && rows != 0);
    if (ends) assume (offered_reg || !any_reg);
  end

  always @(posedge clk) begin
    if (!rst_n | start) begin
      planned_reg  <= ~rst_n | ~start;
      any_reg      <= some;
      finished_reg <= ~rst_n | ~start;
      valid_reg    <= 1'b0;
      offered_reg  <= 1'b0;
      next_reg     <= 8'd0;
    end else begin
      if (go) planned_reg <= 1'b1;
      if (ends) finished_reg <= 1'b1;
      if (offers) begin
        valid_reg   <= 1'b1;
        offered_reg <= 1'b1;
        index_reg   <= index;
        rows_reg    <= rows;
        next_reg    <= index + 8'd1;
      end else if (m_band_ready) valid_reg <= 1'b0;
    end
  end

  wire unused = &{1'b0, cfg_height, roi_set, all_rows};

endmodule

`default_nettype wire
