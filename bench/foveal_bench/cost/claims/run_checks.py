"""Checks of claims about latency: this installation's own run, and the kernel's own counter."""

from __future__ import annotations

from typing import Any

from foveal.device import open_device
from foveal.errors import FovealError
from foveal.region import Region, RegionSet
from foveal.scene import reference

from foveal_bench.configuration_keys import BASELINE, MEASURED_CARD, accelerated
from foveal_bench.cost.claims.evidence import Evidence
from foveal_bench.cost.claims.verdict import Finding, Verdict

__all__ = ["card_latency", "gpu_latency", "injection", "latency_saving"]

CLAIMED_NS, CLAIMED_CARD_MS, CLAIMED_GPU_MS, CLAIMED_SAVING = 83.0, 14.1, 42.6, 0.67
NO_RUN = Finding(Verdict.UNCHECKED, None, "needs a run: `foveal bench`, then --run out/bench/run.json", "")


def injection(evidence: Evidence) -> Finding:
    """Region COMMIT to the first beat clipped by it, as the kernel counts it: in the run, else in one small frame."""
    if evidence.run is not None and evidence.run["summary"].get("injection"):
        found = evidence.run["summary"]["injection"]
        cycles, mhz, provenance = found["cycles_max"], found["clock_mhz"], found["provenance"]
    else:
        try:
            (cycles, mhz), provenance = _one_frame(), "simulated"
        except FovealError as error:
            return Finding(Verdict.UNCHECKED, None, f"no co-simulated card here: {error}", "")
    nanoseconds = cycles / mhz * 1e3
    if nanoseconds > CLAIMED_NS:
        return Finding(Verdict.CONTRADICTS, nanoseconds, f"{cycles:.0f} cycles at {mhz:.0f} MHz", provenance)
    reason = f"it is counted in the fabric, COMMIT to first clipped beat ({cycles:.0f} cycles at {mhz:.0f} MHz);"
    return Finding(
        Verdict.ONLY_IF, nanoseconds, f"{reason} a call from Python over PCIe takes microseconds", provenance
    )


def _one_frame() -> tuple[float, float]:
    card: Any = open_device("cosim")
    try:
        meshes, draw = reference.load(320, 180)
        card.load(meshes)
        frame = card.render(draw, RegionSet(draw.width, draw.height, (Region(8, 8, 40, 40),)))
        return float(frame.counters["roi_inject_cycles"]), card.clock_hz / 1e6
    finally:
        card.close()


def _latencies(evidence: Evidence) -> tuple[float, float, str] | None:
    """(baseline, card) medians in ms with the host's work, and the baseline's kind; None without a run."""
    if evidence.run is None:
        return None
    configurations = evidence.run["summary"]["configurations"]
    names = (BASELINE, accelerated(configurations))
    medians = [configurations.get(name, {}).get("latency_ms", {}).get("p50") for name in names]
    if not all(medians):
        return None
    return medians[0], medians[1], configurations[BASELINE]["kind"]


def card_latency(evidence: Evidence) -> Finding:
    """A frame of the card with regions."""
    if (found := _latencies(evidence)) is None:
        return NO_RUN
    verdict = Verdict.HOLDS if found[1] <= CLAIMED_CARD_MS else Verdict.CONTRADICTS
    assert evidence.run is not None
    measured = accelerated(evidence.run["summary"]["configurations"]).startswith(MEASURED_CARD)
    provenance = "measured" if measured else "simulated"
    return Finding(verdict, found[1], "median of this installation's run, host's work included", provenance)


def gpu_latency(evidence: Evidence) -> Finding:
    """A full frame on a GPU; a CPU that runs OpenCL says nothing about it."""
    if (found := _latencies(evidence)) is None:
        return NO_RUN
    baseline, _, kind = found
    if kind != "gpu":
        return Finding(Verdict.UNCHECKED, None, f"the run's OpenCL device is a {kind.upper()}", "")
    verdict = Verdict.HOLDS if abs(baseline / CLAIMED_GPU_MS - 1) <= 0.1 else Verdict.ONLY_IF
    return Finding(verdict, baseline, "the GPU is slower than this run's", "measured")


def latency_saving(evidence: Evidence) -> Finding:
    """Which baseline makes the claimed reduction true for the card of this run."""
    if (found := _latencies(evidence)) is None:
        return NO_RUN
    baseline, card, kind = found
    change = 100 * (card / baseline - 1)
    needed = card / (1 - CLAIMED_SAVING)
    name = kind.upper()
    verdict = Verdict.ONLY_IF
    if kind == "gpu":
        verdict = Verdict.HOLDS if card <= (1 - CLAIMED_SAVING) * baseline else Verdict.CONTRADICTS
    return Finding(
        verdict,
        change,
        f"the baseline takes at least {needed:.1f} ms a frame (this run's {name}: {baseline:.1f} ms,"
        f" card {card:.1f} ms); a baseline that is given the same regions is faster",
        "measured and simulated",
    )
