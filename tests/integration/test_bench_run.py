"""`foveal bench` from end to end on a small picture, and what it says when something goes wrong.

Each run is a process of its own, as a user starts it.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from foveal_bench.store import load
from timing_text import report as timing_summary

SMALL = ["--ticks", "24", "--full-every", "4"]
SIZE = ["--size", "320x180"]
COMMAND = [sys.executable, "-c", "from foveal_bench.cli import main; main()"]


def bench(out: Path, *arguments: str, command: list[str] = COMMAND) -> subprocess.CompletedProcess[str]:
    size = [] if "--trace" in arguments else SIZE
    words = [*command, "bench", "--out", str(out), *SMALL, *size, *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture(scope="module")
def valid_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("bench")
    return out, bench(out)


def test_a_run_ends_valid_and_leaves_its_results(valid_run):
    out, done = valid_run
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("foveal bench: VALID")
    run = json.loads((out / "run.json").read_text())
    assert run["headline"]
    assert run["summary"]["ticks"] == 24
    assert set(run["summary"]["configurations"]) == {"opencl-full", "opencl-region", "cosim-full", "cosim-region"}
    assert run["summary"]["checked"]["cosim-region"] == {"frames": 24, "compared": 24, "pixels_different": 0}
    assert run["depth"] == {"frames": 6, "values_different": 0}
    assert len(load(out)) == 24 + 24 + 24 + 6
    assert "</html>" in (out / "report.html").read_text()


def test_every_stage_has_a_provenance_and_none_is_wall_time_of_a_simulator(valid_run):
    configurations = json.loads((valid_run[0] / "run.json").read_text())["summary"]["configurations"]
    for name, figures in configurations.items():
        for stage in figures["stages"]:
            measured = stage["provenance"] == "measured"
            host = stage["name"] in ("region", "scene")
            assert measured == (host or name.startswith("opencl")), (name, stage)


def test_the_fabric_interval_is_counted_by_the_kernel_and_small(valid_run):
    injection = json.loads((valid_run[0] / "run.json").read_text())["summary"]["injection"]
    assert injection["cycles_max"] in range(1, 6)  # hw/SPEC.md section 6
    assert injection["ns_max"] == pytest.approx(injection["cycles_max"] * 1e3 / injection["clock_mhz"])


def test_the_zone_spares_loads(valid_run):
    dma = json.loads((valid_run[0] / "run.json").read_text())["summary"]["dma"]
    assert dma["dma_skipped"] > 0
    assert dma["dma_bytes"] == 1024 * dma["dma_loads"]


def test_a_recorded_drive_gives_the_same_pictures_without_a_server(valid_run, tmp_path):
    out, _ = valid_run
    done = bench(tmp_path, "--trace", str(out / "drive.trace"))
    assert done.returncode == 0, done.stdout + done.stderr
    columns = ["tick", "configuration", "region_share", "region_count", "count.frame_cycles", "count.pixels_kept"]
    key = ["configuration", "tick"]
    first, second = (load(folder)[columns].sort_values(key).reset_index(drop=True) for folder in (out, tmp_path))
    assert first.equals(second)
    options = json.loads((tmp_path / "run.json").read_text())["options"]
    assert (options["width"], options["height"], options["map"]) == (320, 180, None)


def test_waves_of_a_tick_come_from_the_same_frame(tmp_path, valid_run):
    """The run itself must not change: every counter of the frame is that of the run without waves."""
    wave = tmp_path / "frame.vcd"
    trace = str(valid_run[0] / "drive.trace")
    done = bench(tmp_path / "out", "--trace", trace, "--ticks", "2", "--wave", str(wave), "--wave-tick", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"waves: {wave}" in done.stdout
    assert wave.read_bytes()[:4096].count(b"$scope") > 0
    counters = [c for c in load(tmp_path / "out").columns if c.startswith("count.")]

    def frame(folder):
        records = load(folder)
        return records[(records.configuration == "cosim-region") & (records.tick == 1)][counters].iloc[0]

    assert frame(tmp_path / "out").equals(frame(valid_run[0]))


def test_a_tick_for_waves_that_the_trace_does_not_have_is_refused_at_once(tmp_path, valid_run):
    wave = ["--wave", str(tmp_path / "frame.vcd"), "--wave-tick", "24"]
    done = bench(tmp_path / "out", "--trace", str(valid_run[0] / "drive.trace"), "--ticks", "30", *wave)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "error: the drive has no tick 24; name one below 24 by --wave-tick" in done.stderr
    assert not (tmp_path / "frame.vcd").exists()


def test_one_corrupted_pixel_is_invalid_without_a_headline(tmp_path, valid_run):
    done = bench(tmp_path, "--trace", str(valid_run[0] / "drive.trace"), "--corrupt", "9,160,100")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "pixels differ from the golden model" in done.stdout
    assert done.stdout.rstrip().endswith("foveal bench: INVALID")
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["headline"] is None
    assert "cosim-region, tick 9: 1 pixels, the first at x 160, y 100" in run["reasons"][0]


def test_the_card_ends_frames_more_often_when_several_are_in_flight(valid_run):
    overlap = json.loads((valid_run[0] / "run.json").read_text())["summary"]["overlap"]
    assert (overlap["frames"], overlap["pixels_different"]) == (12, 0)
    assert overlap["provenance"] == "modelled + simulated"
    assert overlap["period_ms"] < overlap["serial_ms"] < overlap["latency_ms"]
    assert "in flight together" in (valid_run[0] / "report.html").read_text()


@pytest.mark.parametrize(
    ("fault", "where", "words"),
    [
        ("slverr@5", "the card's depth, tick 0: ", "memory port gmem0 answered SLVERR"),
        ("lost_interrupt@6", "cosim-region, tick 1: ", "its interrupt was lost"),
        ("slverr:gmem1@15", "cosim-region, overlapped: ", "memory port gmem1 answered SLVERR"),
    ],
)
def test_a_card_that_fails_makes_the_run_invalid_without_a_headline(tmp_path, valid_run, fault, where, words):
    """Frames 0 to 2 warm up, 3 to 12 are those of six ticks (6 regions, 2 full, 2 depth), 13 to 18 are overlapped."""
    trace = ["--trace", str(valid_run[0] / "drive.trace"), "--ticks", "6"]
    run = _told_to_fail(bench(tmp_path, *trace, "--fault", fault), tmp_path, fault, where, words)
    assert run["summary"]["configurations"]["cosim-region"]["latency_ms"]["n"] > 0
    assert len(load(tmp_path)) > 0


@pytest.mark.parametrize(
    ("fault", "where", "words"),
    [
        ("foreign", "before the first frame: ", "it does not hold a Foveal kernel"),
        ("full@0", "before the first frame: ", "device memory is full"),
        ("hang", "cosim-full, warm-up: ", "it hangs"),
        ("slverr@2", "cosim-region, warm-up: ", "memory port gmem0 answered SLVERR"),
    ],
)
def test_a_card_that_fails_before_the_first_tick_makes_the_run_invalid(tmp_path, valid_run, fault, where, words):
    """Nothing was measured yet: the report has the reasons alone."""
    trace = ["--trace", str(valid_run[0] / "drive.trace"), "--ticks", "3"]
    run = _told_to_fail(bench(tmp_path, *trace, "--fault", fault), tmp_path, fault, where, words)
    assert run["summary"] is None
    assert not (tmp_path / "frames.parquet").exists()


def _told_to_fail(done, out, fault, where, words):
    """What every run of a failing card ends in; the content of its run.json."""
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("foveal bench: INVALID")
    output = done.stdout + done.stderr
    assert output.count(words) == 1, output
    assert f"a device failed: {where}" in done.stdout
    assert f"--fault {fault} counts the frames that the card draws, from 0 and warm-up included" in done.stdout
    run = json.loads((out / "run.json").read_text())
    assert (run["verdict"], run["headline"]) == ("INVALID", None)
    assert run["reasons"][0].startswith(f"a device failed: {where}")
    assert words in run["reasons"][0]
    assert run["reasons"][0] in html.unescape((out / "report.html").read_text())
    return run


def test_a_fault_that_does_not_come_to_pass_is_no_success(tmp_path, valid_run):
    done = bench(tmp_path, "--trace", str(valid_run[0] / "drive.trace"), "--ticks", "3", "--fault", "reset@999")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "no fault happened: the card did not come as far as reset@999" in done.stdout


def test_a_fault_that_does_not_exist_is_named(tmp_path, valid_run):
    _one_line(bench(tmp_path, "--trace", str(valid_run[0] / "drive.trace"), "--fault", "burn"), "no fault 'burn'")


def test_killing_the_server_gives_one_error_and_keeps_the_frames(tmp_path):
    command = [*COMMAND, "bench", "--out", str(tmp_path), "--size", "320x180", "--ticks", "4000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        parts = tmp_path / "frames.part"
        until = time.monotonic() + 120
        while not list(parts.glob("*.parquet")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until, "no frame was recorded"
            time.sleep(0.1)
        os.kill(_child(process.pid), signal.SIGKILL)
        output, errors = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 3, output + errors
    assert output.rstrip().endswith("foveal bench: INVALID")
    assert len([line for line in errors.splitlines() if line.startswith("error:")]) == 1, errors
    assert "Traceback" not in errors
    assert len(load(tmp_path)) >= 32
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["verdict"] == "INVALID"
    assert run["headline"] is None
    assert run["reasons"][0].startswith("the drive ended early")


def _child(parent: int) -> int:
    """The world server that `parent` started."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            status = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            words = (entry / "cmdline").read_text().split("\0")
        except OSError:
            continue
        if int(status[1]) == parent and "foveal_sim.world" in words:
            return int(entry.name)
    raise AssertionError("the bench runs no world server")


