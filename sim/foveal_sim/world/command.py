"""The command line of the world server."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys

from foveal.counted import counted
from foveal.errors import FovealError

from foveal_sim.maps import map_names
from foveal_sim.world.catalogue import as_text, catalogue
from foveal_sim.world.episode import Population
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.release import CURRENT, RELEASES
from foveal_sim.world.renderer import GOLDEN
from foveal_sim.world.server import serve

_LAST_PORT = 65535


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 after SIGTERM or SIGINT, 1 when the server cannot start, 2 for wrong arguments."""
    options = _options(arguments)
    logging.basicConfig(level=logging.INFO if options.verbose else logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        if options.check:
            return _check(options.map)
        if options.blueprints:
            entries = catalogue()
            return _show(json.dumps(entries, indent=1) if options.json else as_text(entries))
        serve(
            options.map,
            host=options.host,
            port=options.port,
            stream_port=options.stream_port,
            population=Population(options.traffic, options.walkers, options.seed),
            device=options.device,
            synchronous=options.synchronous,
            lifeline=sys.stdin.fileno() if options.end_with_stdin and sys.stdin else None,
            release=RELEASES[options.version],
            ready=lambda line: print(line, flush=True),
        )
    except FovealError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _show(text: str) -> int:
    try:
        print(text, flush=True)
    except BrokenPipeError:  # whoever reads has seen enough; nor may the interpreter complain at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _check(source: str) -> int:
    """What is wrong with a map is an error; what is odd about it comes before what it holds."""
    road_map = load_map(source)
    for warning in road_map.warnings:
        print(f"warning: {warning}")
    roads, lanes = len({lane.road for lane in road_map.lanes}), len(road_map.lanes)
    counts = ((roads, "road"), (lanes, "lane"), (len(road_map.warnings), "warning"))
    print(f"map {road_map.name} can be used: {', '.join(counted(count, noun) for count, noun in counts)}")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.port == _LAST_PORT and options.stream_port is None:
        parser.error(f"--port {_LAST_PORT} leaves no port above it for streams: give --stream-port")
    if options.json and not options.blueprints:
        parser.error("--json is for --blueprints")
    if options.port and options.port == options.stream_port:
        parser.error(f"--port and --stream-port are both {options.port}: they must differ")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="foveal world", description="CARLA-protocol world server")
    given = " (default: %(default)s)"
    parser.add_argument(
        "--map", default="town_block", help=f"{', '.join(map_names())}, or the path of an .xodr file" + given
    )
    parser.add_argument("--version", choices=RELEASES, default=CURRENT.version, help="of the clients to serve" + given)
    parser.add_argument("--host", default="127.0.0.1", help="address to bind" + given)
    parser.add_argument("--port", type=_port, default=2000, help="rpc port; 0 picks a free one" + given)
    parser.add_argument("--stream-port", type=_port, default=None, help="stream port; the rpc port + 1 unless given")
    parser.add_argument("--seed", type=_count, default=0, help="of traffic and walkers" + given)
    parser.add_argument("--traffic", type=_count, default=0, metavar="N", help="lane-following vehicles" + given)
    parser.add_argument("--walkers", type=_count, default=0, metavar="M", help="pedestrians on sidewalks" + given)
    parser.add_argument("--device", default=GOLDEN, help="what renders cameras: golden, or a Foveal backend" + given)
    parser.add_argument("--synchronous", action="store_true", help="start waiting for ticks of 0.05 s: drives repeat")
    parser.add_argument("--end-with-stdin", action="store_true", help="end when standard input closes")
    parser.add_argument("--check", action="store_true", help="say whether the map can be used, and end")
    parser.add_argument("--blueprints", action="store_true", help="list what can be spawned, with attributes, and end")
    parser.add_argument("--json", action="store_true", help="with --blueprints: as JSON")
    parser.add_argument("--verbose", action="store_true", help="also log connections")
    return parser


def _count(text: str) -> int:
    if not text.isascii() or not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give 0 to {_LAST_PORT}")
    return int(text)
