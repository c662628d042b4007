// frame_ctl and frame_stats: each band of the plan is loaded, drawn and scanned exactly once, in rising order; no bank
// is drawn on and scanned at the same time; records pass only with the raster's band set; without an active row
// nothing is asked of memory; a frame ends once, when all that was begun is through (or an engine gave up). No
// deadlock: in a frame there is always a neighbour that owes something. Each cycle of a frame is counted in exactly
// one place of each sum. The neighbours keep their side: a token only through an open gate, blk_done after its token,
// a scan ends by itself.
`default_nettype none
`include "foveal_regs.vh"

module frame_ctl_formal (
    input wire       clk,
    input wire       rst_n,
    input wire       frame_start,
    input wire       aborted,
    input wire       load_ready,
    input wire       band_ready,
    input wire       gate_valid,
    input wire       gate_token,
    input wire       blk_done,
    input wire       init_done,
    input wire       raster_busy,
    input wire       scan_ready,
    input wire       scan_busy,
    input wire       scan_stalled,
    input wire       dma_pending,
    input wire       pipe_busy,
    input wire       write_done,
    input wire       write_idle,
    input wire       write_failed,
    input wire [1:0] fetch_port,
    input wire [1:0] write_port
);

  (* anyconst *) reg [12:0] height;
  (* anyconst *) reg [6:0] watched;  // any band
  wire frame_done, load_valid, band_valid, gate_open, wr_bank, scan_valid, scan_bank, frame_end;
  wire [7:0] load_bands;
  wire [6:0] band_index;
  wire [12:0] band_y0, scan_y0;
  wire [31:0] scan_rows;
  wire [7:0] now;
  wire [2:0] spent;
  assign now[5] = scan_stalled & now[4];

  frame_ctl #(
      .NUM_ROI(1)
  ) dut (
      .clk             (clk),
      .rst_n           (rst_n),
      .frame_start     (frame_start),
      .frame_done      (frame_done),
      .aborted         (aborted),
      .cfg_height      (height),
      .cfg_immediate   (1'b0),
      .roi_set         (52'd0),
      .load_valid      (load_valid),
      .load_ready      (load_ready),
      .load_bands      (load_bands),
      .band_valid      (band_valid),
      .band_ready      (band_ready),
      .band_index      (band_index),
      .gate_open       (gate_open),
      .gate_valid      (gate_valid),
      .gate_token      (gate_token),
      .band_y0         (band_y0),
      .wr_bank         (wr_bank),
      .blk_done        (blk_done),
      .init_done       (init_done),
      .raster_busy     (raster_busy),
      .scan_valid      (scan_valid),
      .scan_ready      (scan_ready),
      .scan_bank       (scan_bank),
      .scan_y0         (scan_y0),
      .scan_rows       (scan_rows),
      .scan_busy       (scan_busy),
      .dma_pending     (dma_pending),
      .pipe_busy       (pipe_busy),
      .frame_end       (frame_end),
      .write_done      (write_done),
      .write_idle      (write_idle),
      .write_failed    (write_failed),
      .now_running     (now[0]),
      .now_fetch_wait  (now[1]),
      .now_raster      (now[2]),
      .now_raster_stall(now[3]),
      .now_scan        (now[4]),
      .now_drain       (now[6]),
      .now_dma_wait    (now[7]),
      .now_scan_alone  (spent[0]),
      .now_dma_alone   (spent[1]),
      .now_scan_idle   (spent[2]),
      .bands_skipped   ()
  );

  wire [32*`FOVEAL_FRAME_COUNTERS-1:0] counters;

  frame_stats stats (
      .clk           (clk),
      .rst_n         (rst_n),
      .frame_start   (frame_start),
      .now           (now),
      .spent         (spent),
      .fetch         (now[0] ? 4'd1 << fetch_port : 4'd0),
      .write         (now[0] ? 4'd1 << write_port : 4'd0),
      .event_pulse   (7'd0),
      .bands_skipped (8'd0),
      .pixels_kept   (32'd0),
      .out_bytes     (32'd0),
      .rd_bursts     (32'd0),
      .rd_bytes      (32'd0),
      .wr_bursts     (32'd0),
      .wr_bytes      (32'd0),
      .frame_counters(counters)
  );

  // The lowest digit of a counter.
  function [3:0] digit(input integer n);
    digit = counters[32*n+:4];
  endfunction

  // Inside the design: what induction must know.
  (* hierconn *) wire [1:0] \dut.state_reg ;
  (* hierconn *) wire \dut.loaded_reg ;
  (* hierconn *) wire \dut.next_valid_reg ;
  (* hierconn *) wire [6:0] \dut.next_index_reg ;
  (* hierconn *) wire [31:0] \dut.next_rows_reg ;
  (* hierconn *) wire \dut.raster_valid_reg ;
  (* hierconn *) wire [31:0] \dut.raster_rows_reg ;
  (* hierconn *) wire \dut.rd_bank_reg ;
  (* hierconn *) wire \dut.scan_active_reg ;
  (* hierconn *) wire [1:0] \dut.full_reg ;
  (* hierconn *) wire [7:0] \dut.full_band_reg[0] ;
  (* hierconn *) wire [7:0] \dut.full_band_reg[1] ;
  (* hierconn *) wire [31:0] \dut.full_rows_reg[0] ;
  (* hierconn *) wire [31:0] \dut.full_rows_reg[1] ;
  (* hierconn *) wire \dut.u_plan.finished_reg ;
  (* hierconn *) wire \dut.u_plan.planned_reg ;
  (* hierconn *) wire \dut.u_plan.any_reg ;
  (* hierconn *) wire \dut.u_plan.valid_reg ;
  (* hierconn *) wire \dut.u_plan.offered_reg ;
  (* hierconn *) wire [6:0] \dut.u_plan.index_reg ;
  (* hierconn *) wire [7:0] \dut.u_plan.next_reg ;
  (* hierconn *) wire [31:0] \dut.u_plan.rows_reg ;
  wire run = \dut.state_reg == 2'd1;
  wire next = \dut.next_valid_reg ;
  wire [7:0] next_band = {1'b0, \dut.next_index_reg };
  wire raster = \dut.raster_valid_reg ;
  wire [7:0] raster_band = band_y0[12:5];
  wire [1:0] full = \dut.full_reg ;
  wire rd = \dut.rd_bank_reg ;
  wire [7:0] older = rd ? \dut.full_band_reg[1] : \dut.full_band_reg[0] ;
  wire [7:0] newer = rd ? \dut.full_band_reg[0] : \dut.full_band_reg[1] ;
  wire [31:0] older_rows = rd ? \dut.full_rows_reg[1] : \dut.full_rows_reg[0] ;
  wire [31:0] newer_rows = rd ? \dut.full_rows_reg[0] : \dut.full_rows_reg[1] ;
  wire planner_works = ~\dut.u_plan.finished_reg & ~\dut.u_plan.valid_reg ;

  initial assume (!rst_n);

  wire asks = band_valid & band_ready;
  wire scans = scan_valid & scan_ready;
  reg in_frame_reg = 1'b0;
  reg token_reg = 1'b0;  // a band's token has passed, its blk_done is to come
  reg scanning_reg = 1'b0;
  reg scan_bank_reg;
  reg was_open_reg = 1'b0;
  reg dma_was_reg = 1'b0;
  reg gave_up_reg = 1'b0;
  reg loaded_reg = 1'b0;
  reg [1:0] asked_reg = 2'd0;  // times that the watched band was asked for, drawn, scanned; 3 is many
  reg [1:0] drawn_reg = 2'd0;
  reg [1:0] scanned_reg = 2'd0;
  reg [7:0] ask_next_reg = 8'd0;  // lowest band that may follow
  reg [7:0] draw_next_reg = 8'd0;
  reg [7:0] scan_next_reg = 8'd0;
  reg [3:0] cycles_reg = 4'd0;
  reg [1:0] idle_reg = 2'd0;  // cycles in which nobody owes anything
  wire opens = gate_open & ~was_open_reg;
  wire fair = load_valid | band_valid | gate_open | token_reg | scan_valid | scanning_reg | dma_pending | ~init_done
            | pipe_busy | frame_end | planner_works;

  // What is asked of a neighbour stays until it is taken, or an engine gives up.
  wire asking = rst_n & ~aborted;

  stream_properties #(
      .WIDTH(8)
  ) loads (
      .clk    (clk),
      .rst_n  (asking),
      .valid  (load_valid),
      .ready  (load_ready),
      .payload(load_bands)
  );

  stream_properties #(
      .WIDTH(7)
  ) bands (
      .clk    (clk),
      .rst_n  (asking),
      .valid  (band_valid),
      .ready  (band_ready),
      .payload(band_index)
  );

  stream_properties #(
      .WIDTH(46)
  ) scan_commands (
      .clk    (clk),
      .rst_n  (asking),
      .valid  (scan_valid),
      .ready  (scan_ready),
      .payload({scan_bank, scan_y0, scan_rows})
  );

  always @* begin
    if (in_frame_reg & ~dma_was_reg) assume (!dma_pending);  // loading begins with a frame
    assume (height >= 13'd1 && height <= 13'd4096);
    if (frame_start) assume (!in_frame_reg && rst_n && !gave_up_reg);
    if (gate_token) assume (gate_open && !token_reg);
    if (blk_done) assume (token_reg);
    if (!scanning_reg) assume (!scan_busy);
    if (aborted | write_done) assume (in_frame_reg);
  end

  always @(posedge clk) begin
    was_open_reg <= gate_open & rst_n;
    dma_was_reg  <= dma_pending & rst_n;
    if (!rst_n) begin
      in_frame_reg  <= 1'b0;
      token_reg     <= 1'b0;
      scanning_reg  <= 1'b0;
      gave_up_reg   <= 1'b0;
      asked_reg     <= 2'd0;
      drawn_reg     <= 2'd0;
      scanned_reg   <= 2'd0;
      ask_next_reg  <= 8'd0;
      draw_next_reg <= 8'd0;
      scan_next_reg <= 8'd0;
      cycles_reg    <= 4'd0;
      idle_reg      <= 2'd0;
      loaded_reg    <= 1'b0;
    end else begin
      in_frame_reg <= frame_start | (in_frame_reg & ~frame_done);
      // After an abort the modules between are reset before the next frame.
      gave_up_reg  <= gave_up_reg | (aborted & in_frame_reg);
      token_reg    <= gate_token | (token_reg & ~blk_done);
      scanning_reg <= scans | (scanning_reg & scan_busy);
      if (scans) scan_bank_reg <= scan_bank;
      idle_reg <= fair | ~in_frame_reg ? 2'd0 : idle_reg + (idle_reg != 2'd3);
      if (frame_start) begin
        {asked_reg, drawn_reg, scanned_reg} <= 6'd0;
        {ask_next_reg, draw_next_reg, scan_next_reg} <= 24'd0;
        cycles_reg <= 4'd0;
        loaded_reg <= 1'b0;
      end else begin
        if (in_frame_reg) cycles_reg <= cycles_reg + 4'd1;
        if (load_valid & load_ready) loaded_reg <= 1'b1;
        if (asks) ask_next_reg <= band_index + 8'd1;
        if (opens) draw_next_reg <= raster_band + 8'd1;
        if (scans) scan_next_reg <= scan_y0[12:5] + 8'd1;
        asked_reg   <= asked_reg + (asks & (band_index == watched) & (asked_reg != 2'd3));
        drawn_reg   <= drawn_reg + (opens & (raster_band == watched) & (drawn_reg != 2'd3));
        scanned_reg <= scanned_reg + (scans & (scan_y0[12:5] == watched) & (scanned_reg != 2'd3));
      end
    end
  end

  // Where the watched band is, and how often it has been drawn.
  wire at_next = next & (next_band == watched);
  wire at_raster = raster & (raster_band == watched);
  wire at_older = full[rd] & (older == watched);
  wire at_newer = full[~rd] & (newer == watched);
  wire [1:0] drawn = drawn_reg + (opens & (raster_band == watched));
  wire [7:0] draw_next = opens ? raster_band + 8'd1 : draw_next_reg;

  always @(posedge clk)
    if (rst_n) begin
      // Banks.
      if ((gate_open | token_reg) & scanning_reg & ~gave_up_reg) assert (wr_bank != scan_bank_reg);
      if ((gate_open | token_reg) & scan_valid & ~gave_up_reg) assert (wr_bank != scan_bank);
      // Once each, in rising order, with an active row.
      if (load_valid) assert (!loaded_reg && load_bands == (height + 13'd31) >> 5);
      if (asks) assert (loaded_reg && band_index >= ask_next_reg);
      if (asks & (band_index == watched)) assert (asked_reg == 0);
      if (opens) assert (band_y0[4:0] == 0 && raster_band >= draw_next_reg && raster_band < ask_next_reg);
      if (opens & (raster_band == watched)) assert (asked_reg == 1 && drawn_reg == 0);
      if (scans) assert (scan_y0[4:0] == 0 && scan_y0[12:5] >= scan_next_reg && scan_y0[12:5] < draw_next_reg);
      if (scans) assert (scan_rows != 0 && !scanning_reg && !dma_pending);
      if (scans & (scan_y0[12:5] == watched)) assert (drawn_reg == 1 && scanned_reg == 0);
      // The end.
      if (frame_done) assert (in_frame_reg && !scanning_reg && write_done && (write_failed || write_idle
              && !dma_pending));
      if (frame_done & ~gave_up_reg) assert (drawn_reg == asked_reg && scanned_reg == asked_reg && !token_reg);
      if (frame_end) assert (in_frame_reg && !scan_valid && !band_valid && !gate_open);
      assert (idle_reg < 2'd3);
      // The sums (SPEC section 10): each cycle is in exactly one place of each, and so are the counters' lowest digits.
      assert ({2'd0, now[0]} == now[1] + (now[2] & ~now[3]) + spent[0] + spent[1] + now[6] && now[3] <= now[2]);
      assert ({1'd0, now[0]} == now[4] + now[7] + spent[2] && now[5] <= now[4]);
      assert (digit(`FOVEAL_COUNTER_FRAME_CYCLES) == cycles_reg);
      assert (digit(`FOVEAL_COUNTER_FRAME_CYCLES) == digit(`FOVEAL_COUNTER_FETCH_WAIT_CYCLES)
              + digit(`FOVEAL_COUNTER_RASTER_CYCLES) - digit(`FOVEAL_COUNTER_RASTER_STALL_CYCLES)
              + digit(`FOVEAL_COUNTER_SCAN_ALONE_CYCLES) + digit(`FOVEAL_COUNTER_DMA_ALONE_CYCLES)
              + digit(`FOVEAL_COUNTER_DRAIN_CYCLES));
      assert (digit(`FOVEAL_COUNTER_FRAME_CYCLES) == digit(`FOVEAL_COUNTER_SCAN_CYCLES)
              + digit(`FOVEAL_COUNTER_DMA_WAIT_CYCLES) + digit(`FOVEAL_COUNTER_SCAN_IDLE_CYCLES));
      assert (digit(`FOVEAL_COUNTER_FRAME_CYCLES) == digit(`FOVEAL_COUNTER_FETCH_BEATS)
              + digit(`FOVEAL_COUNTER_FETCH_STALL_CYCLES) + digit(`FOVEAL_COUNTER_FETCH_LATENCY_CYCLES)
              + digit(`FOVEAL_COUNTER_FETCH_IDLE_CYCLES));
      assert (digit(`FOVEAL_COUNTER_FRAME_CYCLES) == digit(`FOVEAL_COUNTER_WRITE_BEATS)
              + digit(`FOVEAL_COUNTER_WRITE_STALL_CYCLES) + digit(`FOVEAL_COUNTER_WRITE_LATENCY_CYCLES)
              + digit(`FOVEAL_COUNTER_WRITE_IDLE_CYCLES));
      // What induction needs: the state, and the bands in their order.
      assert (now[0] == in_frame_reg && scanning_reg == \dut.scan_active_reg
              && was_open_reg <= (gate_open | token_reg | !run));
      if (run) assert (!gave_up_reg && loaded_reg == \dut.loaded_reg );
      if (run & \dut.u_plan.offered_reg & ~\dut.u_plan.valid_reg ) assert (loaded_reg);
      if (run & \dut.u_plan.finished_reg ) assert (\dut.u_plan.offered_reg || !\dut.u_plan.any_reg );
      if (!run) assert (!gate_open);
      if (idle_reg == 2'd1) assert (fair || \dut.state_reg == 2'd2);
      if (idle_reg == 2'd2) assert (fair);
      if (!in_frame_reg) assert (!scanning_reg);
      if (frame_end) assert (!scanning_reg);
      if (!run & ~gave_up_reg) assert (!raster && !token_reg && !gate_open && drawn_reg == asked_reg
              && scanned_reg == asked_reg);
      assert (\dut.u_plan.planned_reg || !\dut.u_plan.finished_reg );
      if (\dut.u_plan.valid_reg )
        assert (\dut.u_plan.planned_reg && \dut.u_plan.any_reg && !\dut.u_plan.finished_reg
                && \dut.u_plan.rows_reg != 0);
      if (run) begin
        assert (raster == (gate_open | token_reg) && !(gate_open & token_reg));
        assert (full[rd] ? full[~rd] ? wr_bank == rd && !raster : wr_bank != rd : !full[~rd] && wr_bank == rd);
        assert (!(raster & raster_band[7]) && !(full[rd] & older[7]) && !(full[~rd] & newer[7]));
        if (scanning_reg) assert (full[rd] && scan_bank_reg == rd);
        assert (\dut.u_plan.next_reg == (\dut.u_plan.valid_reg ? \dut.u_plan.index_reg + 8'd1 : ask_next_reg));
        if (\dut.u_plan.valid_reg ) assert (\dut.u_plan.index_reg >= ask_next_reg);
        if (next) assert (ask_next_reg == next_band + 8'd1 && next_band >= draw_next && \dut.next_rows_reg != 0);
        else assert (ask_next_reg == draw_next);
        if (raster) assert (draw_next == raster_band + 8'd1 && \dut.raster_rows_reg != 0);
        else assert (draw_next == (full[~rd] ? newer + 8'd1 : full[rd] ? older + 8'd1 : scan_next_reg));
        if (raster) assert (full[rd] ? older < raster_band : scan_next_reg <= raster_band);
        if (full[rd]) assert (older_rows != 0 && (scanning_reg
                ? older + 8'd1 == scan_next_reg : older >= scan_next_reg));
        if (full[~rd]) assert (newer_rows != 0 && newer > older);
        assert (asked_reg == {1'b0, at_next} + at_raster + at_newer + (at_older & ~scanning_reg) + scanned_reg);
        assert (asked_reg == drawn + at_next && asked_reg <= 1 && scanned_reg <= 1);
        if (at_older & scanning_reg) assert (scanned_reg == 1);
        assert ((asked_reg != 0) <= (ask_next_reg > watched));
        assert ((drawn != 0) <= (draw_next > watched));
        assert ((scanned_reg != 0) <= (scan_next_reg > watched));
        assert (ask_next_reg <= 8'd128 && draw_next <= ask_next_reg && scan_next_reg <= draw_next);
      end
      cover (frame_done & ~gave_up_reg & (scanned_reg == 1) & (draw_next_reg > watched + 1));
      cover (frame_done & gave_up_reg);
      cover (frame_done & ~\dut.u_plan.any_reg );
      cover (scanning_reg & gate_open & next);
    end

endmodule

`default_nettype wire
