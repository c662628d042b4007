"""`foveal bench --xclbin`: a run on a card, here on XRT's stand-in, judged by the timing report of the image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from foveal_bench.options import BenchOptions
from foveal_bench.progress import Progress
from foveal_bench.run import bench
from foveal_sim.xrt import SimulatedXrt
from rich.console import Console
from timing_text import report
from xrt_double import write_image


@pytest.fixture
def run_on_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run three small ticks on the stand-in, with this text (None: no report) beside the image."""
    monkeypatch.setattr("foveal.xrt.device.load_library", SimulatedXrt)
    image = write_image(tmp_path)

    def run(timing: str | None) -> dict[str, Any]:
        if timing is not None:
            image.with_suffix(".timing.rpt").write_text(timing)
        options = BenchOptions(
            tmp_path / "out", ticks=3, width=192, height=108, full_every=3, overlap=2, xclbin=image, fault=None
        )
        made, early = bench(options, Progress(Console(quiet=True)))
        assert early is None
        return made

    return run


def test_a_run_on_a_card_is_valid_where_timing_is_closed(run_on_card: Any) -> None:
    run = run_on_card(report())
    assert run["verdict"] == "VALID", run["reasons"]
    assert set(run["summary"]["configurations"]) == {"opencl-full", "opencl-region", "card-full", "card-region"}
    for when in ("before", "after"):
        (told,) = run["telemetry"][when]
        assert (told["device"], {sample["metric"] for sample in told["samples"]}) == ("card", {"card.clock"})
    assert run["summary"]["checked"]["card-region"] == {"frames": 3, "compared": 3, "pixels_different": 0}
    assert run["timing"]["setup_ns"] == 0.021
    assert run["card_model"] is None  # nothing of a card is modelled by the board's figures


def test_a_run_on_an_image_of_which_nothing_is_known_is_invalid(run_on_card: Any) -> None:
    run = run_on_card(None)
    assert run["verdict"] == "INVALID"
    assert "timing of the image is unknown" in run["reasons"][0]
    assert run["headline"] is None
