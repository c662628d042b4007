// Walks the bands of a frame. The planned bands are fetched one ahead (tri_fetch may hold records of
// the next band behind the closed gate), rasterised into the free bank of two, and scanned out in order;
// raster of band n+1 overlaps the scan of band n. Scans wait until no material load is pending.
// The frame ends (frame_done, a pulse) when every beat is written and answered. A frame without an
// active row touches no memory. `aborted` (an engine gave up) ends it early: no further band is started, a running
// scan is let out, what was sent is drained; with a dead write engine (`write_failed`) nothing is waited
// for that needs it. Each of these waits is bounded by the engines' own timeouts.
// Reset: idle. After an abort the modules between need a reset before the next frame.
`default_nettype none
`timescale 1ns / 1ps

module frame_ctl #(
    parameter NUM_ROI = 16  // regions, >= 1
) (
    input  wire                  clk,
    input  wire                  rst_n,
    input  wire                  frame_start,
    output wire                  frame_done,
    input  wire                  aborted,
    // Configuration of the frame
    input  wire [          12:0] cfg_height,
    input  wire                  cfg_immediate,  // scan every row: the set may change while the frame runs
    input  wire [NUM_ROI*52-1:0] roi_set,
    // Fetch
    output wire                  load_valid,
    input  wire                  load_ready,
    output wire [           7:0] load_bands,
    output wire                  band_valid,
    input  wire                  band_ready,
    output wire [           6:0] band_index,
    // Raster
    output wire                  gate_open,      // records may pass to the raster
    input  wire                  gate_valid,     // a record or token waits at the gate
    input  wire                  gate_token,     // the end-of-band token passes
    output wire [          12:0] band_y0,
    output wire                  wr_bank,
    input  wire                  blk_done,
    input  wire                  init_done,      // the banks are clear after reset
    input  wire                  raster_busy,
    // Scan
    output wire                  scan_valid,
    input  wire                  scan_ready,
    output wire                  scan_bank,
    output wire [          12:0] scan_y0,
    output wire [          31:0] scan_rows,
    input  wire                  scan_busy,      // from the cycle after a start to the last beat's handshake
    input  wire                  dma_pending,
    // Write
    input  wire                  pipe_busy,      // beats are between scan and write
    output wire                  frame_end,
    input  wire                  write_done,
    input  wire                  write_idle,
    input  wire                  write_failed,
    // What this cycle is spent on
    output wire                  now_running,
    output wire                  now_fetch_wait,
    output wire                  now_raster,
    output wire                  now_raster_stall,
    output wire                  now_scan,
    output wire                  now_drain,
    output wire                  now_dma_wait,
    output wire                  now_scan_alone,
    output wire                  now_dma_alone,
    output wire                  now_scan_idle,
    output wire [           7:0] bands_skipped
);

  localparam [1:0] IDLE = 2'd0;
  localparam [1:0] RUN = 2'd1;
  localparam [1:0] ABORT = 2'd2;
  localparam [1:0] DRAIN = 2'd3;

  reg  [ 1:0] state_reg;
  wire        run = state_reg == RUN;

  wire        planned;
  wire        any_band;
  wire        plan_finished;
  wire        plan_valid;
  wire [ 6:0] plan_index;
  wire [31:0] plan_rows;

  band_plan #(
      .NUM_ROI(NUM_ROI)
  ) u_plan (
      .clk         (clk),
      .rst_n       (rst_n),
      .start       (frame_start),
      .cfg_height  (cfg_height),
      .roi_set     (roi_set),
      .all_rows    (cfg_immediate),
      .planned     (planned),
      .any_band    (any_band),
      .finished    (plan_finished),
      .skipped     (bands_skipped),
      .m_band_valid(plan_valid),
      .m_band_ready(band_valid & band_ready),
      .m_band_index(plan_index),
      .m_band_rows (plan_rows)
  );

  // Fetch: the table first, then the band after the one in the raster.
  reg        loaded_reg;  // the table's load was accepted
  reg        next_valid_reg;
  reg [ 6:0] next_index_reg;
  reg [31:0] next_rows_reg;

  assign load_valid = run & planned & any_band & ~loaded_reg;
  // Bands in the frame; cfg_height is at most 4096.
  assign load_bands = cfg_height[12:5] + {7'd0, |cfg_height[4:0]};
  assign band_valid = run & loaded_reg & plan_valid & ~next_valid_reg;
  assign band_index = plan_index;

  // Raster: one band at a time, into a bank that the scan has left clear.
  reg         raster_valid_reg;
  reg         gate_reg;
  reg  [ 7:0] raster_band_reg;
  reg  [31:0] raster_rows_reg;
  reg         wr_bank_reg;
  reg  [ 1:0] full_reg;  // per bank: holds a band that is not scanned yet
  wire        raster_free = ~full_reg[wr_bank_reg];
  wire        raster_start = run & next_valid_reg & ~raster_valid_reg & raster_free & init_done;
  wire        raster_end = run & raster_valid_reg & blk_done;

  // Scan, in the same order of banks.
  reg         scan_active_reg;
  reg         rd_bank_reg;
  reg  [ 7:0] full_band_reg                                                                 [0:1];
  reg  [31:0] full_rows_reg                                                                 [0:1];
  wire        scan_wanted = run & full_reg[rd_bank_reg] & ~scan_active_reg;
  wire        scan_take = scan_valid & scan_ready;
  wire        scan_end = scan_active_reg & ~scan_busy;

  wire        all_rastered = plan_finished & ~next_valid_reg & ~raster_valid_reg;
  wire        all_scanned = all_rastered & (full_reg == 2'b00) & ~scan_active_reg;

  always @(posedge clk) begin
    if (!rst_n) begin
      state_reg        <= IDLE;
      loaded_reg       <= 1'b0;
      next_valid_reg   <= 1'b0;
      raster_valid_reg <= 1'b0;
      gate_reg         <= 1'b0;
      raster_band_reg  <= 8'd0;
      wr_bank_reg      <= 1'b0;
      rd_bank_reg      <= 1'b0;
      full_reg         <= 2'b00;
      scan_active_reg  <= 1'b0;
    end else begin
      case (state_reg)
        IDLE: begin
          if (frame_start) state_reg <= RUN;
          loaded_reg       <= 1'b0;
          next_valid_reg   <= 1'b0;
          raster_valid_reg <= 1'b0;
          gate_reg         <= 1'b0;
          full_reg         <= 2'b00;
          scan_active_reg  <= 1'b0;
          rd_bank_reg      <= wr_bank_reg;
        end
        RUN: begin
          if (load_valid & load_ready) loaded_reg <= 1'b1;
          if (band_valid & band_ready) next_valid_reg <= 1'b1;
          else if (raster_start) next_valid_reg <= 1'b0;
          if (raster_start) raster_valid_reg <= 1'b1;
          else if (raster_end) raster_valid_reg <= 1'b0;
          if (raster_start) gate_reg <= 1'b1;
          else if (gate_token) gate_reg <= 1'b0;
          if (raster_start) raster_band_reg <= {1'b0, next_index_reg};
          if (raster_end) begin
            full_reg[wr_bank_reg] <= 1'b1;
            wr_bank_reg           <= ~wr_bank_reg;
          end
          if (scan_end) begin
            full_reg[rd_bank_reg] <= 1'b0;
            rd_bank_reg           <= ~rd_bank_reg;
          end
          if (scan_take) scan_active_reg <= 1'b1;
          else if (scan_end) scan_active_reg <= 1'b0;
          if (aborted) begin
            state_reg <= ABORT;
            gate_reg  <= 1'b0;
          end else if (all_scanned & ~pipe_busy) state_reg <= DRAIN;
        end
        ABORT: begin
          if (scan_end) scan_active_reg <= 1'b0;
          if (~scan_active_reg & ~pipe_busy) state_reg <= DRAIN;
        end
        default: if (write_done & ((write_idle & ~dma_pending) | write_failed)) state_reg <= IDLE;
      endcase
    end
    if (band_valid & band_ready) begin
      next_index_reg <= plan_index;
      next_rows_reg  <= plan_rows;
    end
    if (raster_start) raster_rows_reg <= next_rows_reg;
    if (raster_end) begin
      full_band_reg[wr_bank_reg] <= raster_band_reg;
      full_rows_reg[wr_bank_reg] <= raster_rows_reg;
    end
  end

  assign gate_open        = gate_reg;
  assign band_y0          = {raster_band_reg, 5'd0};
  assign wr_bank          = wr_bank_reg;
  assign scan_valid       = scan_wanted & ~dma_pending;
  assign scan_bank        = rd_bank_reg;
  assign scan_y0          = {full_band_reg[rd_bank_reg], 5'd0};
  assign scan_rows        = full_rows_reg[rd_bank_reg];
  assign frame_end        = state_reg == DRAIN;
  assign frame_done       = (state_reg == DRAIN) & write_done & ((write_idle & ~dma_pending) | write_failed);

  // Everything is written, but material or texture is still being loaded.
  wire load_last = (state_reg == DRAIN) & write_done & write_idle & dma_pending & ~write_failed;

  // The raster's time: waiting for a bank counts as work held only when a record is there to be drawn.
  wire bank_wait = run & next_valid_reg & ~raster_valid_reg & ~raster_free & gate_valid;
  assign now_running      = state_reg != IDLE;
  assign now_raster       = run & (raster_busy | bank_wait);
  assign now_raster_stall = bank_wait;
  assign now_fetch_wait   = run & ~all_rastered & ~raster_busy & ~bank_wait;
  assign now_scan         = scan_active_reg & scan_busy;
  assign now_drain        = (state_reg == DRAIN) & ~load_last;
  assign now_dma_wait     = scan_wanted & dma_pending;

  // Each cycle of a frame is one of: fetch wait, raster (but for its stall), scan alone, load alone, drain. And one of:
  // scan, load wait, scan idle.
  wire behind = bank_wait | (run & all_rastered & ~raster_busy) | (state_reg == ABORT);
  assign now_scan_alone   = behind & ~now_dma_wait;
  assign now_dma_alone    = (behind & now_dma_wait) | load_last;
  assign now_scan_idle    = now_running & ~now_scan & ~now_dma_wait;

endmodule

`default_nettype wire
