"""The `foveal` command."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import click
from click.core import ParameterSource
from foveal.device import device_names, open_device
from foveal.errors import FovealError
from foveal.timeline import FOLLOWERS

from foveal_bench.console import print_summary
from foveal_bench.cost.commands.claims import claims
from foveal_bench.cost.commands.export import export
from foveal_bench.cost.commands.meter import meter
from foveal_bench.cost.commands.price import price
from foveal_bench.cost.commands.risk import risk_command
from foveal_bench.cost.commands.tco import tco
from foveal_bench.cost.commands.unit import unit
from foveal_bench.doctor.command import doctor
from foveal_bench.failure import Interrupted, one_line, unexpected
from foveal_bench.options import BenchOptions
from foveal_bench.progress import Progress
from foveal_bench.streams import OutputClosed, ReportingConsole, echo, open_standard_streams
from foveal_bench.xclbin import xclbin

__all__ = ["main"]

VALID, INVALID, USAGE, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
BOARD_HELP = "Card whose clock, memory and PCIe figures are modelled, and that is priced."
PIPE_WIDTH = 160
"""Columns of tables that go to a file or a pipe."""


class _Pixel(click.ParamType):
    name = "TICK,X,Y"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> tuple[int, int, int]:
        try:
            n, x, y = (int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not three integers TICK,X,Y", param, context)
        if min(n, x, y) < 0:
            self.fail(f"{value!r}: tick and pixel count from 0", param, context)
        return n, x, y


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="foveal")
@click.option("-v", "--verbose", is_flag=True, help="Log what happens underneath.")
def cli(verbose: bool) -> None:
    """Render only what a driving agent looks at, and know what each frame costs.

    \b
    foveal bench            the main job: drive, render, compare, price, report
    foveal tco              what fleets cost a year, compared
    foveal claims           what white papers claim, and what is found here
    foveal price            the price book: list, check, add
    foveal meter            energy and money from your own logs and tables
    foveal export           cost records (FOCUS 1.2) for other programs
    foveal world            a CARLA server stand-in for the unmodified carla client
    foveal devices          which renderers work here
    foveal doctor           what works on this machine, and what mends the rest
    foveal xclbin           a card's image as hosts see it: make, show, check

    Exit codes: 0 valid, 1 the run is INVALID, 2 wrong usage, 3 something needed is missing or failed, 130 interrupted.
    """
    logging.basicConfig(level=logging.DEBUG if verbose else logging.WARNING, format="%(levelname)s: %(message)s")
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it warns where it finds no cache folder
    for noisy in ("PIL", "numba", "pyopencl", "pytools"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


@cli.command("bench")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out/bench"), show_default=True)
@click.option("--ticks", type=click.IntRange(1), default=120, show_default=True, help="Simulation steps to render.")
@click.option("--size", default="1920x1080", show_default=True, metavar="WxH", help="Camera image, 1 to 4096 a side.")
@click.option("--map", "map_name", default="town_block", show_default=True, help="Built-in map, or an .xodr file.")
@click.option(
    "--traffic", type=click.IntRange(0), default=40, show_default=True, help="Vehicles on the built-in server."
)
@click.option("--walkers", type=click.IntRange(0), default=24, show_default=True, help="Pedestrians on it.")
@click.option("--host", default=None, help="Use the CARLA server there instead of the built-in one.")
@click.option(
    "--port", type=click.IntRange(0, 65534), default=0, help="Its RPC port; 0 takes a free one (2000 with --host)."
)
@click.option(
    "--trace", type=click.Path(dir_okay=False, path_type=Path), help="Replay this drive; no server is needed."
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True)
@click.option(
    "--full-every", type=click.IntRange(1), default=20, show_default=True, help="Co-simulate a full frame each N ticks."
)
@click.option("--board", type=click.Choice(["u280", "u55c"]), default="u280", show_default=True, help=BOARD_HELP)
@click.option("--corrupt", type=_Pixel(), help="Spoil pixel X,Y of the card's frame of a tick; must end INVALID.")
@click.option(
    "--wave",
    metavar="FILE.vcd",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the waves of the card's region frame of one tick; the card is then simulated more slowly.",
)
@click.option("--wave-tick", type=click.IntRange(0), default=0, show_default=True, help="The tick that --wave means.")
@click.option(
    "--xclbin",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="Measure this image on an Alveo card instead of co-simulating one.",
)
@click.option("--card", help="The card for --xclbin: index, BDF or serial number; needed where there are several.")
@click.option(
    "--timing-report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Vivado's timing summary of the image; by default the .timing.rpt beside --xclbin. WNS < 0 is INVALID.",
)
@click.option("--streams", type=click.IntRange(1), default=4, show_default=True, help="Cameras of the priced fleets.")
@click.option(
    "--overlap",
    type=click.IntRange(0),
    default=12,
    show_default=True,
    help="Ticks that the card draws again with frames in flight together; 0 leaves it out.",
)
@click.option(
    "--fault",
    metavar="KIND[:PORT][@FRAME]",
    help="Let the card fail, as hang@9 or slverr:gmem1@9; must end INVALID. FRAME counts those that the card draws,"
    " from 0: the first three warm up (four with --full-every 1), then come the ticks'.",
)
@click.option("--prices", type=click.Path(dir_okay=False, path_type=Path), help="Price book (a copy of prices.yaml).")
@click.option("--json", "as_json", is_flag=True, help="Print run.json instead of tables; progress goes to stderr.")
def bench_command(out: Path, size: str, map_name: str, as_json: bool, **options: Any) -> None:
    """Drive, render every frame on each device, compare, price and report.

    Starts the built-in world server, drives an ego vehicle through it with the unmodified carla client, takes regions
    from the actors it reports, and renders each tick with OpenCL (full frame and regions) and on the co-simulated card
    (regions; a full frame now and then). Writes report.html, frames.parquet, run.json and drive.trace to --out.

    \b
    foveal bench                                   as it is
    foveal bench --trace out/bench/drive.trace     the same drive again, without a server
    foveal bench --host 192.0.2.7 --port 2000      on a real CARLA 0.9.16 server
    foveal bench --ticks 20 --size 640x360         a quick look
    foveal bench --ticks 1 --wave frame.vcd        the kernel's waves in one frame
    foveal bench --xclbin foveal_u280.xclbin       measured on an Alveo card
    """
    width, height = _size(size)
    _check_trace(options["trace"])
    _check_tick("--corrupt", options["corrupt"] and options["corrupt"][0], options["ticks"])
    _check_overlap(options["overlap"])
    _check_wave(options["wave"], options["wave_tick"], options["ticks"])
    _check_card(options)
    request = BenchOptions(out=out, width=width, height=height, map=map_name, **options)
    try:
        with _signals_interrupt():
            _bench(request, as_json)
    except KeyboardInterrupt:
        _fail(Interrupted(f"interrupted; frame records, if there are any, are kept in {out}"))


def _bench(request: BenchOptions, as_json: bool) -> None:
    from foveal_bench.run import bench

    console = ReportingConsole(stderr=as_json)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    run, early = bench(request, Progress(console))
    if isinstance(early, OutputClosed):
        _fail(early)
    if as_json:
        echo(json.dumps(run, indent=1))
    else:
        print_summary(console, run)
    console.print(f"report: {request.out / 'report.html'}", highlight=False, markup=False)
    if request.wave is not None and request.wave.exists():
        console.print(f"waves: {request.wave}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"foveal bench: {run['verdict']}", style="bold green" if run["verdict"] == "VALID" else "bold red")
    if early is not None:
        _fail(early)
    sys.exit(VALID if run["verdict"] == "VALID" else INVALID)


tco.add_command(risk_command)
tco.add_command(unit)
cli.add_command(tco)
cli.add_command(claims)
cli.add_command(price)
cli.add_command(meter)
cli.add_command(export)
cli.add_command(doctor)
cli.add_command(xclbin)


@cli.command("world", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def world_command(arguments: tuple[str, ...]) -> None:
    """Start the world server that the unmodified carla 0.9.16 client connects to (see `foveal world --help`)."""
    os.execv(sys.executable, [sys.executable, "-m", "foveal_sim.world", *arguments])


@cli.command("devices")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def devices_command(as_json: bool) -> None:
    """List the device backends: which open here, on what, and why not."""
    rows = []
    for name in device_names():
        try:
            device = open_device(name)
        except FovealError as error:
            rows.append({"backend": name, "works": False, "why_not": str(error)})
            continue
        info = device.info
        rows.append({"backend": name, "works": True, "device": info.name, "kind": info.kind, "detail": info.detail})
        device.close()
    if as_json:
        click.echo(json.dumps(rows, indent=1))
        return
    for row in rows:
        text = f"{row['device']} ({row['kind']})" if row["works"] else f"not usable: {row['why_not']}"
        click.echo(f"{row['backend']:8} {text}")


def _check_trace(trace: Path | None) -> None:
    """A trace brings its own picture, map and traffic: naming others beside it is a mistake."""
    if trace is None:
        return
    context = click.get_current_context()
    for name in ("size", "map_name", "traffic", "walkers", "host"):
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            option = "--" + name.removesuffix("_name")
            raise click.BadParameter("a trace brings its own; leave it out", param_hint=option)


def _check_tick(option: str, tick: int | None, ticks: int) -> None:
    if tick is not None and tick >= ticks:
        raise click.BadParameter(f"tick {tick} is not among the {ticks} that run", param_hint=option)


def _check_overlap(ticks: int) -> None:
    if 0 < ticks < FOLLOWERS + 2:
        raise click.BadParameter(
            f"{ticks} frames have no period; take {FOLLOWERS + 2} or more, or 0", param_hint="--overlap"
        )


def _check_wave(path: Path | None, tick: int, ticks: int) -> None:
    if path is None and click.get_current_context().get_parameter_source("wave_tick") is not ParameterSource.DEFAULT:
        raise click.BadParameter("it means nothing without --wave FILE.vcd", param_hint="--wave-tick")
    if path is not None:
        _check_tick("--wave-tick", tick, ticks)
        if not path.absolute().parent.is_dir():
            raise click.BadParameter(f"there is no folder {path.absolute().parent}", param_hint="--wave")


def _check_card(options: dict[str, Any]) -> None:
    """What only a simulation can do is not asked of a card, and a card is not named without an image."""
    if options["xclbin"] is None:
        if options["card"] is not None:
            raise click.BadParameter("it means nothing without --xclbin FILE", param_hint="--card")
        return
    for name in ("corrupt", "fault", "wave"):
        if options[name] is not None:
            raise click.BadParameter("only the co-simulated card can do it; leave out --xclbin", param_hint=f"--{name}")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit() and 1 <= int(width) <= 4096 and 1 <= int(height) <= 4096):
        raise click.BadParameter(f"{text!r} is not WIDTHxHEIGHT with 1 to 4096 a side", param_hint="--size")
    return int(width), int(height)


@contextlib.contextmanager
def _signals_interrupt() -> Iterator[None]:
    """SIGTERM and a closed terminal end a run as Ctrl-C does; a signal that the caller ignores stays ignored."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    taken = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    if threading.current_thread() is not threading.main_thread():
        taken = []
    for number in taken:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def _fail(error: FovealError) -> NoReturn:
    with contextlib.suppress(OSError):  # nobody may be there to read it
        click.echo(f"error: {one_line(error)}", err=True)
    sys.exit(INTERRUPTED if isinstance(error, Interrupted) else FAILED)


def main() -> None:
    """Entry point: a user's mistake ends in one line, not in a traceback."""
    open_standard_streams()
    try:
        cli.main(standalone_mode=True)
    except FovealError as error:
        _fail(error)
    except Exception as error:
        _fail(unexpected(error))
