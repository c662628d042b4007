// roi_write: what is offered to axi_write stays until it is taken. Packed, the beats of a frame lie one behind the other
// from the base, their strobes from the lowest lane; strided, each lies where pixel_place puts it, its strobes are its
// kept pixels. `write_done` comes only when all kept pixels of the frame have left, and with it the counts agree: each
// pixel that was kept is 4 bytes that were written. The source's beats are let in by the mode that is set. What the
// pixels are and where they lie is shown of pixel_pack and pixel_place.
// Contract: the configuration holds while anything is held; a frame starts with nothing held; behind frame_end no beat
// comes.
`default_nettype none

module roi_write_formal #(
    parameter PPC = 2
) (
    input wire              clk,
    input wire              rst_n,
    input wire              strided,
    input wire [      63:0] out_base,
    input wire              frame_start,
    input wire              frame_end,
    input wire              s_tvalid,
    input wire [PPC*32-1:0] s_tdata,
    input wire [   PPC-1:0] s_tkeep,
    input wire [      13:0] s_tuser,
    input wire              s_tlast,
    input wire              m_ready
);

  localparam COUNT_W = $clog2(PPC) + 1;

  wire write_done, flush, s_tready, m_valid;
  wire [63:0] m_addr;
  wire [PPC*32-1:0] m_data;
  wire [PPC*4-1:0] m_strb;
  wire [31:0] pixels, out_bytes;

  roi_write #(
      .PPC(PPC)
  ) dut (
      .clk           (clk),
      .rst_n         (rst_n),
      .cfg_out_base  (out_base),
      .cfg_stride    (32'd4096),
      .cfg_strided   (strided),
      .frame_start   (frame_start),
      .frame_end     (frame_end),
      .write_done    (write_done),
      .s_axis_tvalid (s_tvalid),
      .s_axis_tready (s_tready),
      .s_axis_tdata  (s_tdata),
      .s_axis_tkeep  (s_tkeep),
      .s_axis_tuser  (s_tuser),
      .s_axis_tlast  (s_tlast),
      .m_beat_valid  (m_valid),
      .m_beat_ready  (m_ready),
      .m_beat_addr   (m_addr),
      .m_beat_data   (m_data),
      .m_beat_strb   (m_strb),
      .m_beat_flush  (flush),
      .stat_pixels   (pixels),
      .stat_out_bytes(out_bytes)
  );

  // The pixels inside, stage by stage.
  (* hierconn *) wire [31:0] \dut.out_pixels_reg ;
  (* hierconn *) wire [45:0] \dut.pack_offset_reg ;
  (* hierconn *) wire \dut.u_pack.in_valid_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.u_pack.in_keep_reg ;
  (* hierconn *) wire [COUNT_W-1:0] \dut.u_pack.in_count_reg ;
  (* hierconn *) wire \dut.u_pack.dense_valid_reg ;
  (* hierconn *) wire [COUNT_W-1:0] \dut.u_pack.dense_count_reg ;
  (* hierconn *) wire [COUNT_W-1:0] \dut.u_pack.fill_reg ;
  (* hierconn *) wire \dut.u_pack.out_valid_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.u_pack.out_keep_reg ;
  (* hierconn *) wire \dut.u_place.in_valid_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.u_place.in_keep_reg ;
  (* hierconn *) wire \dut.u_place.mul_valid_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.u_place.mul_keep_reg ;
  (* hierconn *) wire \dut.u_place.line_valid_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.u_place.line_keep_reg ;
  (* hierconn *) wire \dut.u_place.out_valid_reg ;
  (* hierconn *) wire [PPC-1:0] \dut.u_place.out_keep_reg ;
  (* hierconn *) wire [45:0] \dut.u_place.out_offset_reg ;

  function [5:0] ones(input valid, input [PPC-1:0] mask);
    integer n;
    begin
      ones = 6'd0;
      for (n = 0; n < PPC; n = n + 1) ones = ones + (valid & mask[n]);
    end
  endfunction
  wire [5:0] packed_inside = ones(\dut.u_pack.in_valid_reg , \dut.u_pack.in_keep_reg )
                           + (\dut.u_pack.dense_valid_reg ? \dut.u_pack.dense_count_reg : 0) + \dut.u_pack.fill_reg
                           + ones(\dut.u_pack.out_valid_reg , \dut.u_pack.out_keep_reg );
  wire [5:0] placed_inside = ones(\dut.u_place.in_valid_reg , \dut.u_place.in_keep_reg )
                           + ones(\dut.u_place.mul_valid_reg , \dut.u_place.mul_keep_reg )
                           + ones(\dut.u_place.line_valid_reg , \dut.u_place.line_keep_reg )
                           + ones(\dut.u_place.out_valid_reg , \dut.u_place.out_keep_reg );
  wire pack_empty = ~\dut.u_pack.in_valid_reg & ~\dut.u_pack.dense_valid_reg & ~\dut.u_pack.out_valid_reg
                  & (\dut.u_pack.fill_reg == 0);
  wire place_empty = ~\dut.u_place.in_valid_reg & ~\dut.u_place.mul_valid_reg & ~\dut.u_place.line_valid_reg
                   & ~\dut.u_place.out_valid_reg ;

  initial assume (!rst_n);

  stream_properties #(
      .WIDTH  (PPC * 33 + 15),
      .ASSUMED(1)
  ) source (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (s_tvalid),
      .ready  (s_tready),
      .payload({s_tdata, s_tkeep, s_tuser, s_tlast})
  );

  stream_properties #(
      .WIDTH(64 + PPC * 36)
  ) sink (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (m_valid),
      .ready  (m_ready),
      .payload({m_addr, m_data, m_strb})
  );

  reg [64:0] config_reg;
  reg in_frame_reg = 1'b0;  // a frame has started and write_done has not come
  reg ending_reg = 1'b0;  // frame_end was there in this frame
  reg [45:0] behind_reg;  // bytes of the beats handed on in this frame
  reg [5:0] taken_reg = 6'd0;  // kept pixels of the frame, modulo 64
  reg [5:0] left_reg = 6'd0;
  wire [PPC-1:0] keep;
  genvar g;
  generate
    for (g = 0; g < PPC; g = g + 1) begin : g_lane
      assign keep[g] = m_strb[4*g];
    end
  endgenerate

  always @* begin
    assume (!frame_start || !s_tvalid && !frame_end);
    if (in_frame_reg) assume ({strided, out_base} == config_reg);
    if (!in_frame_reg) assume (!s_tvalid && !frame_end || frame_start);
    if (frame_start) assume (!in_frame_reg);
    if (frame_end) assume (!s_tvalid);
    if (ending_reg) assume (frame_end);
  end

  always @(posedge clk) begin
    config_reg <= {strided, out_base};
    if (!rst_n) begin
      in_frame_reg <= 1'b0;
      ending_reg   <= 1'b0;
    end else begin
      in_frame_reg <= frame_start | (in_frame_reg & ~write_done);
      ending_reg   <= in_frame_reg & ~write_done & frame_end;
      if (frame_start) begin
        behind_reg <= 46'd0;
        taken_reg  <= 6'd0;
        left_reg   <= 6'd0;
      end else begin
        if (m_valid & m_ready) behind_reg <= behind_reg + PPC * 4;
        if (m_valid & m_ready) left_reg <= left_reg + ones(1'b1, keep);
        if (s_tvalid & s_tready) taken_reg <= taken_reg + ones(1'b1, s_tkeep);
      end
    end
  end

  always @(posedge clk)
    if (rst_n) begin
      if (m_valid) begin
        assert (in_frame_reg && !write_done && keep != 0 && m_strb == {{4{keep[1]}}, {4{keep[0]}}});
        if (~strided) assert (m_addr == out_base + behind_reg && (keep & (keep + 1)) == 0 && (frame_end || &keep));
        if (strided) assert (m_addr == out_base + \dut.u_place.out_offset_reg );
      end
      if (write_done & in_frame_reg) assert (taken_reg == left_reg && pack_empty && place_empty);
      assert (flush == write_done);
      if (in_frame_reg) assert (pixels[5:0] == taken_reg && out_bytes[7:0] == {left_reg, 2'd0});
      // What induction needs.
      if (!in_frame_reg | strided) assert (pack_empty);
      if (!in_frame_reg | !strided) assert (place_empty);
      if (in_frame_reg) begin
        assert (taken_reg == left_reg + packed_inside + placed_inside);
        assert (\dut.out_pixels_reg [5:0] == left_reg);
        assert (\dut.pack_offset_reg == behind_reg);
        if (write_done) assert (ending_reg);
      end
      if (\dut.u_pack.out_valid_reg & ~(&\dut.u_pack.out_keep_reg )) assert (ending_reg);
      assert (\dut.u_pack.fill_reg < PPC);
      if (\dut.u_pack.dense_valid_reg ) assert (\dut.u_pack.dense_count_reg != 0 && \dut.u_pack.dense_count_reg <= PPC);
      if (\dut.u_pack.in_valid_reg )
        assert (\dut.u_pack.in_keep_reg != 0 && \dut.u_pack.in_count_reg == ones(1'b1, \dut.u_pack.in_keep_reg ));
      if (\dut.u_pack.out_valid_reg )
        assert (\dut.u_pack.out_keep_reg != 0
                && (\dut.u_pack.out_keep_reg & (\dut.u_pack.out_keep_reg + 1)) == 0);
      if (\dut.u_place.out_valid_reg ) assert (\dut.u_place.out_keep_reg != 0);
      cover (write_done & in_frame_reg & ~strided & (taken_reg == 6'd5));
      cover (write_done & in_frame_reg & strided & (taken_reg == 6'd3));
      cover (m_valid & ~m_ready & strided & (m_addr[12]) & ~out_base[12]);
    end

endmodule

`default_nettype wire
