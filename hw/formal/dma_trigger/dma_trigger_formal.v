// dma_trigger: no request leaves in a frame whose ego is outside the zone (or the widened one, with a table that was
// resident), never twice in a frame, none but of the beats that hold the table; a row of it is written only while
// loading. The depth holds the first rows of a load, not a whole one: what happens while resident is left to the bench.
// Without texture pages. The zone, the ego and the base change only at a frame start, and a frame starts when the
// decision and load before it are through.
`default_nettype none

module dma_trigger_formal #(
    parameter OUTSTANDING = 2,
    parameter COORD_W     = 32  // bits of the coordinates that may differ, for a smaller proof
) (
    input wire               clk,
    input wire               rst_n,
    input wire               port_rst_n,
    input wire               frame_start,
    input wire signed [31:0] ego_x,
    input wire signed [31:0] ego_y,
    input wire signed [31:0] zone_x0,
    input wire signed [31:0] zone_y0,
    input wire signed [31:0] zone_x1,
    input wire signed [31:0] zone_y1,
    input wire [31:0]        margin,
    input wire [63:0]        mat_base,
    input wire               mat_invalidate,
    input wire [31:0]        timeout,
    input wire               arready,
    input wire [511:0]       rdata,
    input wire [1:0]         rresp,
    input wire               rlast,
    input wire               rvalid
);

  wire mat_we;
  wire [3:0] mat_waddr;
  wire resident;
  wire pending;
  wire [63:0] araddr;
  wire [7:0] arlen;
  wire [2:0] arsize;
  wire [1:0] arburst;
  wire arvalid;
  wire rready;
  wire [1:0] dma_state;
  wire timed_out;
  wire undrained;

  dma_trigger #(
      .OUTSTANDING(OUTSTANDING)
  ) dut (
      .clk                (clk),
      .rst_n              (rst_n),
      .port_rst_n         (port_rst_n),
      .frame_start        (frame_start),
      .cfg_ego_x          (ego_x),
      .cfg_ego_y          (ego_y),
      .cfg_zone_x0        (zone_x0),
      .cfg_zone_y0        (zone_y0),
      .cfg_zone_x1        (zone_x1),
      .cfg_zone_y1        (zone_y1),
      .cfg_zone_margin    (margin),
      .cfg_mat_base       (mat_base),
      .mat_invalidate     (mat_invalidate),
      .cfg_tex_base       (64'd0),
      .cfg_tex_pages      (7'd0),
      .tex_invalidate     (1'b0),
      .tex_resident       (16'd0),
      .tex_forget         (),
      .tex_we             (),
      .tex_waddr          (),
      .tex_wdata          (),
      .tex_done           (),
      .tex_slot           (),
      .tex_counters       (),
      .timeout            (timeout),
      .mat_we             (mat_we),
      .mat_waddr          (mat_waddr),
      .mat_wdata          (),
      .resident           (resident),
      .pending            (pending),
      .m_axi_gmem2_arid   (),
      .m_axi_gmem2_araddr (araddr),
      .m_axi_gmem2_arlen  (arlen),
      .m_axi_gmem2_arsize (arsize),
      .m_axi_gmem2_arburst(arburst),
      .m_axi_gmem2_arcache(),
      .m_axi_gmem2_arprot (),
      .m_axi_gmem2_arvalid(arvalid),
      .m_axi_gmem2_arready(arready),
      .m_axi_gmem2_rid    (1'b0),
      .m_axi_gmem2_rdata  (rdata),
      .m_axi_gmem2_rresp  (rresp),
      .m_axi_gmem2_rlast  (rlast),
      .m_axi_gmem2_rvalid (rvalid),
      .m_axi_gmem2_rready (rready),
      .dma_state          (dma_state),
      .dma_error          (),
      .error              (),
      .resp               (),
      .timed_out          (timed_out),
      .undrained          (undrained),
      .stat_bursts        (),
      .stat_bytes         (),
      .dma_counters       ()
  );

  initial assume (!rst_n && !port_rst_n);
  always @* assume (port_rst_n || !rst_n);  // the port's reset is the engine's, too

  axi4_read_properties #(
      .DATA_W     (512),
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

  wire [255:0] config_now = {ego_x, ego_y, zone_x0, zone_y0, zone_x1, zone_y1, margin, 32'd0};
  reg [255:0] config_reg;
  reg [63:0] base_reg;
  reg was_pending_reg = 1'b0;
  reg started_reg = 1'b0;
  reg in_frame_reg = 1'b0;
  always @(posedge clk) begin
    config_reg      <= config_now;
    base_reg        <= mat_base;
    was_pending_reg <= pending & rst_n;
    started_reg     <= 1'b1;
    in_frame_reg    <= rst_n & (in_frame_reg | frame_start);
    if (started_reg & ~frame_start) assume (config_now == config_reg && mat_base == base_reg);
    if (frame_start) assume (!was_pending_reg && rst_n && !timed_out);
    assume (timeout > 32'd2);
  end
  // The base's 1,024 bytes do not wrap around the address space; the beats that cover them may be read.
  wire [63:0] first_byte = {mat_base[63:6], 6'd0};
  wire [63:0] past_byte = mat_base + 64'd1024 + 64'd63 & ~64'd63;
  always @* begin
    assume (mat_base[63:40] == 0);
    assume ((ego_x <<< (32 - COORD_W)) >>> (32 - COORD_W) == ego_x && (ego_y <<< (32 - COORD_W)) >>> (32 - COORD_W) == ego_y);
    assume ((zone_x0 <<< (32 - COORD_W)) >>> (32 - COORD_W) == zone_x0 && (zone_x1 <<< (32 - COORD_W)) >>> (32 - COORD_W) == zone_x1);
    assume ((zone_y0 <<< (32 - COORD_W)) >>> (32 - COORD_W) == zone_y0 && (zone_y1 <<< (32 - COORD_W)) >>> (32 - COORD_W) == zone_y1);
    assume (COORD_W == 32 || margin >> COORD_W == 0);
  end

  // By the specification, with mathematical integers.
  wire signed [39:0] x = ego_x;
  wire signed [39:0] y = ego_y;
  wire signed [39:0] x0 = zone_x0;
  wire signed [39:0] y0 = zone_y0;
  wire signed [39:0] x1 = zone_x1;
  wire signed [39:0] y1 = zone_y1;
  wire signed [39:0] m = {8'd0, margin};
  wire zone = x0 < x1 && y0 < y1;
  wire inside = zone && x0 <= x && x < x1 && y0 <= y && y < y1;
  wire near = zone && x0 - m <= x && x < x1 + m && y0 - m <= y && y < y1 + m;

  reg kept_reg = 1'b0;  // the table was resident when the frame started
  reg [4:0] asked_reg = 5'd0;  // beats asked for in this frame
  reg [4:0] rows_reg = 5'd0;  // good rows written in this frame
  wire asks = arvalid & arready & ~undrained;
  wire may_keep = kept_reg & near;
  always @(posedge clk) begin
    if (!rst_n) begin
      kept_reg  <= 1'b0;
      asked_reg <= 5'd0;
      rows_reg  <= 5'd0;
    end else begin
      if (frame_start) begin
        kept_reg  <= resident;
        asked_reg <= 5'd0;
        rows_reg  <= 5'd0;
      end else begin
        if (asks) asked_reg <= asked_reg + arlen + 1;
        if (mat_we) rows_reg <= rows_reg + 1;
      end
    end
    if (rst_n) begin
      if (arvalid & ~timed_out & ~undrained) begin
        assert (in_frame_reg);
        assert (inside || may_keep);  // never outside
        assert (araddr >= first_byte && araddr + ({56'd0, arlen} + 1) * 64 <= past_byte);
        assert (asked_reg + arlen + 1 <= 5'd17);  // never twice in a frame
        assert (pending);
      end
      if (pending & ~was_pending_reg) assert (frame_start);
      if (mat_we) assert (dma_state == 2'd2 && mat_waddr >= rows_reg && rows_reg < 5'd16);
      cover (mat_we & (mat_waddr == 4'd2));
      cover (in_frame_reg & ~pending & zone & ~inside);
    end
  end

endmodule

`default_nettype wire
