// Turns the shaded stream into addressed beats for axi_write. Packed: the kept pixels in raster order,
// joined to full beats from cfg_out_base; only a frame's last beat is partly strobed. Strided: each beat
// that keeps a pixel at cfg_out_base + line * cfg_stride + column * 4, its kept pixels strobed.
// A beat a clock in both modes; latency 4 cycles strided, 3 packed from the beat that fills one.
// `frame_end` (a level: no beat comes any more) sends what is held, then write_done and m_beat_flush
// stay high until the next frame_start. Configuration must hold from frame_start to write_done.
// Reset forgets what is held and clears the counts. There is no error: axi_write keeps those.
`default_nettype none
`timescale 1ns / 1ps

module roi_write #(
    parameter PPC = 8  // pixels a beat: 1, 2, 4, 8 or 16
) (
    input  wire              clk,
    input  wire              rst_n,
    input  wire [      63:0] cfg_out_base,    // 4 KiB aligned
    input  wire [      31:0] cfg_stride,      // bytes, a multiple of PPC * 4
    input  wire              cfg_strided,
    input  wire              frame_start,
    input  wire              frame_end,
    output wire              write_done,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [PPC*32-1:0] s_axis_tdata,
    input  wire [   PPC-1:0] s_axis_tkeep,
    input  wire [      13:0] s_axis_tuser,
    input  wire              s_axis_tlast,
    output wire              m_beat_valid,
    input  wire              m_beat_ready,
    output wire [      63:0] m_beat_addr,
    output wire [PPC*32-1:0] m_beat_data,
    output wire [ PPC*4-1:0] m_beat_strb,
    output wire              m_beat_flush,
    output wire [      31:0] stat_pixels,     // kept pixels taken since frame_start
    output wire [      31:0] stat_out_bytes   // bytes handed on since frame_start
);

  localparam [31:0] BEAT_BYTES_INT = PPC * 4;
  localparam [45:0] BEAT_BYTES = {14'd0, BEAT_BYTES_INT};

  wire              pack_ready;
  wire              pack_drained;
  wire              pack_m_valid;
  wire [PPC*32-1:0] pack_m_data;
  wire [   PPC-1:0] pack_m_keep;
  wire              place_ready;
  wire              place_drained;
  wire              place_m_valid;
  wire [      45:0] place_m_offset;
  wire [PPC*32-1:0] place_m_data;
  wire [   PPC-1:0] place_m_keep;

  pixel_pack #(
      .PPC  (PPC),
      .PIX_W(32)
  ) u_pack (
      .clk          (clk),
      .rst_n        (rst_n),
      .flush        (frame_end),
      .drained      (pack_drained),
      .s_axis_tvalid(s_axis_tvalid & ~cfg_strided),
      .s_axis_tready(pack_ready),
      .s_axis_tdata (s_axis_tdata),
      .s_axis_tkeep (s_axis_tkeep),
      .m_axis_tvalid(pack_m_valid),
      .m_axis_tready(m_beat_ready & ~cfg_strided),
      .m_axis_tdata (pack_m_data),
      .m_axis_tkeep (pack_m_keep)
  );

  pixel_place #(
      .PPC      (PPC),
      .PIX_BYTES(4)
  ) u_place (
      .clk          (clk),
      .rst_n        (rst_n),
      .cfg_stride   (cfg_stride),
      .drained      (place_drained),
      .s_axis_tvalid(s_axis_tvalid & cfg_strided),
      .s_axis_tready(place_ready),
      .s_axis_tdata (s_axis_tdata),
      .s_axis_tkeep (s_axis_tkeep),
      .s_axis_tuser (s_axis_tuser),
      .s_axis_tlast (s_axis_tlast),
      .m_axis_tvalid(place_m_valid),
      .m_axis_tready(m_beat_ready & cfg_strided),
      .m_axis_offset(place_m_offset),
      .m_axis_tdata (place_m_data),
      .m_axis_tkeep (place_m_keep)
  );

  reg  [ 45:0] pack_offset_reg;
  reg          done_reg;
  reg  [ 31:0] pixels_reg;
  reg  [ 31:0] out_pixels_reg;
  wire         empty = pack_drained & place_drained & ~s_axis_tvalid;
  wire [PPC-1:0] out_keep = cfg_strided ? place_m_keep : pack_m_keep;

  function [31:0] ones;
    input [PPC-1:0] mask;
    integer n;
    begin
      ones = 32'd0;
      for (n = 0; n < PPC; n = n + 1) ones = ones + {31'd0, mask[n]};
    end
  endfunction

  always @(posedge clk) begin
    if (!rst_n) begin
      pack_offset_reg <= 46'd0;
      done_reg       <= 1'b0;
      pixels_reg     <= 32'd0;
      out_pixels_reg <= 32'd0;
    end else if (frame_start) begin
      pack_offset_reg <= 46'd0;
      done_reg       <= 1'b0;
      pixels_reg     <= 32'd0;
      out_pixels_reg <= 32'd0;
    end else begin
      if (frame_end & empty) done_reg <= 1'b1;
      if (s_axis_tvalid & s_axis_tready) pixels_reg <= pixels_reg + ones(s_axis_tkeep);
      if (m_beat_valid & m_beat_ready) begin
        pack_offset_reg <= pack_offset_reg + BEAT_BYTES;
        out_pixels_reg <= out_pixels_reg + ones(out_keep);
      end
    end
  end

  genvar g;
  generate
    for (g = 0; g < PPC; g = g + 1) begin : g_strobe
      assign m_beat_strb[4*g+:4] = {4{out_keep[g]}};
    end
  endgenerate

  assign s_axis_tready  = cfg_strided ? place_ready : pack_ready;
  assign m_beat_valid   = cfg_strided ? place_m_valid : pack_m_valid;
  assign m_beat_addr    = cfg_out_base + {18'd0, cfg_strided ? place_m_offset : pack_offset_reg};
  assign m_beat_data    = cfg_strided ? place_m_data : pack_m_data;
  assign m_beat_flush   = done_reg;
  assign write_done     = done_reg;
  assign stat_pixels    = pixels_reg;
  assign stat_out_bytes = {out_pixels_reg[29:0], 2'd0};

endmodule

`default_nettype wire
