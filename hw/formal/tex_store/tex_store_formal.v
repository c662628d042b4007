// tex_store: as many results come out as requests went in, one each, a request a clock; what is offered stays until it
// is taken. A result has the miss flag, and then the colour for it, exactly when one of the four texels around the
// sample lies in a page that was not resident when the request left its first stage: counted here from SPEC section 11,
// texel by texel. A slot becomes resident with page_done alone, and none stays so with `forget`. Colours of samples that
// hit are left to the bench: the products are followed by no solver.
`default_nettype none

module tex_store_formal #(
    parameter SLOTS = 4
) (
    input wire                         clk,
    input wire                         rst_n,
    input wire                         forget,
    input wire                         page_we,
    input wire [$clog2(SLOTS*64)-1:0]  page_waddr,
    input wire [                511:0] page_wdata,
    input wire                         page_done,
    input wire [    $clog2(SLOTS)-1:0] page_slot,
    input wire                         s_tvalid,
    input wire [                 63:0] s_tdata,
    input wire                         m_tready
);

  localparam STAGES = 6;

  (* anyconst *) reg [$clog2(SLOTS)-1:0] watched;  // any slot
  wire s_tready, m_tvalid;
  wire [SLOTS-1:0] resident;
  wire [39:0] m_tdata;
  wire [31:0] missed;

  tex_store #(
      .SLOTS(SLOTS)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .forget       (forget),
      .page_we      (page_we),
      .page_waddr   (page_waddr),
      .page_wdata   (page_wdata),
      .page_done    (page_done),
      .page_slot    (page_slot),
      .resident     (resident),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .s_axis_tdata (s_tdata),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready),
      .m_axis_tdata (m_tdata),
      .stat_missed  (missed)
  );

  (* hierconn *) wire [STAGES-1:0] \dut.valid_reg ;
  (* hierconn *) wire [STAGES-1:0] \dut.miss_reg ;
  (* hierconn *) wire \dut.awake_reg ;
  (* hierconn *) wire [7:0] \dut.x_reg ;
  (* hierconn *) wire [7:0] \dut.y_reg ;
  (* hierconn *) wire [7:0] \dut.first_reg ;
  (* hierconn *) wire [1:0] \dut.wide_reg ;
  (* hierconn *) wire [1:0] \dut.high_reg ;
  wire [STAGES-1:0] valid = \dut.valid_reg ;

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (64),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload(s_tdata)
  );

  stream_properties #(
      .WIDTH(40)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload(m_tdata)
  );

  // The page of texel (i + across, j + down) of a request, in pages of the list.
  function [9:0] page(input [63:0] request, input integer across, input integer down);
    reg [15:0] i, j;
    reg [7:0] x, y;  // texel in the largest texture, which wraps at its size
    begin
      i = request[23:0] - 24'd128 >> 8;
      j = request[47:24] - 24'd128 >> 8;
      x = i + across;
      y = j + down;
      page = request[55:48] + ((y >> 5) % (1 << request[59:58])) * (1 << request[57:56])
           + ((x >> 5) % (1 << request[57:56]));
    end
  endfunction
  function absent(input [9:0] at, input [SLOTS-1:0] here);
    absent = at >= SLOTS || !here[at];
  endfunction

  // The request in the first stage, and the verdict on those behind it.
  reg [63:0] place_reg;
  wire misses = absent(page(place_reg, 0, 0), resident) | absent(page(place_reg, 1, 0), resident)
              | absent(page(place_reg, 0, 1), resident) | absent(page(place_reg, 1, 1), resident);
  reg [STAGES-1:1] misses_reg;
  reg [2:0] inside_reg = 3'd0;
  reg done_reg = 1'b0;  // the watched slot was filled since it was forgotten
  reg [3:0] missed_reg = 4'd0;
  wire takes = s_tvalid & s_tready & rst_n;
  wire leaves = m_tvalid & m_tready & rst_n;
  wire moves = ~m_tvalid | m_tready;
  integer n;
  reg [2:0] stages;
  always @* begin
    stages = 3'd0;
    for (n = 0; n < STAGES; n = n + 1) stages = stages + valid[n];
  end
  always @(posedge clk) begin
    if (takes) place_reg <= s_tdata;
    if (moves) misses_reg <= {misses_reg[STAGES-2:1], misses};
    if (!rst_n) begin
      inside_reg <= 3'd0;
      done_reg   <= 1'b0;
      missed_reg <= 4'd0;
    end else begin
      inside_reg <= inside_reg + takes - leaves;
      done_reg   <= ~forget & (done_reg | (page_done & page_slot == watched));
      missed_reg <= missed_reg + (leaves & m_tdata[32]);
    end
  end

  wire [23:0] place_i = place_reg[23:0] - 24'd128;
  wire [23:0] place_j = place_reg[47:24] - 24'd128;
  always @(posedge clk)
    if (rst_n) begin
      if (m_tvalid) assert (m_tdata[39:32] == misses_reg[STAGES-1]);
      if (m_tvalid & m_tdata[32]) assert (m_tdata[31:0] == 32'hffff00ff);
      assert (resident[watched] == done_reg);
      assert (inside_reg == stages && missed[3:0] == missed_reg);
      if (m_tready & \dut.awake_reg ) assert (s_tready);  // a request a clock
      // What induction needs.
      if (valid[0])
        assert ({\dut.x_reg , \dut.y_reg , \dut.first_reg , \dut.wide_reg , \dut.high_reg }
                == {place_i[15:8], place_j[15:8], place_reg[55:48], place_reg[57:56], place_reg[59:58]});
      for (n = 1; n < STAGES; n = n + 1) if (valid[n]) assert (\dut.miss_reg [n] == misses_reg[n]);
      if (!(\dut.awake_reg )) assert (stages == 0);
      cover (leaves & (&valid) & ~m_tdata[32]);
      cover (leaves & m_tdata[32] & (resident != 0) & valid[4] & ~misses_reg[4]);
    end

endmodule

`default_nettype wire
