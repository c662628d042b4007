// What goes in comes out: as often, in the same order, unchanged. One item is marked when it enters, at a moment that
// the solver picks; `ahead` counts the items that must leave before it. Since any item may be the marked one, the
// two assertions say that none is lost, doubled, changed or overtaken. `into` is what is expected to come out; `note` is
// kept with the marked item for further checks in the cycle in which it leaves.
`default_nettype none

module order_properties #(
    parameter WIDTH    = 1,
    parameter NOTE_W   = 1,
    parameter CAPACITY = 2  // items that can be inside at the same time
) (
    input wire             clk,
    input wire             rst_n,
    input wire             mark,   // free: mark the item that enters now
    input wire             push,
    input wire [WIDTH-1:0] into,
    input wire [NOTE_W-1:0] note,
    input wire             pop,
    input wire [WIDTH-1:0] out,
    output wire leaves,  // the marked item leaves now
    output wire held,  // the marked item is inside
    output wire [NOTE_W-1:0] leaving_note
);

  localparam CW = $clog2(CAPACITY + 1);

  reg  [   CW-1:0] inside_reg = 0;
  reg  [   CW-1:0] ahead_reg = 0;
  reg              marked_reg = 1'b0;
  reg              seen_reg = 1'b0;
  reg  [WIDTH-1:0] item_reg;
  reg  [NOTE_W-1:0] note_reg;
  assign leaving_note = note_reg;
  assign held = marked_reg & ~seen_reg;

  wire             takes = push & mark & ~marked_reg;
  assign leaves = marked_reg & ~seen_reg & pop & (ahead_reg == 0);

  always @(posedge clk) begin
    if (!rst_n) begin
      inside_reg <= 0;
      ahead_reg  <= 0;
      marked_reg <= 1'b0;
      seen_reg   <= 1'b0;
    end else begin
      inside_reg <= inside_reg + push - pop;
      if (takes) begin
        marked_reg <= 1'b1;
        item_reg   <= into;
        note_reg   <= note;
        ahead_reg  <= inside_reg - pop;
      end else if (pop & (ahead_reg != 0)) ahead_reg <= ahead_reg - 1'b1;
      if (leaves) seen_reg <= 1'b1;
    end
  end

  always @(posedge clk)
    if (rst_n) begin
      if (pop) assert (inside_reg != 0);
      if (push) assert (inside_reg != CAPACITY);
      if (leaves) assert (out == item_reg);
      cover (leaves);
    end

endmodule

`default_nettype wire
