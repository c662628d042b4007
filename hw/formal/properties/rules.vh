// Two statements that the property sets are made of. A set checks a port that the design drives, or with
// ASSUMED describes what the design may expect of its neighbour; the same rule serves both.
`ifndef FOVEAL_RULES_VH
`define FOVEAL_RULES_VH

// `ok` holds at each clock edge at which `guard` does.
`define RULE(guard, ok) \
  generate if (ASSUMED) begin always @(posedge clk) if (guard) assume (ok); end \
  else begin always @(posedge clk) if (guard) assert (ok); end endgenerate

`endif
