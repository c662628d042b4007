// The counters of a frame, in the order of the register map (FRAME_CYCLES lowest): cycles by what they were spent
// on, events, and the totals that other modules keep. All wrap, and fill 32 bits each. They are cleared at
// frame_start and, once the frame is done, hold until the next one. Latency 1 cycle. Reset clears them.
`default_nettype none
`timescale 1ns / 1ps

`include "foveal_regs.vh"

module frame_stats #(
    parameter WIDTH = 32  // bits that a counter of this module has, 1 to 32
) (
    input  wire          clk,
    input  wire          rst_n,
    input  wire          frame_start,
    input  wire [   7:0] now,            // per cycle: running, fetch wait, raster, raster stall, scan, scan stall,
                                         // drain, material wait (bit 0 to 7)
    input  wire [   2:0] spent,          // per cycle: scan alone, material load alone, scan idle (bit 0 to 2)
    input  wire [   3:0] fetch,          // per cycle: beat, stall, latency, idle (bit 0 to 3), of gmem0
    input  wire [   3:0] write,          // the same of gmem1
    input  wire [   6:0] event_pulse,    // fetched, culled, walked, outside, empty, hidden, block (bit 0 to 6)
    input  wire [   7:0] bands_skipped,
    input  wire [  31:0] pixels_kept,
    input  wire [  31:0] out_bytes,
    input  wire [  31:0] rd_bursts,
    input  wire [  31:0] rd_bytes,
    input  wire [  31:0] wr_bursts,
    input  wire [  31:0] wr_bytes,
    output wire [32*`FOVEAL_FRAME_COUNTERS-1:0] frame_counters
);

  localparam COUNTED = 26;
  localparam BEFORE = 15;  // of them stand before the totals in the register map

  initial begin
    if (WIDTH < 1 || WIDTH > 32) begin
      $display("%m: WIDTH must be 1 to 32, it is %0d", WIDTH);
      $finish;
    end
  end

  reg  [COUNTED*WIDTH-1:0] count_reg;
  wire [      COUNTED-1:0] step = {write, fetch, spent, event_pulse, now};
  wire [   COUNTED*32-1:0] count;
  integer                  n;

  always @(posedge clk) begin
    if (!rst_n | frame_start) count_reg <= {COUNTED * WIDTH{1'b0}};
    else for (n = 0; n < COUNTED; n = n + 1) if (step[n]) count_reg[WIDTH*n+:WIDTH] <= count_reg[WIDTH*n+:WIDTH] + 1'b1;
  end

  genvar g;
  generate
    for (g = 0; g < COUNTED; g = g + 1) begin : g_count
      assign count[32*g+:WIDTH] = count_reg[WIDTH*g+:WIDTH];
      if (WIDTH < 32) begin : g_upper
        assign count[32*g+WIDTH+:32-WIDTH] = {32 - WIDTH{1'b0}};
      end
    end
  endgenerate

  assign frame_counters = {
    count[32*COUNTED-1:32*BEFORE],
    {wr_bytes, wr_bursts, rd_bytes, rd_bursts, out_bytes, pixels_kept, {24'd0, bands_skipped}},
    count[32*BEFORE-1:0]
  };

endmodule

`default_nettype wire
