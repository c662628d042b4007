// axi_align: of any command, any byte that it asks for comes out once, in its beat and lane, of the beats of memory that
// cover the command; as many beats as the bytes need, without a gap at the end, the last one marked; a beat is bad
// exactly when a byte of it came in a bad beat. The command that is watched is the first one after a reset.
`default_nettype none

module axi_align_formal #(
    parameter DATA_W = 32,
    parameter MOST   = 14  // bytes of a command
) (
    input wire              clk,
    input wire              rst_n,
    input wire              cmd_valid,
    input wire [$clog2(DATA_W/8)-1:0] cmd_offset,
    input wire [      31:0] cmd_bytes,
    input wire              s_tvalid,
    input wire [DATA_W-1:0] s_tdata,
    input wire              s_tuser,
    input wire              m_tready
);

  localparam BYTES = DATA_W / 8;
  localparam LB = $clog2(BYTES);

  (* anyconst *) wire [7:0] watched;  // a byte of the command, from 0

  wire cmd_ready;
  wire s_tready;
  wire s_tlast;
  wire m_tvalid;
  wire [DATA_W-1:0] m_tdata;
  wire [BYTES-1:0] m_tkeep;
  wire m_tlast;
  wire m_tuser;

  axi_align #(
      .DATA_W(DATA_W)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .cmd_valid    (cmd_valid),
      .cmd_ready    (cmd_ready),
      .cmd_offset   (cmd_offset),
      .cmd_bytes    (cmd_bytes),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .s_axis_tdata (s_tdata),
      .s_axis_tlast (s_tlast),
      .s_axis_tuser (s_tuser),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready),
      .m_axis_tdata (m_tdata),
      .m_axis_tkeep (m_tkeep),
      .m_axis_tlast (m_tlast),
      .m_axis_tuser (m_tuser)
  );

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (DATA_W + 1),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tdata, s_tuser})
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

  // The watched command, and where its streams stand.
  reg          asked_reg = 1'b0;
  reg          ended_reg = 1'b0;
  reg [LB-1:0] offset_reg;
  reg [   7:0] bytes_reg;
  reg [   7:0] in_reg;  // beats of memory taken
  reg [   7:0] out_reg;  // beats given
  reg [   7:0] byte_reg;  // the watched byte
  reg [  15:0] bad_reg;  // a bit a beat of memory
  reg  [   1:0] late_reg = 2'd0;  // cycles without a beat although all of memory's are taken
  wire [  7:0] covering = (bytes_reg + offset_reg + BYTES - 1) >> LB;
  wire [  7:0] giving = (bytes_reg + BYTES - 1) >> LB;
  wire [  7:0] place = watched + offset_reg;
  wire [  7:0] left = bytes_reg - (out_reg << LB);
  wire [  7:0] first = ((out_reg << LB) + offset_reg) >> LB;  // beat of memory with the first byte of the beat given
  wire [  7:0] last = ((out_reg << LB) + offset_reg + (left > BYTES ? BYTES : left) - 1) >> LB;
  wire         watching = asked_reg & ~ended_reg;
  assign s_tlast = watching & (in_reg + 1 == covering);

  always @* begin
    assume (cmd_bytes != 0 && cmd_bytes <= MOST);
    if (watching) assume (in_reg < covering || !s_tvalid);
    assume (!s_tvalid || asked_reg);
  end

  always @(posedge clk) begin
    if (!rst_n) begin
      asked_reg <= 1'b0;
      ended_reg <= 1'b0;
    end else begin
      if (cmd_valid & cmd_ready & ~asked_reg) begin
        asked_reg  <= 1'b1;
        offset_reg <= cmd_offset;
        bytes_reg  <= cmd_bytes[7:0];
        in_reg     <= 8'd0;
        out_reg    <= 8'd0;
        bad_reg    <= 16'd0;
      end
      if (watching & s_tvalid & s_tready) begin
        in_reg <= in_reg + 8'd1;
        bad_reg[in_reg[3:0]] <= s_tuser;
        if (in_reg == place >> LB) byte_reg <= s_tdata >> (8 * place[LB-1:0]);
      end
      if (watching & m_tvalid & m_tready) begin
        out_reg <= out_reg + 8'd1;
        if (m_tlast) ended_reg <= 1'b1;
      end
    end
    if (rst_n & watching & m_tvalid) begin
      assert (out_reg < giving);
      assert (m_tlast == (out_reg + 1 == giving));
      assert (m_tkeep == (left >= BYTES ? {BYTES{1'b1}} : ~({BYTES{1'b1}} << left[LB-1:0])));
      assert (m_tuser == (bad_reg[first[3:0]] | bad_reg[last[3:0]]));
      assert (in_reg > last);
      if (watched < bytes_reg && out_reg == watched >> LB)
        assert (((m_tdata >> (8 * watched[LB-1:0])) & 8'hFF) == byte_reg);
    end
    if (rst_n & ~asked_reg) assert (!m_tvalid);
    late_reg <= rst_n & watching & (in_reg == covering) & ~m_tvalid ? late_reg + 2'd1 : 2'd0;
    assert (late_reg <= 2'd1);
    cover (ended_reg & (bytes_reg == MOST) & (offset_reg == BYTES - 1));
    cover (ended_reg & (covering == giving) & (offset_reg != 0) & (giving > 2));
  end

endmodule

`default_nettype wire
