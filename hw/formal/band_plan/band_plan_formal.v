// band_plan: the bands that hold an active row are offered once each, from top to bottom, with exactly their active
// rows, and no others; `any_band` tells whether there is one, `skipped` counts the rest, and the list ends. A row is
// active if the frame holds it and a region that is not empty does, or `all_rows`. The row that is watched is any row.
`default_nettype none

module band_plan_formal #(
    parameter NUM_ROI = 4
) (
    input wire clk,
    input wire rst_n,
    input wire start,
    input wire m_ready
);

  (* anyconst *) reg [12:0] height;
  (* anyconst *) reg [NUM_ROI*52-1:0] roi_set;
  (* anyconst *) reg all_rows;
  (* anyconst *) reg [11:0] row;
  wire [6:0] band = row[11:5];
  wire planned, any_band, finished, m_valid;
  wire [7:0] skipped;
  wire [6:0] m_index;
  wire [31:0] m_rows;

  band_plan #(
      .NUM_ROI(NUM_ROI)
  ) dut (
      .clk         (clk),
      .rst_n       (rst_n),
      .start       (start),
      .cfg_height  (height),
      .roi_set     (roi_set),
      .all_rows    (all_rows),
      .planned     (planned),
      .any_band    (any_band),
      .finished    (finished),
      .skipped     (skipped),
      .m_band_valid(m_valid),
      .m_band_ready(m_ready),
      .m_band_index(m_index),
      .m_band_rows (m_rows)
  );

  (* hierconn *) wire [2:0] \dut.state_reg ;
  (* hierconn *) wire [127:0] \dut.marks_reg ;
  (* hierconn *) wire [7:0] \dut.band_reg ;
  (* hierconn *) wire [31:0] \dut.rows_reg ;
  localparam INDEX_W = NUM_ROI > 1 ? $clog2(NUM_ROI) : 1;
  (* hierconn *) wire [INDEX_W-1:0] \dut.index_reg ;
  wire [2:0] state = \dut.state_reg ;
  wire [7:0] at = \dut.band_reg ;
  wire marking = state == 3'd1;
  wire joining = state == 3'd3;

  // A band that is offered stays until it is taken, or until the next frame starts.
  stream_properties #(
      .WIDTH(39)
  ) bands (
      .clk    (clk),
      .rst_n  (rst_n & ~start),
      .valid  (m_valid),
      .ready  (m_ready),
      .payload({m_index, m_rows})
  );

  initial assume (!rst_n);
  always @* assume (height >= 13'd1 && height <= 13'd4096);

  // Over all regions, and over those that the walk has seen: does one hold the row, touch its band, lie in the frame?
  reg row_all, row_seen, band_all, band_seen, any_all, any_seen;
  reg here, holds, touches;
  reg [51:0] roi;
  integer n;
  always @* begin
    {row_all, row_seen, band_all, band_seen, any_all, any_seen} = 6'd0;
    for (n = 0; n < NUM_ROI; n = n + 1) begin
      roi = roi_set[52*n+:52];
      here = roi[12:0] < roi[38:26] && roi[25:13] < roi[51:39] && roi[25:13] < height;
      holds = here && roi[25:13] <= row && row < roi[51:39];
      touches = here && roi[25:18] <= band && {band, 5'd0} < roi[51:39];
      row_all = row_all | holds;
      band_all = band_all | touches;
      any_all = any_all | here;
      if (n < \dut.index_reg ) begin
        row_seen = row_seen | holds;
        band_seen = band_seen | touches;
        any_seen = any_seen | here;
      end
    end
  end
  wire active = row < height && (all_rows || row_all);
  wire wanted = {band, 5'd0} < height && (all_rows || band_all);  // some row of the band is active

  reg up_reg = 1'b0;  // a start since the reset
  reg offered_reg = 1'b0;  // the watched band
  reg [7:0] taken_reg = 8'd0;  // bands
  reg [7:0] next_reg = 8'd0;  // behind the last band taken
  wire takes = m_valid & m_ready;
  always @(posedge clk) begin
    if (!rst_n) begin
      up_reg <= 1'b0;
    end else if (start) begin
      up_reg      <= 1'b1;
      offered_reg <= 1'b0;
      taken_reg   <= 8'd0;
      next_reg    <= 8'd0;
    end else if (takes) begin
      offered_reg <= offered_reg | (m_index == band);
      taken_reg   <= taken_reg + 8'd1;
      next_reg    <= m_index + 8'd1;
    end
    if (rst_n & !up_reg) assert (finished && !m_valid && planned);
    if (rst_n & up_reg) begin
      // What is offered.
      if (m_valid) assert (m_index >= next_reg && {m_index, 5'd0} < height);
      if (m_valid && m_index == band) assert (wanted && !offered_reg && m_rows != 0 && m_rows[row[4:0]] == active);
      if (active) assert (wanted);
      if (planned) assert (any_band == (all_rows || any_all));
      if (planned & wanted) assert (any_band);
      // The end.
      if (finished) assert (offered_reg == wanted && skipped + taken_reg == (height + 13'd31) >> 5);
      // What induction needs.
      assert (state <= 3'd4 && m_valid == (state == 3'd4) && planned == !marking && finished == (state == 3'd0));
      assert (skipped <= at && taken_reg == at - skipped && at <= (height + 13'd31) >> 5 && next_reg <= at);
      if (marking) begin
        assert (at == 0);
        assert (\dut.marks_reg [band] == (all_rows || band_seen) && any_band == (all_rows || any_seen));
      end else if ({band, 5'd0} < height) assert (\dut.marks_reg [band] == (all_rows || band_all));
      assert (offered_reg == (wanted && at > band));
      if (finished) assert ({at, 5'd0} >= height);
      if (joining || m_valid) assert ({at, 5'd0} < height && \dut.marks_reg [at[6:0]]);
      if (joining && at == band && (all_rows || band_seen)) assert (\dut.rows_reg != 0);
      if (joining && at == band && all_rows) assert (\dut.rows_reg [0]);
      if (joining && at == band)
        assert (\dut.rows_reg [row[4:0]] == ((all_rows || row_seen) && (row < height || \dut.index_reg == 0)));
      if (m_valid && at == band) assert (\dut.rows_reg [row[4:0]] == active);
      cover (finished & (taken_reg == 8'd2) & (skipped == 8'd1));
      cover (finished & ~any_band);
      cover (m_valid & (m_rows == 32'h3c) & offered_reg);
    end
  end

endmodule

`default_nettype wire
