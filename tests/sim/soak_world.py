"""Drives a world server for an hour: ``python tests/sim/soak_world.py --minutes 60 --seed 7``.

One client stays: round after round it spawns a car with a camera of CARLA's and one of regions, drives through traffic
and walkers, checks the frame of every image, and now and then loads another map. Others come beside it, listen to a
few ticks and go, are killed, or vanish in the middle of a message. At the end neither the server nor the client that
stayed may have grown. The exit status is 1 for a frame that does not match, for growth, and for a process that ended.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from world_client import Server, start_client, world_server

__all__ = ["GROWTH_BYTES", "SoakError", "growth", "soak"]

GROWTH_BYTES = 16 << 20
"""What the fitted line of a process's memory may climb after the warm-up; a steady one wobbles by less."""

WARM_UP = 0.25
"""Share of the run in which maps, compilers and caches settle."""

EVERYTHING = 6
"""Rounds until each map was loaded and each kind of visitor has come: the warm-up lasts at least as long."""

FEWEST = 12
"""Rounds after the warm-up: a line through fewer says little."""

ROUND_DEADLINE_S = 180.0
NEWS_S = 60.0
"""Between two lines that say how far it is."""

STAYS = """
import os
from foveal.carla import RoiCamera
from foveal_sim.world.memory import give_back
from foveal.policy import Fixed
from foveal.region import Region
rng = __import__("random").Random(int(sys.argv[2]))
maps, rounds = ["straight", "curve"], 0
def drive(world):
    asked, theirs, ours = [], queue.Queue(), queue.Queue()
    library = world.get_blueprint_library()
    world.tick()
    car = next(c for c in (world.try_spawn_actor(library.find("vehicle.tesla.model3"), place)
                           for place in world.get_map().get_spawn_points()) if c is not None)
    blueprint = library.find("sensor.camera.rgb")
    for name, value in (("image_size_x", "96"), ("image_size_y", "64")):
        blueprint.set_attribute(name, value)
    mount = carla.Transform(carla.Location(x=1.5, z=1.7))
    stock = world.spawn_actor(blueprint, mount, attach_to=car)
    regions = RoiCamera(world, blueprint, mount, car, device="model", policy=Fixed([Region(10, 10, 80, 50)]))
    stock.listen(lambda image: theirs.put(image.frame))
    regions.listen(lambda image: ours.put(image.frame))
    car.apply_control(carla.VehicleControl(throttle=0.4, steer=rng.uniform(-0.1, 0.1)))
    for _ in range(20):
        asked.append(world.tick())
        time.sleep(0.02)
    seen = [[source.get(timeout=60) for _ in asked] for source in (theirs, ours)]
    regions.destroy(), stock.destroy(), car.destroy()
    world.tick()
    wrong = sum(a != b for frames in seen for a, b in zip(asked, frames))
    return len(asked), wrong + sum(b != a + 1 for a, b in zip(asked, asked[1:]))
while True:
    if rounds % 3 == 2:
        world = client.load_world(maps[(rounds // 3 + 1) % 2], False)
    ticks, wrong = drive(world)
    rounds += 1
    give_back()  # what the allocator keeps of a scene that was built swings by more than what is looked for
    pages = int(open("/proc/self/statm").read().split()[1])
    print(json.dumps([ticks, wrong, pages * os.sysconf("SC_PAGE_SIZE")]), flush=True)
    if not sys.stdin.readline():
        break
"""

VISITS = """
seen = [world.wait_for_tick(60.0).frame for _ in range(5)]
assert seen == sorted(set(seen)), seen
facts["actors"] = len(world.get_actors())
"""


class SoakError(Exception):
    """Something that may not happen in a soak."""


def growth(samples: Sequence[tuple[float, int]]) -> float:
    """Bytes that the least-squares line through (seconds, bytes) climbs from the first sample to the last."""
    seconds, held = np.array(samples, dtype=np.float64).T
    slope = np.polyfit(seconds - seconds[0], held, 1)[0] if len(samples) > 1 else 0.0
    return float(slope * (seconds[-1] - seconds[0]))


def soak(minutes: float, seed: int) -> dict[str, int]:
    """What was done. Raises SoakError."""
    options = ("--map", "straight", "--traffic", "6", "--walkers", "4", "--seed", str(seed), "--synchronous")
    with world_server(*options) as server:
        stays = start_client(STAYS, server.rpc, str(seed))
        visits = Visitors(server, seed)
        try:
            return _watch(server, stays, visits, 60 * minutes)
        finally:
            visits.end()
            stays.kill()
            stays.communicate()


