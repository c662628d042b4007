"""The options of every scenario."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

_LAST_PORT = 65534


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line: the usage is longer than the terminal is high."""
        self.exit(2, f"error: {message}; --help lists the options\n")


def options(
    text: str, arguments: Sequence[str] | None, map_name: str, needs: str, ticks: int, **more: int
) -> argparse.Namespace:
    """What the user chose; also `map` and `scenario`.

    map_name: the built-in server's map. needs: the kind of place that another map must have. more: further whole
    numbers, with their defaults. Ends with 2 and one line for what is no option, and for a folder that takes no files.
    """
    place = f"Without --host it takes place on the built-in map {map_name}. With --host it needs {needs}."
    parser = _Parser(description=f"{text} {place}")
    add = parser.add_argument
    add("--ticks", type=_ticks, default=ticks, help=f"steps of 0.05 s to drive, 1 or more (default: {ticks})")
    add("--seed", type=_whole, default=1, help="where it takes place, and what traffic does (default: 1)")
    add("--device", default="opencl", help="what renders: opencl, cosim, model; `foveal devices` (default: opencl)")
    add("--size", type=_size, default=(1280, 720), metavar="WxH", help="of the camera's image (default: 1280x720)")
    add("--host", help=f"a CARLA server; without it, the built-in one with its map {map_name}")
    add("--port", type=_port, default=2000, help="its RPC port (default: 2000)")
    add("--save", type=Path, metavar="DIR", help="write each image there")
    for name, value in more.items():
        add(f"--{name}", type=_count, default=value, help=f"how much {name} there is (default: {value})")
    parser.set_defaults(map=map_name, scenario=Path(sys.argv[0]).stem)
    chosen = parser.parse_args(arguments)
    if chosen.save:
        try:
            chosen.save.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"--save {chosen.save}: no such folder can be made ({error.strerror})")
    return chosen


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?\d+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _port(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text) or not 1 <= int(text) <= _LAST_PORT:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no port: give 1 to {_LAST_PORT}, the one above it is for streams"
        )
    return int(text)


def _ticks(text: str) -> int:
    return _count(text, at_least=1)


def _count(text: str, at_least: int = 0) -> int:
    if not re.fullmatch(r"-?\d+", text) or int(text) < at_least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of {at_least} or more")
    return int(text)


def _size(text: str) -> tuple[int, int]:
    """(width, height) in pixels."""
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size WxH in pixels, such as 1280x720")
    return int(found[1]), int(found[2])
