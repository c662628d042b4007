"""Figures of a run, worked out by hand from painted frames."""

import json
import re
from datetime import date

import pytest
from fakes import Painter, make_step
from foveal.provenance import Provenance
from foveal_bench.console import facts, print_summary
from foveal_bench.cost.book import load_book
from foveal_bench.loop import Configuration, FrameLoop
from foveal_bench.report import render_report
from foveal_bench.store import RecordStore, load
from foveal_bench.summary import summarise_run
from foveal_bench.verdict import Verdict
from rich.console import Console

COUNTERS = {
    "roi_inject_cycles": 6,
    "roi_wait_cycles": 900,
    "roi_inject_min": 5,
    "roi_inject_max": 9,
    "dma_loads": 1,
    "dma_skipped": 5,
    "dma_bytes": 1024,
    "rd_bytes": 2_000_000,
    "rd_bursts": 500,
    "wr_bytes": 3_700,
    "wr_bursts": 2,
}
PRICED = {"prices": load_book(), "streams": 4, "card": "U280", "today": date(2026, 1, 1)}


@pytest.fixture
def run(tmp_path):
    card = Painter(1e6, Provenance.SIMULATED, counters=COUNTERS)
    configurations = [
        Configuration("opencl-full", "OpenCL, full frame", Painter(40e6), full=True),
        Configuration("opencl-region", "OpenCL, regions", Painter(20e6), full=False),
        Configuration("cosim-full", "card, full frame", Painter(4e6, Provenance.SIMULATED), full=True, every=4),
        Configuration("cosim-region", "card, regions", card, full=False, exact=True),
    ]
    with RecordStore(tmp_path) as store:
        loop = FrameLoop(
            configurations, Painter(), store, Verdict(), seed=1, picture_every=4, on_picture=lambda step, frames: None
        )
        for tick in range(66):
            loop.run(make_step(tick))
    records = load(tmp_path)
    devices = {c.key: {"label": c.label, "kind": "cpu", "device": "Painter", "detail": {}} for c in configurations}
    devices["cosim-region"]["clock_hz"] = 300e6
    summary = summarise_run(records, devices, seed=1, **PRICED)
    document = {
        "verdict": "VALID",
        "reasons": [],
        "headline": "a headline",
        "started": "2026-01-01T00:00:00Z",
        "source": "a test",
        "options": {"ticks": 66, "width": 64, "height": 48, "seed": 1},
        "environment": {"processor": "p", "cores": 1, "commit": None, "versions": {"foveal": "0"}},
        "summary": summary,
    }
    return document, records


def test_medians_stages_and_provenance(run):
    summary = run[0]["summary"]
    full = summary["configurations"]["opencl-full"]
    assert full["latency_ms"]["p50"] == 80.0
    assert full["latency_ms"]["p90"] == 120.0
    assert full["latency_ms"]["p99"] is None
    assert full["stages"] == [
        {"name": "paint", "p50": 80.0, "p90": 120.0, "max": 120.0, "n": 66, "median": 80.0, "provenance": "measured"}
    ]
    sparse = summary["configurations"]["cosim-full"]["latency_ms"]
    assert (sparse["n"], sparse["p90"]) == (17, None)


def test_ratios_use_shared_ticks_only(run):
    ratios = {(r["of"], r["to"]): r for r in run[0]["summary"]["ratios"]}
    assert ratios["opencl-region", "opencl-full"]["value"] == pytest.approx(0.5)
    assert ratios["cosim-region", "cosim-full"]["value"] == pytest.approx(0.25)
    assert ratios["cosim-region", "cosim-full"]["n"] == 17


def test_injection_is_cycles_over_the_clock_apart_from_the_wait(run):
    injection = run[0]["summary"]["injection"]
    assert injection["ns_p50"] == pytest.approx(20.0)
    assert injection["wait_ns_p50"] == pytest.approx(3000.0)
    # the extremes are the kernel's own, of every set since its reset
    assert (injection["cycles_min"], injection["cycles_max"]) == (5, 9)
    assert injection["ns_max"] == pytest.approx(30.0)


def test_region_share_and_dma_counts(run):
    summary = run[0]["summary"]
    assert summary["regions"]["share_p50"] == pytest.approx(37 * 25 / (64 * 48))
    assert summary["dma"] == {"dma_loads": 1, "dma_skipped": 5, "dma_bytes": 1024}


