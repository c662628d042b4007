// For foveal_kernel in co-simulation only (FOVEAL_REST): a clock for each part that is often at rest, and when it is.
// A bit of at_rest is high in a cycle in which its part neither takes nor gives anything and no counter in it runs.
// After a few such cycles in a row the pipelines inside have settled and edges would change no register, so the host
// leaves that part's clock out (rest.hpp) until its bit falls, and the simulation of it with it.
// The bits depend on registers alone, but for gmem0's RVALID, which stays while the kernel does not take it.

reg clk_regs  /* verilator public_flat_rw */;
reg clk_materials  /* verilator public_flat_rw */;
reg clk_pixels  /* verilator public_flat_rw */;
reg clk_records  /* verilator public_flat_rw */;

wire runs = rst_n & ~frame_start;

// Registers: no access in flight, no frame that begins or ends, no set on its way, nothing to note in STATUS.
wire regs_rest = runs & ~frame_done & (u_regs.hold_reg == 3'd0) & ~u_regs.aw_full_reg & ~u_regs.w_full_reg
                 & ~u_regs.ar_full_reg & (u_regs.state_reg != 2'd1) & ~(u_regs.start_reg & (u_regs.state_reg == 2'd0))
                 & ~u_regs.sets.tracking_reg & ~u_regs.sets.waiting_reg
                 & ~(u_regs.fault0 | u_regs.fault1 | u_regs.fault2 | u_regs.fault3 | dma_error);

// Material table, texture pages and samples.
wire materials_rest = runs & ~mat_pending & ~mat_invalidate & ~tex_invalidate & ~mat_undrained & ~u_dma.reader_busy
                      & ~u_dma.reader.firewall.owed & ~m_axi_gmem2_arvalid & (g_tex.u_tex.valid_reg == 6'd0);

// From the scan to gmem1. Pixels that do not fill a beat yet may stay in the packing.
wire pixels_rest = runs & ~mat_pending & ~roi_change & ~start_valid & ~scan_busy & ~clip_active & ~shade_busy & ~frame_end
                   & ~u_write.u_pack.in_valid_reg & ~u_write.u_pack.dense_valid_reg & ~u_write.pack_m_valid
                   & u_write.place_drained & (u_axi_write.plan_count == 5'd0) & ~u_axi_write.owed & ~write_undrained
                   & ~m_axi_gmem1_awvalid;

// Fetch and cull: mostly held up by the raster, with records waiting at gmem0.
wire records_rest = runs & ~fetch_timed_out & ~fetch_undrained & ~m_axi_gmem0_arvalid
                    & (~u_fetch.reader.firewall.owed | (m_axi_gmem0_rvalid & ~m_axi_gmem0_rready))
                    & ~(load_valid & load_ready) & ~(band_valid & band_ready) & ~(tri_valid & tri_ready)
                    & ~(culled_valid & culled_ready);

wire [3:0] at_rest  /* verilator public_flat_rd */ = {records_rest, pixels_rest, materials_rest, regs_rest};
