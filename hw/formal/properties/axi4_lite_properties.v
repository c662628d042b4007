// The five channels of an AXI4-Lite port whose slave is the design: handshakes, one response a write (not before its
// address and data are both there) and one a read, and only OKAY or SLVERR. The master's handshakes are assumed.
`default_nettype none
`include "rules.vh"

module axi4_lite_properties #(
    parameter ADDR_W = 12
) (
    input wire              clk,
    input wire              rst_n,
    input wire [ADDR_W-1:0] awaddr,
    input wire              awvalid,
    input wire              awready,
    input wire [      31:0] wdata,
    input wire [       3:0] wstrb,
    input wire              wvalid,
    input wire              wready,
    input wire [       1:0] bresp,
    input wire              bvalid,
    input wire              bready,
    input wire [ADDR_W-1:0] araddr,
    input wire              arvalid,
    input wire              arready,
    input wire [      31:0] rdata,
    input wire [       1:0] rresp,
    input wire              rvalid,
    input wire              rready
);

  stream_properties #(
      .WIDTH  (ADDR_W),
      .ASSUMED(1)
  ) write_address (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (awvalid),
      .ready  (awready),
      .payload(awaddr)
  );

  stream_properties #(
      .WIDTH  (36),
      .ASSUMED(1)
  ) write_data (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (wvalid),
      .ready  (wready),
      .payload({wdata, wstrb})
  );

  stream_properties #(
      .WIDTH(2)
  ) write_response (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (bvalid),
      .ready  (bready),
      .payload(bresp)
  );

  stream_properties #(
      .WIDTH  (ADDR_W),
      .ASSUMED(1)
  ) read_address (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (arvalid),
      .ready  (arready),
      .payload(araddr)
  );

  stream_properties #(
      .WIDTH(34)
  ) read_data (
      .clk    (clk),
      .rst_n  (rst_n),
      .valid  (rvalid),
      .ready  (rready),
      .payload({rresp, rdata})
  );

  reg [1:0] addresses_reg = 2'd0;  // taken and not answered
  reg [1:0] data_reg = 2'd0;
  reg [1:0] reads_reg = 2'd0;
  reg [1:0] write_late_reg = 2'd0;  // cycles in which an answer was due and not offered
  reg [1:0] read_late_reg = 2'd0;
  always @(posedge clk) begin
    if (!rst_n) begin
      addresses_reg <= 2'd0;
      data_reg      <= 2'd0;
      reads_reg     <= 2'd0;
      write_late_reg <= 2'd0;
      read_late_reg  <= 2'd0;
    end else begin
      addresses_reg <= addresses_reg + (awvalid & awready) - (bvalid & bready);
      data_reg      <= data_reg + (wvalid & wready) - (bvalid & bready);
      reads_reg     <= reads_reg + (arvalid & arready) - (rvalid & rready);
      write_late_reg <= addresses_reg != 0 & data_reg != 0 & ~bvalid ? write_late_reg + 1 : 2'd0;
      read_late_reg  <= reads_reg != 0 & ~rvalid ? read_late_reg + 1 : 2'd0;
      if (bvalid) assert (addresses_reg != 0 && data_reg != 0);
      if (rvalid) assert (reads_reg != 0);
      assert (addresses_reg != 2'd3 && data_reg != 2'd3 && reads_reg != 2'd3);
      if (bvalid) assert (bresp == 2'b00 || bresp == 2'b10);
      if (rvalid) assert (rresp == 2'b00 || rresp == 2'b10);
      assert (write_late_reg < 2'd2 && read_late_reg < 2'd2);
      cover (bvalid & bready & (bresp == 2'b10));
      cover (rvalid & rready & (rresp == 2'b00) & (reads_reg == 2'd2));
    end
  end

endmodule

`default_nettype wire
