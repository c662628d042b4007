"""The scenario scripts on the built-in server: each shows what it is about, and leaves the world as it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from clients_manager import MAY_HANG

SCENARIOS = Path(__file__).parents[2] / "bench" / "scenarios"
MAPS = {
    "dense_traffic": "town_block",
    "follow_traffic": "curve",
    "pedestrian_crossing": "straight",
    "unprotected_turn": "junction",
}
NAMES = tuple(MAPS)
FEW = {"dense_traffic": ("--traffic", "8", "--walkers", "5")}
ENOUGH_S = 280
SMALL = ("--device", "model", "--size", "192x108")

_FACTS = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import stage
ticks = []
look = stage.Stage.look
def watched(self, *arguments, **more):
    for tick, image in look(self, *arguments, **more):
        ticks.append((tick, image))
        yield tick, image
stage.Stage.look = watched
import {name} as scenario
done = scenario.main(sys.argv[2:])
rows = []
for tick, image in ticks:
    row = {{"frame": [tick.frame, image.frame], "share": float(image.mask.mean())}}
    row["regions"] = [[r.x0, r.y0, r.x1, r.y1] for r in image.regions]
    row["camera"], row["ego"] = tick.camera.tolist(), tick.ego.tolist()
    names = [tick.types[n] for n in tick.actor_type]
    row["others"] = [[name, *place[:3].tolist(), float(np.hypot(*speed[:2]))]
        for name, number, place, speed in zip(names, tick.actor_id, tick.transform, tick.velocity)
        if number != tick.ego_id]
    own = tick.velocity[tick.actor_id == tick.ego_id]
    row["speed"] = float(np.hypot(*own[0, :2])) if len(own) else None
    rows.append(row)
print("FACTS", json.dumps(rows))
"""


def command(name: str, *options: str) -> list[str]:
    return [sys.executable, str(SCENARIOS / f"{name}.py"), *options]


def facts(name: str, *options: str) -> tuple[list[dict[str, Any]], str]:
    """What was seen in each tick of a scenario, and what it printed."""
    code = [sys.executable, "-c", _FACTS.format(name=name), str(SCENARIOS), *SMALL, *options]
    done = subprocess.run(code, capture_output=True, text=True, timeout=ENOUGH_S, check=False)
    assert done.returncode == 0, done.stderr
    text, _, rows = done.stdout.partition("FACTS ")
    found = json.loads(rows)
    assert all(tick == image for tick, image in (row["frame"] for row in found))
    return found, text


def pixel(row: dict[str, Any], place: list[float]) -> tuple[float, float] | None:
    """Where a point of the world is in a picture of 192 x 108 at 90 degrees; level cameras alone. None behind it."""
    import math

    x, y, z, pitch, yaw, roll = row["camera"]
    assert abs(pitch) < 0.1
    assert abs(roll) < 0.1
    c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    dx, dy, dz = place[0] - x, place[1] - y, place[2] - z
    ahead, right = dx * c + dy * s, -dx * s + dy * c
    return (96.0 + 96.0 * right / ahead, 54.0 - 96.0 * dz / ahead) if ahead > 1.0 else None


def shown(row: dict[str, Any], place: list[float]) -> bool:
    """Whether a region holds that point."""
    at = pixel(row, place)
    return at is not None and any(r[0] <= at[0] <= r[2] and r[1] <= at[1] <= r[3] for r in row["regions"])


def on_lane(row: dict[str, Any], metres: float) -> list[float]:
    """The point of the ground so far straight ahead of the ego's middle."""
    import math

    x, y, z, _, yaw, _ = row["ego"]
    return [x + metres * math.cos(math.radians(yaw)), y + metres * math.sin(math.radians(yaw)), z]


def test_the_pedestrian_is_in_a_region_all_the_way_and_the_car_stops_for_them() -> None:
    rows, text = facts("pedestrian_crossing", "--ticks", "150")
    walkers = [next(other for other in row["others"] if other[0].startswith("walker.")) for row in rows]
    in_view = [(row, walker) for row, walker in zip(rows, walkers, strict=True) if pixel(row, walker[1:4])]
    inside = [shown(row, walker[1:4]) for row, walker in in_view if 0 < pixel(row, walker[1:4])[0] < 192]
    assert len(inside) > 100
    assert all(inside), "a region holds the walker in each frame"
    start, end = walkers[0], walkers[-1]
    assert ((start[1] - end[1]) ** 2 + (start[2] - end[2]) ** 2) ** 0.5 > 4.0, "they cross more than a lane"
    fastest = max(row["speed"] for row in rows)
    assert fastest > 4.0
    assert min(row["speed"] for row in rows[60:]) < fastest / 3, "the car brakes for them"
    apart = [((w[1] - r["ego"][0]) ** 2 + (w[2] - r["ego"][1]) ** 2) ** 0.5 for r, w in zip(rows, walkers, strict=True)]
    assert min(apart) > 2.5, "and does not hit them"
    assert "of the picture in the median" in text