def test_a_port_in_use_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        done = bench(tmp_path, "--port", str(port))
    _one_line(done, str(port))


def test_a_map_that_is_not_opendrive_is_named(tmp_path):
    broken = tmp_path / "broken.xodr"
    broken.write_text("<OpenDRIVE><road></OpenDRIVE>")
    _one_line(bench(tmp_path / "out", "--map", str(broken)), "broken.xodr")


def test_no_opencl_platform_says_what_to_install(tmp_path):
    without = """
import pyopencl
def gone():
    raise pyopencl.LogicError("clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR")
pyopencl.get_platforms = gone
from foveal_bench.cli import main
main()
"""
    done = bench(tmp_path, command=[sys.executable, "-c", without])
    _one_line(done, "pip install pocl-binary-distribution")


def test_no_server_at_the_address_is_named(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
    _one_line(bench(tmp_path, "--host", "127.0.0.1", "--port", str(port)), str(port))


def test_a_server_of_ones_own_is_driven_and_left_as_it_was(tmp_path):
    """Also where another script's traffic manager has its usual port."""
    command = [sys.executable, "-m", "foveal_sim.world", "--map", "town_block", "--traffic", "40", "--port", "0"]
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # some other has it
            stack.enter_context(socket.create_server(("", 8000)))
        server = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        stack.callback(server.kill)
        assert server.stdout
        port = server.stdout.readline().split("rpc 127.0.0.1:")[1].split(",")[0]
        done = bench(tmp_path, "--host", "127.0.0.1", "--port", port)
        assert done.returncode == 0, done.stdout + done.stderr
        look = "import carla, sys; w = carla.Client('127.0.0.1', int(sys.argv[1])).get_world(); w.wait_for_tick()"
        look += "; s = w.get_settings()"
        look += (
            "; print(s.synchronous_mode, s.fixed_delta_seconds, len(w.get_actors().filter('vehicle.*')), flush=True)"
        )
        look += "; import os; os._exit(0)"
        after = subprocess.run([sys.executable, "-c", look, port], capture_output=True, text=True, timeout=60)
        assert after.stdout.split() == ["False", "None", "40"], after.stderr
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["summary"]["ticks"] == 24
    assert run["summary"]["checked"]["cosim-region"]["pixels_different"] == 0


def test_a_damaged_trace_is_named(tmp_path):
    (tmp_path / "bad.trace").write_bytes(b"not a trace")
    _one_line(bench(tmp_path, "--trace", str(tmp_path / "bad.trace")), "bad.trace")


def test_an_empty_street_is_invalid_and_says_why(tmp_path):
    done = bench(tmp_path, "--traffic", "0", "--walkers", "0", "--ticks", "3")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "no vehicle or walker came into view" in done.stdout


def _one_line(done: subprocess.CompletedProcess[str], word: str) -> None:
    assert done.returncode == 3, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len([line for line in lines if line.startswith("error:")]) == 1, done.stderr
    assert word in lines[-1]
    assert "Traceback" not in done.stderr + done.stdout


def test_an_image_that_misses_its_clock_makes_the_run_invalid(valid_run, tmp_path):
    trace, path = valid_run[0] / "drive.trace", tmp_path / "image.timing.rpt"
    path.write_text(timing_summary("-0.312 -1804.11 9120 1403771 0.010 0 0 1 0.000 0.000 0 1"))
    done = bench(tmp_path, "--trace", str(trace), "--ticks", "2", "--timing-report", str(path))
    assert done.returncode == 1
    assert "timing of the image is not closed" in done.stdout
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["headline"] is None
    assert run["timing"]["setup_ns"] == -0.312


def test_the_report_has_each_figure_of_the_model_with_its_source(valid_run):
    out, _ = valid_run
    page = html.unescape((out / "report.html").read_text())
    rows = json.loads((out / "run.json").read_text())["card_model"]
    assert len(rows) == 10
    for row in rows:
        assert row["source"]
        assert row["source"] in page
        assert row["name"] in page