def _watch(server: Server, stays: subprocess.Popen[str], visits: Visitors, seconds: float) -> dict[str, int]:
    assert stays.stdout
    assert stays.stdin
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=lambda: [lines.put(line) for line in stays.stdout], daemon=True).start()
    start, ticks, rounds, news = time.monotonic(), 0, 0, NEWS_S
    memory: dict[str, list[tuple[float, int]]] = {"server": [], "client": []}
    while (now := time.monotonic() - start) < seconds or len(memory["server"]) < FEWEST:
        try:
            found, wrong, held = json.loads(lines.get(timeout=ROUND_DEADLINE_S))
        except (queue.Empty, ValueError):
            raise SoakError(f"the client that stays has ended or hangs: {_words(stays)}") from None
        if wrong:
            raise SoakError(f"round {rounds}: {wrong} frames do not match")
        if server.process.poll() is not None:
            raise SoakError("the server has ended")
        ticks, rounds = ticks + found, rounds + 1
        size = _resident(server.process.pid)
        if now >= news:
            news += NEWS_S
            sizes = f"server {size / 2**20:.0f} MiB, client {held / 2**20:.0f} MiB"
            print(f"{now / 60:.0f} of {seconds / 60:g} minutes: {rounds} rounds, {sizes}", file=sys.stderr, flush=True)
        if now > WARM_UP * seconds and rounds > EVERYTHING:
            memory["server"].append((now, size))
            memory["client"].append((now, held))
        visits.next()
        stays.stdin.write("on\n")
        stays.stdin.flush()
    for name, samples in memory.items():
        if growth(samples) > GROWTH_BYTES:
            raise SoakError(f"the {name} has grown by {growth(samples) / 2**20:.1f} MiB in {len(samples)} rounds")
    grown = {f"{name} grown, KiB": round(growth(samples) / 1024) for name, samples in memory.items()}
    return {"rounds": rounds, "ticks": ticks, "visits": visits.count, **grown}


class Visitors:
    """Clients that come and go. count: how many came."""

    def __init__(self, server: Server, seed: int) -> None:
        self.count = 0
        self._server = server
        self._random = random.Random(seed)
        self._here: list[tuple[subprocess.Popen[str], bool]] = []

    def next(self) -> None:
        """Let one more come, and look after those that are here. Raises SoakError for one that failed."""
        still = []
        for process, killed in self._here:
            if process.poll() is None and killed and self._random.random() < 0.5:
                process.kill()
            if process.poll() is None:
                still.append((process, killed))
                continue
            out, errors = process.communicate()
            if process.returncode != 0 and not killed:
                raise SoakError(f"a visitor has ended with {process.returncode}: {out}{errors}")
        self._here = still
        if self.count % 3 == 2:
            self._vanish()
        elif len(self._here) < 2:
            self._here.append((start_client(VISITS, self._server.rpc), self._random.random() < 0.5))
        self.count += 1

    def end(self) -> None:
        for process, _ in self._here:
            process.kill()
            process.communicate()

    def _vanish(self) -> None:
        """In the middle of a message, and as a listener that has never read."""
        with socket.create_connection(("127.0.0.1", self._server.rpc)) as peer:
            peer.sendall(b"\x94\x00\x01\xb6copy_opendrive_to_file\x92\x91\xc2\xdb\x00\x10\x00\x00" + bytes(100_000))
        with socket.create_connection(("127.0.0.1", self._server.streams)) as listener:
            listener.sendall(struct.pack("<I", 1))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close with a reset


def _resident(pid: int) -> int:
    """Bytes."""
    (line,) = (n for n in Path(f"/proc/{pid}/status").read_text().splitlines() if n.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def _words(process: subprocess.Popen[str]) -> str:
    process.kill()
    return process.communicate()[1][-2000:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long to go on")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        done = soak(options.minutes, options.seed)
    except SoakError as error:
        print(f"soak of the world server, seed {options.seed}: {error}", file=sys.stderr)
        return 1
    print(", ".join(f"{what} {count:,}" for what, count in done.items()) + "; no frame mismatched")
    return 0


if __name__ == "__main__":
    sys.exit(main())