def test_the_turn_is_made_after_the_oncoming_car_has_passed() -> None:
    rows, text = facts("unprotected_turn", "--ticks", "300")
    turned = (rows[-1]["ego"][4] - rows[0]["ego"][4] + 180.0) % 360.0 - 180.0
    assert turned == pytest.approx(-90.0, abs=15.0), "CARLA counts yaw to the right"
    other = [next(other for other in row["others"] if other[0] == "vehicle.audi.tt") for row in rows]
    apart = [((o[1] - r["ego"][0]) ** 2 + (o[2] - r["ego"][1]) ** 2) ** 0.5 for r, o in zip(rows, other, strict=True)]
    assert min(apart) > 2.5
    passed = apart.index(min(apart))
    half = next(n for n, row in enumerate(rows) if abs((row["ego"][4] - rows[0]["ego"][4] + 180) % 360 - 180) > 30)
    assert passed < half, "first they pass, then it turns"
    facing = [shown(row, [o[1], o[2], o[3] + 0.6]) for row, o in zip(rows[:passed], other, strict=False)]
    assert sum(facing) > 0.9 * len(facing), "who comes is in a region until they have passed"
    assert "zones         1 entered, " in text
    assert all(shown(rows[0], on_lane(rows[0], metres)) for metres in (10.0, 15.0)), "the lane, not the bonnet"
    assert not shown(rows[0], on_lane(rows[0], 6.0))


def test_the_car_ahead_stays_in_a_region_and_the_gap_stays_open() -> None:
    rows, text = facts("follow_traffic", "--ticks", "120")
    lead = [next(other for other in row["others"] if other[0] == "vehicle.audi.tt") for row in rows]
    assert all(shown(row, [a[1], a[2], a[3] + 0.6]) for row, a in zip(rows[1:], lead[1:], strict=True))
    apart = [((a[1] - r["ego"][0]) ** 2 + (a[2] - r["ego"][1]) ** 2) ** 0.5 for r, a in zip(rows, lead, strict=True)]
    assert min(apart) > 6.0, "bumper to bumper is 4.5 m"
    assert max(apart) < 60.0
    assert max(row["speed"] for row in rows) > 4.0
    assert max(row["share"] for row in rows) < 0.4, "15 % for the lane, and the car"
    between = [
        [(a + b) / 2 for a, b in zip(r["ego"][:3], o[1:4], strict=True)] for r, o in zip(rows, lead, strict=True)
    ]
    far = [(row, place) for row, place, gap in zip(rows, between, apart, strict=True) if gap > 18.0]
    assert len(far) > 10
    assert all(shown(row, place) for row, place in far), "the lane between them, half way"
    assert "gap " in text


