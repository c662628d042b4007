"""Ticks a second of the world server under the real client, beside what the client's own work leaves of them.

Server and client are processes of their own. The second figure is the same client's against the same server with a
world that stands still, whose ticks send bytes made before (world_servers.py): what is slower than that is the world's
part, and the rest is the client's, the sockets' and the server's loop. Both are measured in turn, several times, since
the speed of a machine changes; its load stands beside them, since client and server each take a core of their own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median

import pytest

SERVERS = Path(__file__).parent / "world_servers.py"
PAIRS, ROUNDS = 5, 3
"""Times that both servers are started in turn, and rounds of ticks each time."""

CLIENT = """
import json, queue, sys, time
import carla
port, camera, ticks, rounds = int(sys.argv[1]), sys.argv[2] == "camera", int(sys.argv[3]), int(sys.argv[4])
client = carla.Client("127.0.0.1", port, worker_threads=2)
client.set_timeout(60.0)
world = client.get_world()
frames, images = [], []
blueprint, command = world.get_blueprint_library().find("vehicle.audi.tt"), carla.command
world.tick()
missing = int(sys.argv[5]) - len(world.get_actors().filter("vehicle.*"))  # the map has room for some driving ones
places = [carla.Transform(carla.Location(10.0 * (n % 20), 1000 + 10.0 * (n // 20), 0)) for n in range(missing)]
client.apply_batch_sync([command.SpawnActor(blueprint, place) for place in places], True)
if camera:
    blueprint = world.get_blueprint_library().find("sensor.camera.rgb")
    blueprint.set_attribute("image_size_x", "1920")
    blueprint.set_attribute("image_size_y", "1080")
    sensor = world.spawn_actor(blueprint, carla.Transform(carla.Location(z=5)))
    sensor.listen(lambda image: images.append(image.frame))
for _ in range(ticks // 5):
    frames.append(world.tick())
rates = []
for _ in range(rounds):
    start = time.perf_counter()
    frames += [world.tick() for _ in range(ticks)]
    while camera and len(images) < len(frames) and time.perf_counter() < start + 60:
        pass
    rates.append(ticks / (time.perf_counter() - start))
wrong = sum(a + 1 != b for a, b in zip(frames, frames[1:])) + (camera and frames != images)
print(json.dumps([rates, int(wrong), len(world.get_actors().filter("vehicle.*"))]))
sys.stdout.flush()
import os; os._exit(0)  # the wheel's threads may abort an interpreter that ends with callbacks in flight
"""


@dataclass(frozen=True)
class Case:
    """What is driven, how many ticks a round, and the rate that the server is made for."""

    name: str
    traffic: int
    camera: bool
    ticks: int
    goal: int


CASES = (
    Case("2 vehicles", 2, False, 2500, 5000),
    Case("200 vehicles, 104 of them driving", 200, False, 1500, 2000),
    Case("2 vehicles, one 1920x1080 camera, its copy alone", 2, True, 150, 200),
)


@contextmanager
def server(kind: str, case: Case) -> Iterator[int]:
    """The RPC port of a server that is ready."""
    command = [sys.executable, str(SERVERS), kind, "--traffic", str(case.traffic)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        found = re.search(r"rpc [\d.]+:(\d+)", process.stdout.readline())
        assert found, "the server did not start"
        yield int(found[1])
    finally:
        process.kill()
        process.wait()


def rates(kind: str, case: Case) -> list[float]:
    """Ticks a second of each round, without a frame out of order or an image missing."""
    with server(kind, case) as port:
        arguments = [str(port), "camera" if case.camera else "none", str(case.ticks), str(ROUNDS), str(case.traffic)]
        done = subprocess.run([sys.executable, "-c", CLIENT, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    found, wrong, vehicles = json.loads(done.stdout)
    assert wrong == 0
    assert vehicles == case.traffic
    return found


@pytest.mark.timeout(900)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_ticks(benchmark, case):
    pairs = benchmark.pedantic(lambda: [(rates("world", case), rates("canned", case)) for _ in range(PAIRS)], rounds=1)
    mine, canned = (list(chain.from_iterable(rounds)) for rounds in zip(*pairs, strict=True))
    own = sorted(1e6 / median(mine) - 1e6 / median(canned) for mine, canned in pairs)
    rate, most = median(mine), median(canned)
    load = os.getloadavg()[0]
    benchmark.extra_info |= {
        "ticks_per_s": [round(value) for value in mine],
        "ticks_per_s_of_canned_answers": [round(value) for value in canned],
        "goal_ticks_per_s": case.goal,
        "load": load,
        "provenance": "measured",
    }
    print(
        f"\n{case.name}: {rate:,.0f} ticks/s ({min(mine):,.0f} to {max(mine):,.0f}; made for {case.goal:,});"
        f" against answers made before {most:,.0f} ({min(canned):,.0f} to {max(canned):,.0f}):"
        f" of {1e6 / rate:,.0f} us a tick client, sockets and the server's loop take {1e6 / most:,.0f}"
        f" ({rate / most:.0%}), the world {median(own):,.0f} (in {PAIRS} pairs {own[0]:,.0f} to {own[-1]:,.0f})"
        f" (measured; load {load:.1f} on {os.cpu_count()} cores)"
    )
