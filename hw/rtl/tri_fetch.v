// Fetches triangle records band by band. `load` reads the band table (8 bytes a band: first record, count) into an
// on-chip RAM; a band command then streams the records of that band, 64 bytes a beat, followed by an end-of-band token
// (`m_tri_tuser` = 1, no record). The next band may be asked for while one is streaming; order is kept.
// A record that came with an error response is dropped; a part of the table that did reads as empty bands. After a
// timeout every band is its token alone. `clear` zeroes the sticky status and the statistics. Latency of a band command
// to its request: 6 cycles; a token follows its last record in the next cycle. Reset drops everything.
`default_nettype none
`timescale 1ns / 1ps

module tri_fetch #(
    parameter OUTSTANDING = 8  // read bursts in flight, 1 to 64
) (
    input  wire         clk,
    input  wire         rst_n,
    input  wire         port_rst_n,  // of the memory port
    input  wire [ 63:0] cfg_tri_base,
    input  wire [ 63:0] cfg_band_base,
    input  wire [ 31:0] timeout,
    input  wire         clear,
    // band table
    input  wire         load_valid,
    output wire         load_ready,
    input  wire [  7:0] load_bands,    // bands of the frame, 1 to 128
    // bands
    input  wire         band_valid,
    output wire         band_ready,
    input  wire [  6:0] band_index,
    // records
    output wire         m_tri_tvalid,
    input  wire         m_tri_tready,
    output wire [511:0] m_tri_tdata,
    output wire         m_tri_tuser,
    // memory
    output wire         m_axi_gmem0_arid,
    output wire [ 63:0] m_axi_gmem0_araddr,
    output wire [  7:0] m_axi_gmem0_arlen,
    output wire [  2:0] m_axi_gmem0_arsize,
    output wire [  1:0] m_axi_gmem0_arburst,
    output wire [  3:0] m_axi_gmem0_arcache,
    output wire [  2:0] m_axi_gmem0_arprot,
    output wire         m_axi_gmem0_arvalid,
    input  wire         m_axi_gmem0_arready,
    input  wire         m_axi_gmem0_rid,
    input  wire [511:0] m_axi_gmem0_rdata,
    input  wire [  1:0] m_axi_gmem0_rresp,
    input  wire         m_axi_gmem0_rlast,
    input  wire         m_axi_gmem0_rvalid,
    output wire         m_axi_gmem0_rready,
    // status
    output wire         busy,
    output wire         error,
    output wire [  1:0] resp,
    output wire         timed_out,
    output wire         undrained,
    output wire [ 31:0] stat_bursts,
    output wire [ 31:0] stat_bytes
);

  // ---- Asking: one command at a time, the table or a band --------------------------------------------------------
  localparam ASK_IDLE = 3'd0;
  localparam ASK_TABLE = 3'd1;  // the table's request is offered
  localparam ASK_FILL = 3'd2;  // the table is coming in
  localparam ASK_ROW = 3'd3;  // the table's row is being read
  localparam ASK_ENTRY = 3'd4;  // the entry is being picked
  localparam ASK_BAND = 3'd5;  // the band's request is offered
  localparam ASK_ORDER = 3'd6;  // the band is queued for the records side

  reg  [  2:0] ask_reg;
  reg          up_reg;
  reg  [ 31:0] bytes_reg;
  reg  [ 63:0] addr_reg;
  reg  [  6:0] band_reg;
  reg          some_reg;  // the band has records

  reg  [511:0] table_mem [0:15];
  reg  [511:0] row_reg;
  reg  [  3:0] fill_reg;  // row of the table that comes next

  wire         cmd_ready;
  wire         a_valid;
  wire         a_ready;
  wire [511:0] a_data;
  wire         a_last;
  wire         a_user;
  wire [ 63:0] a_keep;
  wire         reader_busy;
  wire         order_ready;
  wire [  2:0] order_count;

  wire         filling = ask_reg == ASK_FILL;
  wire [ 63:0] entry = row_reg[64*band_reg[2:0]+:64];
  wire [ 31:0] first = entry[31:0];
  wire [ 25:0] count = entry[57:32];  // what a 32-bit number of bytes can ask for

  // The table comes in on the same stream as the records, so it waits until the last band is through.
  assign load_ready = up_reg & (ask_reg == ASK_IDLE) & (order_count == 3'd0);
  assign band_ready = up_reg & (ask_reg == ASK_IDLE) & ~load_valid;

  always @(posedge clk) begin
    if (!rst_n) begin
      ask_reg <= ASK_IDLE;
      up_reg  <= 1'b0;
    end else begin
      up_reg <= 1'b1;
      case (ask_reg)
        ASK_IDLE:
        if (up_reg) begin
          if (load_valid & load_ready) ask_reg <= ASK_TABLE;
          else if (band_valid & band_ready) ask_reg <= ASK_ROW;
        end
        ASK_TABLE: if (cmd_ready) ask_reg <= ASK_FILL;
        ASK_FILL: if (a_valid & a_ready & a_last) ask_reg <= ASK_IDLE;
        ASK_ROW: ask_reg <= ASK_ENTRY;
        ASK_ENTRY: ask_reg <= count == 26'd0 ? ASK_ORDER : ASK_BAND;
        ASK_BAND: if (cmd_ready) ask_reg <= ASK_ORDER;
        default: if (order_ready) ask_reg <= ASK_IDLE;
      endcase
    end
  end

  wire [7:0] table_rows = (load_bands + 8'd7) >> 3;

  always @(posedge clk) begin
    if (ask_reg == ASK_IDLE) begin
      band_reg  <= band_index;
      addr_reg  <= cfg_band_base;
      bytes_reg <= {18'd0, table_rows, 6'd0};
      fill_reg  <= 4'd0;
    end
    if (ask_reg == ASK_ENTRY) begin
      addr_reg  <= cfg_tri_base + {26'd0, first, 6'd0};
      bytes_reg <= {count, 6'd0};
      some_reg  <= count != 26'd0;
    end
    row_reg <= table_mem[band_reg[6:3]];
    if (filling & a_valid) begin
      table_mem[fill_reg] <= a_user ? 512'd0 : a_data;
      fill_reg            <= fill_reg + 4'd1;
    end
  end

  axi_read #(
      .DATA_W     (512),
      .OUTSTANDING(OUTSTANDING),
      .ID_W       (1)
  ) reader (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .cmd_valid    ((ask_reg == ASK_TABLE) | (ask_reg == ASK_BAND)),
      .cmd_ready    (cmd_ready),
      .cmd_addr     (addr_reg),
      .cmd_bytes    (bytes_reg),
      .m_axis_tvalid(a_valid),
      .m_axis_tready(a_ready),
      .m_axis_tdata (a_data),
      .m_axis_tkeep (a_keep),
      .m_axis_tlast (a_last),
      .m_axis_tuser (a_user),
      .m_axi_arid   (m_axi_gmem0_arid),
      .m_axi_araddr (m_axi_gmem0_araddr),
      .m_axi_arlen  (m_axi_gmem0_arlen),
      .m_axi_arsize (m_axi_gmem0_arsize),
      .m_axi_arburst(m_axi_gmem0_arburst),
      .m_axi_arcache(m_axi_gmem0_arcache),
      .m_axi_arprot (m_axi_gmem0_arprot),
      .m_axi_arvalid(m_axi_gmem0_arvalid),
      .m_axi_arready(m_axi_gmem0_arready),
      .m_axi_rid    (m_axi_gmem0_rid),
      .m_axi_rdata  (m_axi_gmem0_rdata),
      .m_axi_rresp  (m_axi_gmem0_rresp),
      .m_axi_rlast  (m_axi_gmem0_rlast),
      .m_axi_rvalid (m_axi_gmem0_rvalid),
      .m_axi_rready (m_axi_gmem0_rready),
      .timeout      (timeout),
      .clear        (clear),
      .busy         (reader_busy),
      .error        (error),
      .resp         (resp),
      .timed_out    (timed_out),
      .undrained    (undrained),
      .stat_bursts  (stat_bursts),
      .stat_bytes   (stat_bytes)
  );

  // ---- Records: bands in the order in which they were asked for --------------------------------------------------
  wire        order_valid;
  wire        order_some;
  reg         token_reg;  // the records of the band at the head are through
  wire        streaming = order_valid & order_some & ~token_reg;
  wire        token = order_valid & (token_reg | ~order_some);
  wire        token_taken = token & m_tri_tready;

  stream_fifo #(
      .WIDTH(1),
      .DEPTH(4)
  ) order (
      .clk     (clk),
      .rst_n   (rst_n),
      .s_tvalid(ask_reg == ASK_ORDER),
      .s_tready(order_ready),
      .s_tdata (some_reg),
      .m_tvalid(order_valid),
      .m_tready(token_taken),
      .m_tdata (order_some),
      .count   (order_count)
  );

  always @(posedge clk) begin
    if (!rst_n) token_reg <= 1'b0;
    else if (token_taken) token_reg <= 1'b0;
    else if (streaming & a_valid & a_ready & a_last) token_reg <= 1'b1;
  end

  assign a_ready      = filling | (streaming & (m_tri_tready | a_user));
  assign m_tri_tvalid = token | (streaming & a_valid & ~a_user);
  // A stalled token must hold its payload, while the next band's first record may already be there.
  assign m_tri_tdata  = token ? 512'd0 : a_data;
  assign m_tri_tuser  = token;
  assign busy         = (ask_reg != ASK_IDLE) | (order_count != 3'd0) | reader_busy;

  wire unused = &{1'b0, a_keep, entry[63:58], 1'b0};

endmodule

`default_nettype wire
