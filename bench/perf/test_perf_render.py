"""Renders of the reference street: full frame and region sets, on what is here.

Compare rows within one run only. The co-simulated card's wall time is the simulator's, never the card's: the card's
cycles stand in `extra_info` and in a table of their own.
"""

from foveal.provenance import Provenance


def note(benchmark, frame, device) -> None:
    benchmark.extra_info |= {
        "device": device.info.name,
        "kind": device.info.kind,
        "region_share": round(frame.regions.share, 4),
        "latency_ms": round(frame.latency_ns / 1e6, 4),
        "provenance": " + ".join(sorted({str(stage.provenance) for stage in frame.stages})),
    }


def test_opencl(benchmark, street, opencl, share):
    opencl.render(street[1], share)
    frame = benchmark.pedantic(opencl.render, args=(street[1], share), rounds=15, warmup_rounds=2)
    note(benchmark, frame, opencl)


def test_golden_model(benchmark, street, model, share):
    model.render(street[1], share)
    frame = benchmark.pedantic(model.render, args=(street[1], share), rounds=3)
    benchmark.extra_info["region_share"] = round(frame.regions.share, 4)


def test_cosimulation(benchmark, street, cosim, share, notes):
    cosim.render(street[1], share)
    frame = benchmark.pedantic(cosim.render, args=(street[1], share), rounds=3)
    note(benchmark, frame, cosim)
    cycles = frame.counters["frame_cycles"]
    simulated = [stage for stage in frame.stages if stage.provenance is Provenance.SIMULATED]
    benchmark.extra_info |= {
        "kernel_cycles": cycles,
        "records": frame.counters["tri_fetched"],
        "blocks": frame.counters["blocks_covered"],
        "bytes": frame.counters["out_bytes"],
        "stage_cycles": {stage.name: round(stage.time_ns * cosim.clock_hz / 1e9) for stage in simulated},
        "simulated_cycles_per_wall_second": round(cycles / benchmark.stats.stats.median),
    }
    notes.append(dict(benchmark.extra_info))
