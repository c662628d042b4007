// roi_regs: the AXI4-Lite rules; a set is handed over by COMMIT only and as a whole (one arbitrary coordinate, written
// at any time, follows the last COMMIT); a configuration changes only at a frame start; a frame starts only after a
// start was written and the one before has ended; an address that is not mapped changes nothing and answers SLVERR.
`default_nettype none
`include "foveal_regs.vh"

module roi_regs_formal #(
    parameter NUM_ROI = 1,
    parameter PPC     = 8
) (
    input wire        clk,
    input wire        rst_n,
    input wire [11:0] awaddr,
    input wire        awvalid,
    input wire [31:0] wdata,
    input wire [ 3:0] wstrb,
    input wire        wvalid,
    input wire        bready,
    input wire [11:0] araddr,
    input wire        arvalid,
    input wire        rready,
    input wire        frame_done,
    input wire        clip_pending,
    input wire        clip_stalled,
    input wire        clip_fire,
    input wire        clip_fresh,
    input wire [32*`FOVEAL_FRAME_COUNTERS-1:0] frame_counters,
    input wire [14:0] status
);

  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata;
  wire soft_rst_n, frame_start, roi_change;
  wire [NUM_ROI*52-1:0] roi_set, clip_set;
  wire [63:0] tri_base;
  wire [12:0] width, height;
  wire [31:0] stride, timeout;
  wire immediate;

  roi_regs #(
      .NUM_ROI(NUM_ROI),
      .PPC    (PPC)
  ) dut (
      .clk                  (clk),
      .rst_n                (rst_n),
      .s_axi_control_awaddr (awaddr),
      .s_axi_control_awvalid(awvalid),
      .s_axi_control_awready(awready),
      .s_axi_control_wdata  (wdata),
      .s_axi_control_wstrb  (wstrb),
      .s_axi_control_wvalid (wvalid),
      .s_axi_control_wready (wready),
      .s_axi_control_bresp  (bresp),
      .s_axi_control_bvalid (bvalid),
      .s_axi_control_bready (bready),
      .s_axi_control_araddr (araddr),
      .s_axi_control_arvalid(arvalid),
      .s_axi_control_arready(arready),
      .s_axi_control_rdata  (rdata),
      .s_axi_control_rresp  (rresp),
      .s_axi_control_rvalid (rvalid),
      .s_axi_control_rready (rready),
      .soft_rst_n           (soft_rst_n),
      .frame_start          (frame_start),
      .frame_done           (frame_done),
      .cfg_tri_base         (tri_base),
      .cfg_width            (width),
      .cfg_height           (height),
      .cfg_stride           (stride),
      .cfg_timeout          (timeout),
      .cfg_immediate        (immediate),
      .roi_set              (roi_set),
      .clip_set             (clip_set),
      .roi_change              (roi_change),
      .clip_pending          (clip_pending),
      .clip_stalled         (clip_stalled),
      .clip_fire            (clip_fire),
      .clip_fresh             (clip_fresh),
      .frame_counters       (frame_counters),
      .dma_counters         (96'd0),
      .tex_counters         (96'd0),
      .err_shade            (1'b0),
      .undrained            (3'd0),
      .timeout_shade        (1'b0),
      .err_gmem0            (status[0]),
      .err_gmem1            (status[1]),
      .err_gmem2            (status[2]),
      .resp_gmem0           (status[4:3]),
      .resp_gmem1           (status[6:5]),
      .resp_gmem2           (status[8:7]),
      .timeout_gmem0        (status[9]),
      .timeout_gmem1        (status[10]),
      .timeout_gmem2        (status[11]),
      .dma_error            (status[12]),
      .dma_state            (status[14:13])
  );

  initial assume (!rst_n);

  axi4_lite_properties port (
      .clk    (clk),
      .rst_n  (rst_n),
      .awaddr (awaddr),
      .awvalid(awvalid),
      .awready(awready),
      .wdata  (wdata),
      .wstrb  (wstrb),
      .wvalid (wvalid),
      .wready (wready),
      .bresp  (bresp),
      .bvalid (bvalid),
      .bready (bready),
      .araddr (araddr),
      .arvalid(arvalid),
      .arready(arready),
      .rdata  (rdata),
      .rresp  (rresp),
      .rvalid (rvalid),
      .rready (rready)
  );

  // Writes as the bus sees them: the address and data taken last.
  reg [11:0] at_reg;
  reg [31:0] data_reg;
  reg [3:0] strb_reg;
  reg a_reg = 1'b0;
  reg d_reg = 1'b0;
  wire acts = a_reg & d_reg & (~bvalid | bready);  // the cycle before its response
  wire commits = acts & (at_reg[11:2] == 10'h060) & data_reg[0] & strb_reg[0];
  wire starts = acts & (at_reg[11:2] == 10'h000) & data_reg[0] & strb_reg[0];
  wire resets = acts & (at_reg[11:2] == 10'h061) & data_reg[0] & strb_reg[0];
  wire writes_y1 = acts & (at_reg[11:2] == 10'h041);

  reg [15:0] y1_reg = 16'd0;  // region 0's y1 as written
  reg [15:0] x1_reg = 16'd0;
  reg [12:0] y1_committed_reg = 13'd0;
  reg [12:0] x1_committed_reg = 13'd0;
  reg started_reg = 1'b0;
  reg known_reg = 1'b0;  // the configuration has been taken once
  reg start_owed_reg = 1'b0;
  reg running_reg = 1'b0;
  reg [154:0] config_reg;
  reg wrong_reg = 1'b0;  // the write that acted last has an address that is not mapped
  wire [154:0] config_now = {tri_base, width, height, stride, timeout, immediate};

  function [12:0] limited(input [15:0] value);
    limited = value > 16'd8191 ? 13'd8191 : value[12:0];
  endfunction

  always @(posedge clk) begin
    started_reg <= rst_n;
    known_reg   <= rst_n & (known_reg | frame_start);
    config_reg  <= config_now;
    if (!rst_n) begin
      a_reg            <= 1'b0;
      d_reg            <= 1'b0;
      y1_reg           <= 16'd0;
      x1_reg           <= 16'd0;
      y1_committed_reg <= 13'd0;
      x1_committed_reg <= 13'd0;
      start_owed_reg   <= 1'b0;
      running_reg      <= 1'b0;
    end else begin
      a_reg <= (a_reg & ~acts) | (awvalid & awready);
      d_reg <= (d_reg & ~acts) | (wvalid & wready);
      if (awvalid & awready) at_reg <= awaddr;
      if (wvalid & wready) {data_reg, strb_reg} <= {wdata, wstrb};
      if (writes_y1) begin
        if (strb_reg[3]) y1_reg[15:8] <= data_reg[31:24];
        if (strb_reg[2]) y1_reg[7:0] <= data_reg[23:16];
        if (strb_reg[1]) x1_reg[15:8] <= data_reg[15:8];
        if (strb_reg[0]) x1_reg[7:0] <= data_reg[7:0];
      end
      if (commits) begin
        y1_committed_reg <= limited(y1_reg);
        x1_committed_reg <= limited(x1_reg);
      end
      if (acts) wrong_reg <= at_reg[11:2] >= 10'h063 || (at_reg[11:2] >= 10'h042 && at_reg[11:2] < 10'h060 && NUM_ROI == 1);
      start_owed_reg <= ~resets & (starts | (start_owed_reg & ~frame_start));
      running_reg    <= ~resets & (frame_start | (running_reg & ~frame_done));
    end
    if (rst_n & started_reg) begin
      if (immediate) assert (clip_set[51:39] == y1_committed_reg && clip_set[38:26] == x1_committed_reg);
      if (!immediate) assert (clip_set == roi_set);
      if (bvalid & wrong_reg) assert (bresp == 2'b10);
      if (frame_start) assert (!running_reg && start_owed_reg);
      if (frame_start) assert (width != 0 && width <= 13'd4096 && height != 0 && height <= 13'd4096 && tri_base[5:0] == 0);
      if (frame_start) assert (soft_rst_n);
      if (!frame_start & known_reg) assert (config_reg == config_now);
      cover (frame_start && roi_set[51:39] != 0 && immediate);
      cover (running_reg && immediate && clip_set != roi_set);
      cover (bvalid & wrong_reg);
    end
  end

endmodule

`default_nettype wire
