"""`python -m foveal_sim.world`: run the world server until it is told to stop."""

from __future__ import annotations

import argparse
import logging
import sys

from foveal.errors import FovealError

from foveal_sim.maps import map_names
from foveal_sim.world import Population, serve
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.release import CURRENT, RELEASES
from foveal_sim.world.renderer import GOLDEN


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 after SIGTERM or SIGINT, 1 when the server cannot start, 2 for wrong arguments."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO if options.verbose else logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        if options.check:
            return _check(options.map)
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


def _check(source: str) -> int:
    """What is wrong with a map is an error; what is odd about it comes before what it holds."""
    road_map = load_map(source)
    for warning in road_map.warnings:
        print(f"warning: {warning}")
    roads, lanes = len({lane.road for lane in road_map.lanes}), len(road_map.lanes)
    print(f"map {road_map.name} can be used: {roads} roads, {lanes} lanes, {len(road_map.warnings)} warnings")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="foveal world", description="CARLA-protocol world server")
    parser.add_argument("--map", default="town_block", help=f"{', '.join(map_names())}, or the path of an .xodr file")
    parser.add_argument("--version", choices=RELEASES, default=CURRENT.version, help="of the clients to serve")
    parser.add_argument("--host", default="127.0.0.1", help="address to bind (loopback unless told otherwise)")
    parser.add_argument("--port", type=int, default=2000, help="rpc port; 0 picks a free one")
    parser.add_argument("--stream-port", type=int, default=None, help="stream port; the rpc port + 1 unless given")
    parser.add_argument("--seed", type=_count, default=0, help="of traffic and walkers")
    parser.add_argument("--traffic", type=_count, default=0, metavar="N", help="lane-following vehicles to spawn")
    parser.add_argument("--walkers", type=_count, default=0, metavar="M", help="pedestrians to spawn on sidewalks")
    parser.add_argument("--device", default=GOLDEN, help="what renders camera images: golden, or a Foveal backend")
    parser.add_argument("--synchronous", action="store_true", help="start waiting for ticks of 0.05 s: drives repeat")
    parser.add_argument("--end-with-stdin", action="store_true", help="end when standard input closes")
    parser.add_argument("--check", action="store_true", help="say whether the map can be used, and end")
    parser.add_argument("--verbose", action="store_true", help="also log connections")
    return parser


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{value} is negative")
    return value


if __name__ == "__main__":
    sys.exit(main())
