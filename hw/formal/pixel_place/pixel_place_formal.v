// pixel_place: every beat that keeps a pixel comes out once, in order, with its own pixels and keep, at line * stride
// + beat of the line * bytes of a beat; beats that keep none end here. Each beat's pixels carry its line and its place
// in the line, as the raster stream's rules (SPEC section 9) give them; the offset must be theirs. `drained` is
// exactly "nothing is held"; a beat a clock.
`default_nettype none

module pixel_place_formal #(
    parameter PPC    = 2,
    parameter STRIDE = 4096
) (
    input wire           clk,
    input wire           rst_n,
    input wire           s_tvalid,
    input wire [PPC-1:0] s_tkeep,
    input wire [   13:0] s_tuser,
    input wire           s_tlast,
    input wire [    3:0] s_tag,
    input wire           m_tready
);

  localparam DATA_W = PPC * 32;
  localparam ITEM_W = PPC + 30;
  wire drained, s_tready, m_tvalid;
  wire [45:0] m_offset;
  wire [DATA_W-1:0] m_tdata;
  wire [PPC-1:0] m_tkeep;

  // The place of the beat that is offered.
  reg [12:0] line_reg = 13'd0;
  reg [12:0] block_reg = 13'd0;
  reg fresh_reg = 1'b1;  // a line's first beat comes
  reg begun_reg = 1'b0;  // the frame has
  wire sof = s_tuser[0];
  wire first = sof | fresh_reg;
  wire [12:0] line = first ? (sof ? 13'd0 : line_reg + 13'd1) + s_tuser[13:1] : line_reg;
  wire [12:0] block = first ? 13'd0 : block_reg + 13'd1;
  wire [DATA_W-1:0] s_tdata = {s_tag, line, block};

  pixel_place #(
      .PPC      (PPC),
      .PIX_BYTES(4)
  ) dut (
      .clk          (clk),
      .rst_n        (rst_n),
      .cfg_stride   (STRIDE),
      .drained      (drained),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .s_axis_tdata (s_tdata),
      .s_axis_tkeep (s_tkeep),
      .s_axis_tuser (s_tuser),
      .s_axis_tlast (s_tlast),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready),
      .m_axis_offset(m_offset),
      .m_axis_tdata (m_tdata),
      .m_axis_tkeep (m_tkeep)
  );

  (* hierconn *) wire \dut.in_valid_reg ;
  (* hierconn *) wire \dut.mul_valid_reg ;
  (* hierconn *) wire \dut.line_valid_reg ;
  (* hierconn *) wire \dut.awake_reg ;
  (* hierconn *) wire \dut.line_start_reg ;
  (* hierconn *) wire [13:0] \dut.in_lines_reg ;
  (* hierconn *) wire \dut.in_sof_reg ;
  (* hierconn *) wire \dut.in_first_reg ;
  (* hierconn *) wire [12:0] \dut.in_block_reg ;
  (* hierconn *) wire [45:0] \dut.mul_down_reg ;
  (* hierconn *) wire \dut.mul_sof_reg ;
  (* hierconn *) wire [12:0] \dut.mul_block_reg ;
  (* hierconn *) wire [45:0] \dut.line_offset_reg ;
  (* hierconn *) wire [12:0] \dut.line_block_reg ;
  (* hierconn *) wire [DATA_W-1:0] \dut.in_data_reg ;
  (* hierconn *) wire [DATA_W-1:0] \dut.mul_data_reg ;
  (* hierconn *) wire [DATA_W-1:0] \dut.line_data_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.in_keep_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.mul_keep_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.line_keep_reg ;
  wire [3:0] valid = {m_tvalid, \dut.line_valid_reg , \dut.mul_valid_reg , \dut.in_valid_reg };

  initial assume (!rst_n);
  wire [ITEM_W-1:0] first_item, second_item;
  wire takes = s_tvalid & s_tready & rst_n;
  always @* begin
    // A frame starts at a line's start, after reset first of all; it has 4096 lines at most.
    if (s_tvalid) assume (begun_reg || sof);
    if (s_tvalid) assume (line < 13'd4096 && line >= s_tuser[13:1] && block < 13'd4096);
    // Only beats that are kept are marked.
    if (s_tvalid && s_tkeep == 0) assume (s_tag[3:2] == 0);
    assume (first_item[PPC-1:0] != 0 && second_item[PPC-1:0] != 0);
  end

  stream_properties #(
      .WIDTH  (PPC + 19),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tag, s_tkeep, s_tuser, s_tlast})
  );

  stream_properties #(
      .WIDTH(ITEM_W + 46)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_tvalid),
      .ready  (m_tready),
      .payload({m_tdata[29:0], m_tkeep, m_offset})
  );

  function [ITEM_W-1:0] item(input [DATA_W-1:0] data, input [PPC-1:0] keep);
    item = {data[29:0], keep};  // the mark is in the upper bits of the tag
  endfunction
  wire second_leaves;

  pipeline_properties #(
      .WIDTH (ITEM_W),
      .PLACES(4)
  ) flow (
      .clk          (clk),
      .rst_n        (rst_n),
      .offered      (s_tvalid),
      .enters       (takes),
      .into         (item(s_tdata, s_tkeep)),
      .valid        (valid),
      .items        ({item(m_tdata, m_tkeep), item(\dut.line_data_reg , \dut.line_keep_reg ),
                      item(\dut.mul_data_reg , \dut.mul_keep_reg ), item(\dut.in_data_reg , \dut.in_keep_reg )}),
      .leaves       (m_tvalid & m_tready & rst_n),
      .advances     (m_tready),
      .first        (first_item),
      .second       (second_item),
      .first_inside (),
      .second_leaves(second_leaves)
  );

  wire [12:0] in_line = \dut.in_data_reg [25:13];
  wire [12:0] mul_line = \dut.mul_data_reg [25:13];
  always @(posedge clk)
    if (!rst_n) begin
      line_reg  <= 13'd0;
      fresh_reg <= 1'b1;
      begun_reg <= 1'b0;
    end else if (takes) begin
      line_reg  <= line;
      block_reg <= block;
      fresh_reg <= s_tlast;
      begun_reg <= 1'b1;
    end

  // Lines above the beat in a stage, from the beat before it: the newest older beat is further on.
  reg [12:0] above_mul_reg = 13'd0;  // line of the beat that left the first stage last
  reg [12:0] above_line_reg = 13'd0;  // and the second
  wire in_goes = \dut.in_valid_reg & (~\dut.mul_valid_reg | ~\dut.line_valid_reg | ~m_tvalid | m_tready);
  wire mul_goes = \dut.mul_valid_reg & (~\dut.line_valid_reg | ~m_tvalid | m_tready);
  always @(posedge clk) begin
    if (!rst_n) {above_mul_reg, above_line_reg} <= 26'd0;
    else begin
      if (in_goes) above_mul_reg <= in_line;
      if (mul_goes) above_line_reg <= mul_line;
    end
  end

  always @(posedge clk)
    if (rst_n) begin
      if (m_tvalid) assert (m_tkeep != 0 && m_offset == m_tdata[25:13] * STRIDE + m_tdata[12:0] * (PPC * 4));
      assert (drained == (valid == 0));
      if (m_tready & \dut.awake_reg ) assert (s_tready);
      // What induction needs.
      assert (\dut.line_start_reg == fresh_reg);
      if (begun_reg) assert (\dut.in_valid_reg ? line_reg == in_line : line_reg == above_mul_reg);
      if (begun_reg) assert (\dut.in_block_reg == block_reg && line_reg < 13'd4096);
      if (valid[0]) begin
        assert (\dut.in_block_reg == \dut.in_data_reg [12:0] && in_line < 13'd4096 && begun_reg);
        assert (in_line == (\dut.in_first_reg ? (\dut.in_sof_reg ? 14'd0 : {1'b0, above_mul_reg}) + \dut.in_lines_reg
                                              : {1'b0, above_mul_reg}));
        assert (\dut.in_lines_reg < 14'd4097 && \dut.in_sof_reg <= \dut.in_first_reg );
      end
      if (valid[1]) begin
        assert (above_mul_reg == mul_line && mul_line < 13'd4096 && \dut.mul_block_reg == \dut.mul_data_reg [12:0]);
        assert (\dut.mul_down_reg == (mul_line - (\dut.mul_sof_reg ? 13'd0 : above_line_reg)) * STRIDE);
        assert (\dut.mul_sof_reg || above_line_reg <= mul_line);
      end else assert (above_mul_reg == above_line_reg);
      assert (\dut.line_offset_reg == above_line_reg * STRIDE && above_line_reg < 13'd4096);
      if (valid[2])
        assert (above_line_reg == \dut.line_data_reg [25:13] && \dut.line_block_reg == \dut.line_data_reg [12:0]);
      cover (second_leaves & (m_offset > 2 * STRIDE) & (m_tkeep == 1));
    end

endmodule

`default_nettype wire
