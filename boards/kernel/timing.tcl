# Synthesise, place and route the RTL kernel by itself and report its timing.
#   vivado -mode batch -source timing.tcl -tclargs PART RTL_FOLDER CONSTRAINTS.xdc REPORT.rpt

if {$argc != 4} {
    puts stderr "timing.tcl: expected PART RTL_FOLDER CONSTRAINTS.xdc REPORT.rpt"
    exit 2
}
lassign $argv part rtl constraints report
read_verilog [glob $rtl/*.v]
read_xdc -mode out_of_context $constraints
synth_design -top foveal_kernel -part $part -include_dirs $rtl -mode out_of_context
opt_design
place_design
phys_opt_design
route_design
report_timing_summary -report_unconstrained -file $report
