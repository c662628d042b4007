// tri_fetch: for each band that was asked for, in the order of asking, exactly the records that the table in memory
// lists for it, each from its own address, none lost, doubled or changed, and behind them one end token, also where
// there is no record. A record that came with an error is left out, its band goes on. The memory is axi_read's stand-
// in.
`default_nettype none

module tri_fetch_formal #(
    parameter ERRORS = 0
) (
    input wire       clk,
    input wire       rst_n,
    input wire       load_valid,
    input wire       band_valid,
    input wire [2:0] band_index,
    input wire       m_tready
);

  localparam [63:0] TRIANGLES = 64'h100000;

  (* hierconn *) wire [511:0] \dut.reader.table_row ;
  (* hierconn *) wire \dut.reader.bad ;
  wire [511:0] table_row = \dut.reader.table_row ;
  wire load_ready, band_ready, m_tvalid, m_tuser, busy;
  wire [511:0] m_tdata;

  tri_fetch dut (
      .clk                (clk),
      .rst_n              (rst_n),
      .port_rst_n         (rst_n),
      .cfg_tri_base       (TRIANGLES),
      .cfg_band_base      (64'd0),
      .timeout            (32'd0),
      .clear              (1'b0),
      .load_valid         (load_valid),
      .load_ready         (load_ready),
      .load_bands         (8'd8),
      .band_valid         (band_valid),
      .band_ready         (band_ready),
      .band_index         ({4'd0, band_index}),
      .m_tri_tvalid       (m_tvalid),
      .m_tri_tready       (m_tready),
      .m_tri_tdata        (m_tdata),
      .m_tri_tuser        (m_tuser),
      .m_axi_gmem0_arid   (),
      .m_axi_gmem0_araddr (),
      .m_axi_gmem0_arlen  (),
      .m_axi_gmem0_arsize (),
      .m_axi_gmem0_arburst(),
      .m_axi_gmem0_arcache(),
      .m_axi_gmem0_arprot (),
      .m_axi_gmem0_arvalid(),
      .m_axi_gmem0_arready(1'b0),
      .m_axi_gmem0_rid    (1'b0),
      .m_axi_gmem0_rdata  (512'd0),
      .m_axi_gmem0_rresp  (2'd0),
      .m_axi_gmem0_rlast  (1'b0),
      .m_axi_gmem0_rvalid (1'b0),
      .m_axi_gmem0_rready (),
      .busy               (busy),
      .error              (),
      .resp               (),
      .timed_out          (),
      .undrained          (),
      .stat_bursts        (),
      .stat_bytes         ()
  );

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH(513)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({m_tuser, m_tdata})
  );

  // Small numbers: up to three records a band, of the first sixteen.
  reg small;
  integer n;
  always @* begin
    small = 1'b1;
    for (n = 0; n < 8; n = n + 1)
      small = small & table_row[64*n+:32] < 16 & table_row[64*n+32+:32] < 4;
    assume (small);
    if (!ERRORS) assume (!\dut.reader.bad );
    if (band_valid) assume (loaded_reg);
    if (load_valid) assume (!loaded_reg);
  end

  // The bands that were asked for, the oldest lowest, and how far the oldest is.
  reg loaded_reg = 1'b0;
  reg [23:0] asked_reg;
  reg [3:0] count_reg = 4'd0;
  reg [31:0] sent_reg = 32'd0;
  reg [2:0] ends_reg = 3'd0;
  wire [63:0] entry = table_row >> {asked_reg[2:0], 6'd0};
  wire asks = band_valid & band_ready;
  wire ends = m_tvalid & m_tready & m_tuser;
  wire [3:0] left = count_reg - ends;
  wire [23:0] rest = ends ? asked_reg >> 3 : asked_reg;
  always @(posedge clk) begin
    if (!rst_n) begin
      loaded_reg <= 1'b0;
      count_reg  <= 4'd0;
      sent_reg   <= 32'd0;
      ends_reg   <= 3'd0;
    end else begin
      if (load_valid & load_ready) loaded_reg <= 1'b1;
      count_reg <= left + asks;
      asked_reg <= asks ? (rest & ~(24'h7 << (3 * left))) | ({21'd0, band_index} << (3 * left)) : rest;
      if (ends) sent_reg <= 32'd0;
      else if (m_tvalid & m_tready) sent_reg <= sent_reg + 32'd1;
      ends_reg <= ends_reg + (ends & (ends_reg != 3'd7));
      if (m_tvalid) begin
        assert (count_reg != 0);
        if (!ERRORS) assert (m_tuser == (sent_reg == entry[63:32]));
        if (!ERRORS && !m_tuser) assert (m_tdata == TRIANGLES + 64 * (entry[31:0] + sent_reg));
        if (!m_tuser)
          assert (m_tdata >= TRIANGLES + 64 * (entry[31:0] + sent_reg)
                  && m_tdata < TRIANGLES + 64 * (entry[31:0] + entry[63:32]));
        if (m_tuser) assert (m_tdata == 0 && sent_reg <= entry[63:32]);
      end
      if (!busy) assert (count_reg == 0 && !m_tvalid);
      assert (count_reg < 4'd8);
      cover (ends & (sent_reg == 2) & (ends_reg == 1));
      cover (ends & (sent_reg == 0) & (ends_reg == 1) & (entry[63:32] == 0));
    end
  end

endmodule

`default_nettype wire
