"""What the RTL benches share: a clocked loop of agents, streams, AXI memories and their protocol rules."""