def test_dense_traffic_stays_within_its_budget() -> None:
    rows, text = facts("dense_traffic", "--ticks", "40", "--traffic", "30", "--walkers", "12", "--seed", "3")
    assert len(rows[0]["others"]) == 42
    assert max(row["share"] for row in rows) <= 0.2 + 1e-9
    assert any(len(row["regions"]) > 1 for row in rows)
    assert rows[-1]["speed"] > 1.0
    assert "others        42 at most, vehicles and walkers" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_scenario_is_short_and_says_how_to_use_it(name: str) -> None:
    assert len((SCENARIOS / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 80
    homeless = {key: value for key, value in os.environ.items() if key not in ("HOME", "CARLA_CACHE_DIR")}
    done = subprocess.run(
        command(name, "--help"), env=homeless, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert f"the built-in map {MAPS[name]}. With --host it needs " in said
    assert "None" not in said
    for option in ("--ticks", "--seed", "--device", "--host", "--port", "--save"):
        assert option in done.stdout


def test_the_table_and_the_pictures(tmp_path: Path) -> None:
    done = subprocess.run(
        command("pedestrian_crossing", *SMALL, "--ticks", "3", "--save", str(tmp_path / "out")),
        capture_output=True,
        text=True,
        timeout=ENOUGH_S,
        check=False,
    )
    assert done.returncode == 0
    first, *progress = done.stderr.splitlines()
    assert first == "driving 3 ticks of pedestrian_crossing on map straight with device model ..."
    assert progress == [f"{n} of 3 ticks done" for n in (1, 2, 3)]
    assert f"3 images in {tmp_path / 'out'}" in done.stdout
    assert "frames        3 on model, 0 dropped" in done.stdout
    lines = done.stdout.splitlines()
    for stage in ("snapshot", "region", "scene"):
        (line,) = (line for line in lines if line.startswith(stage + " "))
        assert line.endswith("measured")
    assert len(list((tmp_path / "out").glob("*.png"))) == 3


def test_what_there_is_one_of_is_said_in_the_singular(tmp_path: Path) -> None:
    code, printed, errors = end("follow_traffic", *SMALL, "--ticks", "1", "--save", str(tmp_path))
    assert code == 0, errors
    assert errors.startswith("driving 1 tick of follow_traffic on ")
    assert errors.splitlines()[1:] == ["1 of 1 tick done"]
    assert f"1 image in {tmp_path}\n" in printed


def _world(port: int) -> tuple[bool, int]:
    """Whether the world is synchronous, and how many actors live in it; asked by another client."""
    code = (
        "import foveal.carla, carla, json, sys, time\n"
        "world = carla.Client('127.0.0.1', int(sys.argv[1])).get_world()\n"
        "world.wait_for_tick()\n"
        "print(json.dumps([world.get_settings().synchronous_mode, len(world.get_actors())]))\n"
        "import os; sys.stdout.flush(); os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(port)], capture_output=True, text=True, timeout=120, check=True
    )
    synchronous, actors = json.loads(done.stdout)
    return synchronous, actors


@contextmanager
def running(map_name: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server as a user has it, and its port."""
    server = subprocess.Popen(
        [sys.executable, "-m", "foveal_sim.world", "--map", map_name, "--port", "0", *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        yield server, int(server.stdout.readline().split("rpc 127.0.0.1:")[1].split(",")[0])
    finally:
        server.kill()
        server.wait()


@pytest.mark.timeout(600, func_only=True)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MAY_HANG if name == "dense_traffic" else ()) for name in NAMES]
)
def test_each_takes_place_on_a_server_of_ones_own(name: str) -> None:
    with running(MAPS[name]) as (_, port):
        before = _world(port)
        rows, text = facts(name, "--host", "127.0.0.1", "--port", str(port), "--ticks", "4", *FEW.get(name, ()))
        assert len(rows) == 4
        assert all(row["regions"] for row in rows)
        assert "frames        4 on model, 0 dropped" in text
        assert _world(port) == before


@MAY_HANG
@pytest.mark.timeout(600, func_only=True)
def test_dense_traffic_on_a_server_of_ones_own_drives_and_walks() -> None:
    """The client's traffic manager has the cars; all of them and the pedestrians are gone afterwards."""
    with running("town_block") as (_, port):
        before = _world(port)
        options = ("--host", "127.0.0.1", "--port", str(port), "--ticks", "60", *FEW["dense_traffic"])
        rows, text = facts("dense_traffic", *options)
        vehicles, walkers = (
            [o for o in rows[-1]["others"] if o[0].startswith(kind)] for kind in ("vehicle.", "walker.")
        )
        assert (len(vehicles), len(walkers)) == (8, 5)
        assert all(walker[4] == pytest.approx(1.4, abs=0.01) for walker in walkers)
        assert sum(vehicle[4] > 2.0 for vehicle in vehicles) >= 4, "who waits for somebody stands"
        assert max(row["share"] for row in rows) <= 0.2 + 1e-9
        assert "others        13 at most" in text
        assert _world(port) == before


@pytest.mark.parametrize("ending", ["end", "interrupt", "terminate", "fault"])
def test_on_a_server_of_ones_own_all_is_as_it_was(ending: str) -> None:
    """Settings and actors, at the end, on Ctrl-C, on SIGTERM and after an error."""
    with running("straight", "--traffic", "2") as (_, port):
        before = _world(port)
        assert before[0] is False
        options = [*SMALL, "--host", "127.0.0.1", "--port", str(port)]
        options += {"end": ["--ticks", "3"], "fault": ["--ticks", "3", "--size", "99999x2"]}.get(
            ending, ["--ticks", "9999"]
        )
        script = subprocess.Popen(
            command("follow_traffic", *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if ending in ("interrupt", "terminate"):
            deadline = time.monotonic() + 120
            while not _world_is_driven(port):
                assert time.monotonic() < deadline
                assert script.poll() is None, script.communicate()
            os.kill(script.pid, signal.SIGINT if ending == "interrupt" else signal.SIGTERM)
        printed, errors = script.communicate(timeout=ENOUGH_S)
        assert script.returncode == {"end": 0, "interrupt": 130, "terminate": 143, "fault": 1}[ending], errors
        assert "Traceback" not in errors
        assert ("interrupted after " in printed) == (ending == "interrupt")
        assert _world(port) == before


def _world_is_driven(port: int) -> bool:
    code = (
        "import foveal.carla, carla, sys, os\n"
        "client = carla.Client('127.0.0.1', int(sys.argv[1]))\n"
        "world = client.get_world()\n"
        "seen = world.get_settings().synchronous_mode and len(world.get_actors().filter('vehicle.*')) == 4\n"
        "sys.stdout.flush(); os._exit(0 if seen else 1)\n"
    )
    return subprocess.run([sys.executable, "-c", code, str(port)], timeout=120, check=False).returncode == 0


def end(name: str, *options: str) -> tuple[int, str, str]:
    """Exit code, standard output and error of a scenario."""
    done = subprocess.run(command(name, *options), capture_output=True, text=True, timeout=ENOUGH_S, check=False)
    return done.returncode, done.stdout, done.stderr


def test_without_a_server_it_says_so_in_one_line() -> None:
    code, _, errors = end("dense_traffic", "--host", "127.0.0.1", "--port", "1")
    assert code == 2
    assert errors.startswith("error: no CARLA server at 127.0.0.1:1")
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    "wrong",
    ["--ticks 0", "--ticks -3", "--ticks 1.5", "--size 1280", "--size 0x720", "--size 64x", "--size ax9", "--ticks"],
)
def test_a_wrong_option_is_one_line_that_names_it(wrong: str) -> None:
    code, printed, errors = end("follow_traffic", *wrong.split())
    assert (code, printed) == (2, "")
    assert errors.startswith(f"error: argument {wrong.split()[0]}: ")
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize(("option", "words"), [("--port", "is no port"), ("--seed", "is not a whole number")])
def test_what_is_no_number_is_told_without_names_of_the_program(option: str, words: str) -> None:
    for value in ("abc", "99999.0", "1e3"):
        code, _, errors = end("follow_traffic", f"{option}={value}")
        assert code == 2
        assert errors.startswith(f"error: argument {option}: {value!r} {words}")
        assert len(errors.splitlines()) == 1


def test_a_folder_that_cannot_be_made_is_named_before_the_drive(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "images"
    code, _, errors = end("follow_traffic", "--save", str(folder))
    assert code == 2
    assert errors.startswith(f"error: --save {folder}: ")
    assert len(errors.splitlines()) == 1


def test_make_lists_the_scenarios_where_there_is_none_of_that_name() -> None:
    for name in ("left_turn", "driver", "../perf/x"):
        done = subprocess.run(
            ["make", "scenario", "-o", "setup-run", f"NAME={name}"],
            cwd=SCENARIOS.parents[1],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr.splitlines()[0] == f"error: no scenario '{name}'; there are: {', '.join(NAMES)}"


def test_ctrl_c_while_it_imports_shows_no_traceback() -> None:
    """The handler is there before what takes long: interrupt at the first import after it."""
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(SCENARIOS)!r})\n"
        "class Slow:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'foveal': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Slow())\n"
        "import follow_traffic\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGINT, "as of any program that Ctrl-C ended"
    assert done.stderr == "interrupted before the first tick\n"


def test_a_server_that_dies_is_one_line_and_nothing_waits_for_it() -> None:
    with running("curve") as (server, port):
        script = subprocess.Popen(
            command("follow_traffic", *SMALL, "--ticks", "600", "--host", "127.0.0.1", "--port", str(port)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert script.stderr
        first = script.stderr.readline()
        assert first.startswith("driving 600 ticks of ")
        assert "curve" in first
        assert script.stderr.readline() == "100 of 600 ticks done\n"
        server.kill()
        _, errors = script.communicate(timeout=ENOUGH_S)
        assert script.returncode == 2
        (line,) = (line for line in errors.splitlines() if not line.endswith("ticks done"))
        assert line.startswith("error: the CARLA server did not answer")
