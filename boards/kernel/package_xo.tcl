# Package the RTL kernel for v++: hw/rtl and kernel.xml to foveal_kernel.xo.
#   vivado -mode batch -source package_xo.tcl -tclargs PART RTL_FOLDER KERNEL_XML WORK_FOLDER FILE.xo
# Registers and memory ports are those of kernel.xml; hw/packaging/consistency.py compares it with the RTL beforehand.

if {$argc != 5} {
    puts stderr "package_xo.tcl: expected PART RTL_FOLDER KERNEL_XML WORK_FOLDER FILE.xo"
    exit 2
}
lassign $argv part rtl kernel_xml work xo
set top foveal_kernel
set memory_ports {m_axi_gmem0 m_axi_gmem1 m_axi_gmem2}
# At rest with SHADE_PORT = 0 and nothing that samples textures: not part of the packaged kernel.
set resting_streams {m_axis_shade s_axis_shade s_axis_tex m_axis_tex}

file delete -force $work
create_project -part $part $top $work/project
add_files -norecurse [glob $rtl/*.v $rtl/*.vh]
set_property top $top [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir $work/ip -vendor foveal -library kernel -taxonomy /KernelIP -import_files -set_current true
set core [ipx::current_core]
set_property name $top $core
set_property version 1.0 $core
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
# The parameters stay at the values that were verified and that kernel.xml describes.
foreach parameter [ipx::get_user_parameters -of_objects $core] {
    ipx::remove_user_parameter [get_property name $parameter] $core
}

# Streams become plain pins: inputs at 0, outputs open.
foreach stream $resting_streams {
    if {[ipx::get_bus_interfaces -quiet $stream -of_objects $core] ne ""} {
        ipx::remove_bus_interface $stream $core
    }
    foreach port [ipx::get_ports -of_objects $core -filter "NAME =~ ${stream}_* && DIRECTION == in"] {
        set_property driver_value 0 $port
    }
}

# One clock and one reset, active low, for everything; the link chooses the frequency.
ipx::infer_bus_interface ap_clk xilinx.com:signal:clock_rtl:1.0 $core
ipx::infer_bus_interface ap_rst_n xilinx.com:signal:reset_rtl:1.0 $core
ipx::infer_bus_interface interrupt xilinx.com:signal:interrupt_rtl:1.0 $core
foreach bus [concat s_axi_control $memory_ports] {
    ipx::associate_bus_interfaces -busif $bus -clock ap_clk $core
}
ipx::associate_bus_interfaces -clock ap_clk -reset ap_rst_n $core
set clock [ipx::get_bus_interfaces ap_clk -of_objects $core]
set_property value -1 [ipx::add_bus_parameter -quiet FREQ_TOLERANCE_HZ $clock]
set reset [ipx::get_bus_interfaces ap_rst_n -of_objects $core]
set_property value ACTIVE_LOW [ipx::add_bus_parameter -quiet POLARITY $reset]

# The register map as the block design shows it: control registers, then the arguments of kernel.xml.
set map [ipx::add_memory_map -quiet s_axi_control $core]
set_property slave_memory_map_ref s_axi_control [ipx::get_bus_interfaces s_axi_control -of_objects $core]
set block [ipx::add_address_block -quiet reg0 $map]
set_property range 4096 $block
foreach {name offset} {CTRL 0x000 GIE 0x004 IER 0x008 ISR 0x00C} {
    set register [ipx::add_register -quiet $name $block]
    set_property address_offset $offset $register
    set_property size 32 $register
}
set file [open $kernel_xml]
set text [read $file]
close $file
foreach argument [regexp -all -inline {<arg [^>]*>} $text] {
    foreach key {name port size offset} {
        regexp "\\m$key=\"(\[^\"\]*)\"" $argument -> $key
    }
    set register [ipx::add_register -quiet $name $block]
    set_property address_offset $offset $register
    set_property size [expr {8 * $size}] $register
    if {$port ne "s_axi_control"} {
        set_property value $port [ipx::add_register_parameter -quiet ASSOCIATED_BUSIF $register]
    }
}

set_property supported_families {} $core
set_property auto_family_support_level level_2 $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity -kernel $core
ipx::save_core $core
close_project -delete

file delete -force $xo
package_xo -xo_path $xo -kernel_name $top -ip_directory $work/ip -kernel_xml $kernel_xml