def test_a_cpu_baseline_claims_no_saving(run):
    claim, own = run[0]["summary"]["cost"]["scenarios"]
    assert float(claim["fleets"][0]["total"]) == pytest.approx(28630, abs=1)
    assert claim["saving_percent"] == pytest.approx(41.6, abs=0.05)
    assert own["saving_percent"] is None
    assert "CPU that stands in" in own["provenance"]


def test_the_gpu_that_is_given_the_regions_is_priced_too(run):
    own = run[0]["summary"]["cost"]["scenarios"][1]
    assert [fleet["label"] for fleet in own["fleets"]] == [
        "GPU only, this run",
        "GPU, same regions, this run",
        "FPGA + regions, this run",
    ]
    assert [fleet["frame_ms"] for fleet in own["fleets"]] == [80.0, 40.0, 2.0]
    assert [fleet["nodes"] for fleet in own["fleets"]] == [10, 5, 1]
    assert own["fleets"][0]["missed"] is not None
    assert own["fleets"][2]["missed"] is None


def test_the_run_s_own_fpga_fleet_is_charged_its_engineering(run):
    claim, own = run[0]["summary"]["cost"]["scenarios"]
    assert [float(fleet["engineering"]) for fleet in own["fleets"]] == [0, 0, 45000]
    assert [float(fleet["engineering"]) for fleet in claim["fleets"]] == [0, 0]


def test_old_recalled_and_discontinued_prices_are_named(run):
    warnings = " ".join(run[0]["summary"]["cost"]["warnings"])
    assert "U280 purchase: is recalled" in warnings
    assert "end of life" in warnings


def test_the_page_has_the_cost_with_bars_curve_and_tornado(run):
    document, records = run
    page = render_report(document, records, [])
    cost = document["summary"]["cost"]
    assert cost["curve"]["break_even"] == 18
    assert [float(line["totals"][3]) for line in cost["curve"]["lines"]][::2] == [28630.33, 16719.28]
    section = page[page.index('id="cost"') : page.index('id="devices"')]
    assert section.count("<svg") == 3
    for text in ("claimed: GPU only, 28,500", "break-even with engineering, 18 streams", "is recalled, not quoted"):
        assert text in section
    for swing in cost["tornado"][:5]:
        assert swing["name"] in section
    table = page[page.index('id="assumptions"') :]
    for row in cost["assumptions"]:
        assert f'<td class="l name">{row["name"]}</td>' in table
        assert len(row["value"]) <= 9
    invalid = render_report(document | {"verdict": "INVALID"}, records, [])
    assert 'id="cost"' not in invalid


def test_a_run_too_short_for_a_median_still_shows_the_claim_s_fleets(run):
    _, records = run
    few = records[records["tick"] < 3]
    facts_of = {name: {"label": name, "kind": "cpu", "device": "d", "detail": {}} for name in set(few["configuration"])}
    summary = summarise_run(few, facts_of, seed=1, **PRICED)
    assert len(summary["cost"]["scenarios"]) == 1
    assert "<svg" in render_report(run[0] | {"summary": summary}, few, [])


def test_too_few_shared_ticks_give_no_ratio(run):
    _, records = run
    few = records[(records["configuration"] != "cosim-full") | (records["tick"] < 20)]
    facts_of = {name: {"label": name, "kind": "cpu", "device": "d", "detail": {}} for name in set(few["configuration"])}
    ratios = summarise_run(few, facts_of, seed=1, **PRICED)["ratios"]
    assert [(r["of"], r["to"]) for r in ratios] == [("opencl-region", "opencl-full")]


def test_counters_since_opening_are_not_averaged(run):
    counters = run[0]["summary"]["configurations"]["cosim-region"]["counters"]
    assert counters == {name: COUNTERS[name] for name in counters}
    assert not any(name.startswith(("dma_", "roi_inject")) for name in counters)


def test_everything_shown_is_plain_json_without_nan(run):
    json.loads(json.dumps(run[0], allow_nan=False))


def test_console_and_page_show_each_configuration_and_fact(run):
    document, records = run
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    print_summary(console, document)
    text = console.export_text()
    page = render_report(document, records, [])
    for name in ("OpenCL, full frame", "card, regions", "not claimable"):
        assert name in text
        assert name in page
    for fact in facts(document["summary"]):
        assert fact.split(":")[0].split("(")[0].strip() in page
    assert not re.search(r"(src|href)=['\"](?!data:|#)", page), "the page must not load anything"
