// axi_read: the AXI4 read rules at any timeout, with the engine's reset free in every cycle; the bursts of a command
// cover its bytes exactly, in order; each command gives as many beats as it asked for, the last one marked; beats come
// out as the slave gave them. LIVE: slave, source and sink are fair (each waits at most FAIR cycles) and no reset comes
// while the engine works, and then it never stands still longer than a few of these.
`default_nettype none

module axi_read_formal #(
    parameter DATA_W      = 32,
    parameter OUTSTANDING = 2,
    parameter ADDR_W      = 64,  // address bits that may differ, for a smaller proof
    parameter LIVE        = 0,
    parameter FAIR        = 2
) (
    input wire              clk,
    input wire              rst_n,
    input wire              port_rst_n,
    input wire              cmd_valid,
    input wire [      63:0] cmd_addr,
    input wire [      31:0] cmd_bytes,
    input wire              m_tready,
    input wire              arready,
    input wire [DATA_W-1:0] rdata,
    input wire [       1:0] rresp,
    input wire              rlast,
    input wire              rvalid,
    input wire [      31:0] timeout,
    input wire              clear,
    input wire              mark
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);

  wire cmd_ready;
  wire m_tvalid;
  wire [DATA_W-1:0] m_tdata;
  wire [BYTES-1:0] m_tkeep;
  wire m_tlast;
  wire m_tuser;
  wire [63:0] araddr;
  wire [7:0] arlen;
  wire [2:0] arsize;
  wire [1:0] arburst;
  wire arvalid;
  wire rready;
  wire busy;
  wire timed_out;
  wire undrained;

  axi_read #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(OUTSTANDING)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .port_rst_n   (port_rst_n),
      .cmd_valid    (cmd_valid),
      .cmd_ready    (cmd_ready),
      .cmd_addr     (cmd_addr),
      .cmd_bytes    (cmd_bytes),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready),
      .m_axis_tdata (m_tdata),
      .m_axis_tkeep (m_tkeep),
      .m_axis_tlast (m_tlast),
      .m_axis_tuser (m_tuser),
      .m_axi_arid   (),
      .m_axi_araddr (araddr),
      .m_axi_arlen  (arlen),
      .m_axi_arsize (arsize),
      .m_axi_arburst(arburst),
      .m_axi_arcache(),
      .m_axi_arprot (),
      .m_axi_arvalid(arvalid),
      .m_axi_arready(arready),
      .m_axi_rid    (1'b0),
      .m_axi_rdata  (rdata),
      .m_axi_rresp  (rresp),
      .m_axi_rlast  (rlast),
      .m_axi_rvalid (rvalid),
      .m_axi_rready (rready),
      .timeout      (timeout),
      .clear        (clear),
      .busy         (busy),
      .error        (),
      .resp         (),
      .timed_out    (timed_out),
      .undrained    (undrained),
      .stat_bursts  (),
      .stat_bytes   ()
  );

  initial assume (!rst_n && !port_rst_n);
  always @* begin
    assume (port_rst_n || !rst_n);  // the port's reset is the engine's, too
    assume (cmd_addr[LB-1:0] == 0 && (ADDR_W == 64 || cmd_addr >> ADDR_W == 0));
    assume (timeout != 0);
    assume (ADDR_W == 64 || cmd_bytes >> ADDR_W == 0);
  end

  stream_properties #(
      .WIDTH  (96),
      .ASSUMED(1)
  ) commands (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (cmd_valid),
      .ready  (cmd_ready),
      .payload({cmd_addr, cmd_bytes})
  );

  stream_properties #(
      .WIDTH(DATA_W + BYTES + 2)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({m_tdata, m_tkeep, m_tlast, m_tuser})
  );

  axi4_read_properties #(
      .DATA_W     (DATA_W),
      .OUTSTANDING(OUTSTANDING)
  ) port (
      .clk    (clk),
      .rst_n  (port_rst_n),
      .araddr (araddr),
      .arlen  (arlen),
      .arsize (arsize),
      .arburst(arburst),
      .arvalid(arvalid),
      .arready(arready),
      .rdata  (rdata),
      .rresp  (rresp),
      .rlast  (rlast),
      .rvalid (rvalid),
      .rready (rready)
  );

  order_properties #(
      .WIDTH   (DATA_W + 1),
      .CAPACITY(2)
  ) order (
      .clk         (clk),
      .rst_n       (rst_n & ~timed_out),
      .mark        (mark),
      .push        (rvalid & rready & ~undrained),
      .into        ({rdata, rresp[1]}),
      .note        (1'b0),
      .pop         (m_tvalid & m_tready),
      .out         ({m_tdata, m_tuser}),
      .leaves      (),
      .held        (),
      .leaving_note()
  );

  // What of the command is not asked for yet; the next command may come while the last request is still offered.
  wire         accept = cmd_valid & cmd_ready & (cmd_bytes != 0);
  wire [32:LB] cmd_beats = ({1'b0, cmd_bytes} + BYTES - 1) >> LB;
  wire         asks = arvalid & arready & ~undrained;
  reg  [63:LB] at_reg;
  reg  [32:LB] left_reg = 0;
  reg  [63:LB] next_at_reg;
  reg  [32:LB] next_left_reg = 0;
  wire [32:LB] left = left_reg - (asks ? {25'd0, arlen} + 1 : 0);
  // The marked command: commands ahead of it, and its beats.
  reg          marked_reg = 1'b0;
  reg          done_reg = 1'b0;
  reg  [  7:0] open_reg = 8'd0;  // commands that have not ended at the output
  reg  [  7:0] ahead_reg = 8'd0;
  reg  [32:LB] beats_reg;
  reg  [LB-1:0] tail_reg;
  wire         ends = m_tvalid & m_tready & m_tlast;
  wire         mine = marked_reg & ~done_reg & (ahead_reg == 0) & m_tvalid;
  wire [BYTES-1:0] tail_keep = tail_reg == 0 ? {BYTES{1'b1}} : ~({BYTES{1'b1}} << tail_reg);
  always @(posedge clk) begin
    if (!rst_n | timed_out) begin
      left_reg      <= 0;
      next_left_reg <= 0;
      marked_reg    <= 1'b0;
      done_reg      <= 1'b0;
      open_reg      <= 8'd0;
    end else begin
      if (left == 0 && next_left_reg != 0) begin
        at_reg        <= next_at_reg;
        left_reg      <= next_left_reg;
        next_left_reg <= 0;
      end else if (left == 0 && accept) begin
        at_reg   <= cmd_addr[63:LB];
        left_reg <= cmd_beats;
      end else if (asks) begin
        at_reg   <= at_reg + arlen + 1;
        left_reg <= left;
      end
      if (accept && (left != 0 || next_left_reg != 0)) begin
        next_at_reg   <= cmd_addr[63:LB];
        next_left_reg <= cmd_beats;
      end
      open_reg <= open_reg + accept - ends;
      if (accept & mark & ~marked_reg) begin
        marked_reg <= 1'b1;
        ahead_reg  <= open_reg - ends;
        beats_reg  <= cmd_beats;
        tail_reg   <= cmd_bytes[LB-1:0];
      end else if (ends & (ahead_reg != 0)) ahead_reg <= ahead_reg - 1;
      else if (mine & m_tready) begin
        beats_reg <= beats_reg - 1;
        if (m_tlast) done_reg <= 1'b1;
      end
    end
  end

  always @(posedge clk)
    if (rst_n & ~timed_out) begin
      if (arvalid & ~undrained) begin
        assert (araddr == {at_reg, {LB{1'b0}}});
        assert (arlen < left_reg);
      end
      if (accept) assert (next_left_reg == 0);
      if (mine) begin
        assert (m_tlast == (beats_reg == 1));
        assert (m_tkeep == (m_tlast ? tail_keep : {BYTES{1'b1}}));
      end
      if (~busy) assert (open_reg == 0);
      cover (mine & m_tready & m_tlast & (tail_reg != 0) & (ahead_reg == 0));
      cover (done_reg);
    end

  generate
    if (LIVE) begin : live
      reg [3:0] ar_wait_reg = 0;
      reg [3:0] r_wait_reg = 0;
      reg [3:0] m_wait_reg = 0;
      reg [5:0] still_reg = 0;
      wire moves = (cmd_valid & cmd_ready) | (arvalid & arready) | (rvalid & rready) | (m_tvalid & m_tready);
      always @(posedge clk) begin
        ar_wait_reg <= port_rst_n & arvalid & ~arready ? ar_wait_reg + 1 : 0;
        r_wait_reg  <= rst_n & rready & ~rvalid ? r_wait_reg + 1 : 0;
        m_wait_reg  <= rst_n & m_tvalid & ~m_tready ? m_wait_reg + 1 : 0;
        still_reg   <= rst_n & busy & ~moves ? still_reg + 1 : 0;
        assume (ar_wait_reg <= FAIR && r_wait_reg <= FAIR && m_wait_reg <= FAIR);
        assume (timeout > 32'd1000);
        assume (rst_n || still_reg == 0);
        if (rst_n) assert (!timed_out || still_reg == 0);
        assert (still_reg <= FAIR + 5);
      end
    end
  endgenerate

endmodule

`default_nettype wire
