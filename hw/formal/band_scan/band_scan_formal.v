// band_scan: reads exactly the active rows, lowest first, every column of each once; what the store answers two cycles
// later leaves in that order, none lost; tlast ends a row, tuser marks the frame's first beat and counts the rows left
// out. Never more reads under way than the buffer holds. The store's answer is the address that was read.
`default_nettype none

module band_scan_formal #(
    parameter PPC  = 1,
    parameter COLW = 2,
    parameter ROWS = 4  // rows of a band that may be active
) (
    input wire        clk,
    input wire        rst_n,
    input wire        start_valid,
    input wire        start_bank,
    input wire [12:0] start_y0,
    input wire [31:0] start_rows,
    input wire        frame_start,
    input wire        m_tready,
    input wire        mark
);

  (* anyconst *) reg [COLW:0] beats;  // of a row
  wire start_ready, scan_en, scan_bank, m_tvalid, m_tlast, busy;
  wire [4:0] scan_row;
  wire [COLW-1:0] scan_col;
  wire [13:0] m_tuser;
  wire [PPC*56-1:0] m_tdata;
  localparam TAG_W = COLW + 6;
  reg [TAG_W-1:0] read_reg;
  reg [TAG_W-1:0] data_reg;

  band_scan #(
      .PPC (PPC),
      .COLW(COLW)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .start_valid  (start_valid),
      .start_ready  (start_ready),
      .start_bank   (start_bank),
      .start_y0     (start_y0),
      .start_rows   (start_rows),
      .cfg_width    ({{12 - COLW{1'b0}}, beats} * PPC),
      .frame_start  (frame_start),
      .scan_en      (scan_en),
      .scan_bank    (scan_bank),
      .scan_row     (scan_row),
      .scan_col     (scan_col),
      .scan_data    ({{PPC * 56 - TAG_W{1'b0}}, data_reg}),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready),
      .m_axis_tdata (m_tdata),
      .m_axis_tuser (m_tuser),
      .m_axis_tlast (m_tlast),
      .busy         (busy),
      .stalled      ()
  );

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (46),
      .ASSUMED(1)
  ) starts (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (start_valid),
      .ready  (start_ready),
      .payload({start_bank, start_y0, start_rows})
  );

  stream_properties #(
      .WIDTH(TAG_W + 15)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({m_tlast, m_tuser, m_tdata[TAG_W-1:0]})
  );

  // The walk by its definition.
  reg [31:0] rest_reg = 32'd0;
  reg [COLW-1:0] col_reg;
  reg bank_reg;
  reg [12:0] y0_reg;
  reg [13:0] next_reg = 14'd0;  // the row that would follow without a gap
  reg first_reg = 1'b1;  // nothing of the frame is sent
  wire [31:0] low = rest_reg & (~rest_reg + 1);
  wire last = col_reg == beats - 1;
  wire [12:0] y = y0_reg + scan_row;
  wire [13:0] user = col_reg == 0 ? {y - next_reg[12:0], first_reg} : 14'd0;
  wire starts_now = start_valid & start_ready;

  order_properties #(
      .WIDTH   (TAG_W + 15),
      .CAPACITY(8)
  ) order (
      .clk         (clk),
      .rst_n       (rst_n),
      .mark        (mark),
      .push        (scan_en & rst_n),
      .into        ({last, user, scan_bank, scan_row, scan_col}),
      .note        (1'b0),
      .pop         (m_tvalid & m_tready),
      .out         ({m_tlast, m_tuser, m_tdata[TAG_W-1:0]}),
      .leaves      (),
      .held        (),
      .leaving_note()
  );

  always @* begin
    assume (beats >= 1 && beats <= (1 << COLW));
    // Bands come top to bottom.
    assume (start_y0[4:0] == 0);
    assume (start_rows >> ROWS == 0 && start_y0 < 13'd128);
    if (starts_now) assume (start_y0 >= next_reg);
    assume (!(frame_start & (busy | start_valid)));
  end

  always @(posedge clk) begin
    read_reg <= {scan_bank, scan_row, scan_col};
    data_reg <= read_reg;
    if (!rst_n) begin
      rest_reg  <= 32'd0;
      next_reg  <= 14'd0;
      first_reg <= 1'b1;
    end else begin
      if (starts_now) begin
        rest_reg <= start_rows;
        col_reg  <= 0;
        bank_reg <= start_bank;
        y0_reg   <= start_y0;
      end else if (scan_en) begin
        col_reg <= last ? 0 : col_reg + 1;
        if (last) rest_reg <= rest_reg & ~low;
      end
      if (frame_start) begin
        next_reg  <= 14'd0;
        first_reg <= 1'b1;
      end else if (scan_en & col_reg == 0) begin
        next_reg  <= y + 1;
        first_reg <= 1'b0;
      end
      if (scan_en) begin
        assert (rest_reg != 0 && low == 32'd1 << scan_row);
        assert (scan_col == col_reg && scan_bank == bank_reg);
      end
      if (starts_now) assert (rest_reg == 0);  // the command before has read everything
      if (!busy) assert (rest_reg == 0 && !m_tvalid);
      cover (m_tvalid & m_tready & m_tlast & (m_tuser[13:1] == 13'd2));
      cover (m_tvalid & m_tuser[0] & (m_tuser[13:1] == 13'd33));
    end
  end

endmodule

`default_nettype wire
