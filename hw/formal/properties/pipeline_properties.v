// What goes into a pipeline comes out: once, unchanged, in order; for induction, so all places are in view. The source
// marks at most two items, by their top bits, which the design must only carry: `first` (1) and after it `second` (2).
// Since any two items may be the marked ones, none is lost, doubled, changed or overtaken. With `advances` an item that
// is not in the last place moves on in a cycle in which the sink is ready.
`default_nettype none

module pipeline_properties #(
    parameter WIDTH  = 8,  // bits of an item, its mark included
    parameter PLACES = 3
) (
    input  wire                    clk,
    input  wire                    rst_n,
    input  wire                    offered,   // an item is at the entrance
    input  wire                    enters,
    input  wire [       WIDTH-1:0] into,
    input  wire [      PLACES-1:0] valid,     // the place next to the entrance lowest
    input  wire [PLACES*WIDTH-1:0] items,
    input  wire                    leaves,    // the item in the last place
    input  wire                    advances,
    output wire [       WIDTH-1:0] first,
    output wire [       WIDTH-1:0] second,
    output wire                    first_inside,
    output wire                    second_leaves
);

  (* anyconst *) reg [WIDTH-1:0] first_item;
  (* anyconst *) reg [WIDTH-1:0] second_item;
  assign first = first_item;
  assign second = second_item;

  wire [1:0] mark = into[WIDTH-1-:2];
  reg first_in_reg = 1'b0;
  reg first_out_reg = 1'b0;
  reg second_in_reg = 1'b0;
  reg second_out_reg = 1'b0;
  reg moves_reg = 1'b0;
  reg [PLACES-1:0] was_first_reg;
  wire [PLACES-1:0] is_first, is_second;
  assign first_inside  = is_first != 0;
  assign second_leaves = leaves & is_second[PLACES-1];

  always @* begin
    assume (first_item[WIDTH-1-:2] == 2'd1 && second_item[WIDTH-1-:2] == 2'd2);
    if (offered) begin
      assume (mark != 2'd3);
      if (mark == 2'd1) assume (!first_in_reg && into == first_item);
      if (mark == 2'd2) assume (first_in_reg && !second_in_reg && into == second_item);
    end
  end

  genvar i;
  generate
    for (i = 0; i < PLACES; i = i + 1) begin : g_place
      wire [WIDTH-1:0] item = items[WIDTH*i+:WIDTH];
      assign is_first[i]  = valid[i] & (item[WIDTH-1-:2] == 2'd1);
      assign is_second[i] = valid[i] & (item[WIDTH-1-:2] == 2'd2);
      always @(posedge clk)
        if (rst_n) begin
          if (is_first[i]) assert (item == first_item);
          if (is_second[i]) assert (item == second_item);
          if (valid[i]) assert (item[WIDTH-1-:2] != 2'd3);
        end
    end
  endgenerate

  always @(posedge clk) begin
    moves_reg     <= rst_n & advances;
    was_first_reg <= is_first;
    if (!rst_n) begin
      first_in_reg   <= 1'b0;
      first_out_reg  <= 1'b0;
      second_in_reg  <= 1'b0;
      second_out_reg <= 1'b0;
    end else begin
      first_in_reg   <= first_in_reg | (enters & (mark == 2'd1));
      second_in_reg  <= second_in_reg | (enters & (mark == 2'd2));
      first_out_reg  <= first_out_reg | (leaves & is_first[PLACES-1]);
      second_out_reg <= second_out_reg | (leaves & is_second[PLACES-1]);
      assert ((is_first != 0) == (first_in_reg && !first_out_reg) && (is_first & (is_first - 1)) == 0);
      assert ((is_second != 0) == (second_in_reg && !second_out_reg) && (is_second & (is_second - 1)) == 0);
      assert (first_in_reg || !(first_out_reg || second_in_reg));
      if (second_out_reg) assert (second_in_reg && first_out_reg);
      if (is_first != 0) assert (is_second < is_first);
      if (moves_reg & (was_first_reg != 0) & ~was_first_reg[PLACES-1]) assert (is_first == was_first_reg << 1);
      cover (second_leaves);
    end
  end

endmodule

`default_nettype wire
