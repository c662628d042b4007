# Timing of foveal_kernel by itself (make timing). On a card the platform makes the clock and v++ its constraint.
# 300 MHz. One clock and a synchronous reset: no path is exempt, none takes more than one cycle.
create_clock -name ap_clk -period 3.333 [get_ports ap_clk]

# The registers and memories around the kernel get a third of the cycle.
set_input_delay -clock ap_clk 1.111 [get_ports -filter {DIRECTION == IN && NAME != ap_clk}]
set_output_delay -clock ap_clk 1.111 [get_ports -filter {DIRECTION == OUT}]
