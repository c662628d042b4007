"""One benchmark run: drive, render on every device, compare, record, summarise, report."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from foveal.card import load_board
from foveal.device import Device, open_device
from foveal.errors import DeviceError, FovealError
from foveal.frame import Frame
from foveal.golden.render import render as render_golden
from foveal.region import RegionSet

from foveal_bench.card_model import card_model
from foveal_bench.configuration_keys import MEASURED_CARD, SHARED, SIMULATED_CARD, accelerated
from foveal_bench.console import milliseconds
from foveal_bench.cost.book import load_book
from foveal_bench.environment import describe
from foveal_bench.failure import Interrupted, one_line, unexpected
from foveal_bench.folder import results_folder
from foveal_bench.loop import Configuration, FrameLoop, Step
from foveal_bench.options import BenchOptions
from foveal_bench.overlap import LEAST, measure_overlap, without_pixels
from foveal_bench.pictures import annotated, data_uri
from foveal_bench.progress import Progress
from foveal_bench.report import render_report
from foveal_bench.source import Source, open_source
from foveal_bench.statistics import CLAIMABLE_FROM
from foveal_bench.store import RecordStore, load
from foveal_bench.summary import summarise_run
from foveal_bench.telemetry import read_telemetry
from foveal_bench.timing_report import against_timing, report_beside
from foveal_bench.verdict import Verdict

__all__ = ["REPORT", "RUN", "bench"]

LOG = logging.getLogger(__name__)

RUN, REPORT = "run.json", "report.html"
HOST_STAGES = ("region", "scene")


def bench(options: BenchOptions, progress: Progress) -> tuple[dict[str, Any], FovealError | None]:
    """Run and write `run.json`, `frames.parquet` and `report.html` below options.out.

    Returns run.json's content and the error that ended the drive early, if one did; what was recorded before is kept.
    A device that fails is no such error, but a reason of the verdict, from the loading of the meshes on; one that was
    told to fail (options.fault), from its opening on. Raises FovealError when nothing could be run at all.
    """
    started = datetime.now(UTC)
    prices = load_book(options.prices)
    verdict, pictures = Verdict(), _Pictures()
    early: FovealError | None = None
    with contextlib.ExitStack() as stack:
        stack.enter_context(results_folder(options.out))
        progress.say("opening devices")
        devices, refusal = _open_devices(options, stack)
        configurations = [] if refusal else _configurations(devices, options)
        timing = _timing(options, verdict)
        progress.say("starting the drive")
        source = stack.enter_context(open_source(options))
        if options.wave is not None and options.wave_tick >= source.count:
            raise FovealError(
                f"the drive has no tick {options.wave_tick}; name one below {source.count} by --wave-tick"
            )
        telemetry = {"before": read_telemetry(devices)}
        # From here on the folder holds this run and nothing of an earlier one.
        for name in (RUN, REPORT):
            (options.out / name).unlink(missing_ok=True)
        store = stack.enter_context(RecordStore(options.out))
        overlap: dict[str, Any] | None = None
        try:
            with verdict.device("before the first frame"):
                if refusal is not None:
                    raise refusal
                _load(devices, source)
            overlap = _drive(source, configurations, devices, store, verdict, pictures, options, progress)
            if options.corrupt is not None and verdict.valid:
                verdict.against(
                    "nothing was spoiled", f"the drive has no tick {options.corrupt[0]}; name an earlier one"
                )
            if options.fault is not None and verdict.valid:
                verdict.against("no fault happened", f"the card did not come as far as {options.fault}")
        except KeyboardInterrupt:
            kept = f"what was recorded before is kept in {options.out}" if store.rows else "nothing was recorded yet"
            early = Interrupted(f"interrupted; {kept}")
            verdict.against("interrupted", f"after {store.rows} frame records")
        except DeviceError:
            LOG.debug("the device's failure is a reason of the verdict", exc_info=True)
            if options.fault is not None:
                verdict.against("the card was told to fail", _counted(options.fault))
        except Exception as error:
            early = unexpected(error)
            verdict.against("the drive ended early", f"after {store.rows} frame records: {one_line(early)}")
        if early is not None and not store.rows:
            raise early
        telemetry["after"] = read_telemetry(devices)
    records = load(options.out) if store.rows else None
    facts = {c.key: _facts(c) for c in configurations}
    run: dict[str, Any] = {
        "verdict": str(verdict),
        "reasons": verdict.lines(),
        "headline": None,
        "started": started.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "source": source.text,
        "options": _as_run(options, source),
        "environment": describe(),
        "timing": timing,
        "telemetry": telemetry,
        "card_model": card_model(options.board) if options.xclbin is None else None,
        "depth": pictures.depth_compared,
        "summary": None
        if records is None
        else summarise_run(
            records,
            facts,
            seed=options.seed,
            prices=prices,
            streams=options.streams,
            card=options.board.upper(),
            today=started.date(),
            overlap=overlap,
        ),
    }
    if verdict.valid:
        run["headline"] = _headline(run["summary"])
    _write(options.out / REPORT, render_report(run, records, pictures.shown))
    _write(options.out / RUN, json.dumps(run, indent=1, allow_nan=False) + "\n")
    return run, early


def _open_devices(options: BenchOptions, stack: contextlib.ExitStack) -> tuple[dict[str, Device], DeviceError | None]:
    """The devices that open, and why a card that was told to fail does not. Raises FovealError otherwise."""
    wanted: dict[str, dict[str, Any]] = {
        "opencl": {},
        "card": {
            "backend": "cosim",
            "board": options.board,
            "waves": options.wave is not None,
            "faults": options.fault or (),
        },
        "model": {},
    }
    if options.xclbin is not None:
        wanted["card"] = {"backend": "xrt", "board": options.board, "xclbin": options.xclbin, "card": options.card}
    devices: dict[str, Device] = {}
    for name, arguments in wanted.items():
        try:
            devices[name] = open_device(arguments.pop("backend", name), **arguments)
        except DeviceError as error:
            if options.fault is None:
                raise
            return devices, error
        stack.callback(devices[name].close)
    return devices, None


def _counted(fault: str) -> str:
    return (
        f"--fault {fault} counts the frames that the card draws, from 0 and warm-up included; a frame that the device's"
        " own message names is the world's"
    )


def _timing(options: BenchOptions, verdict: Verdict) -> dict[str, object] | None:
    """Figures of the image's timing report; None without an image. What speaks against it goes to the verdict."""
    path = options.timing_report
    if path is None:
        if options.xclbin is None:
            return None
        path = report_beside(options.xclbin)
        if not path.is_file():
            verdict.against(
                "timing of the image is unknown", f"{path} is not there; name Vivado's report by --timing-report"
            )
            return None
    figures, faults = against_timing(path, load_board(options.board).part)
    for fault in faults:
        verdict.against("timing of the image is not closed" if figures else "timing of the image is unknown", fault)
    return figures


def _configurations(devices: dict[str, Device], options: BenchOptions) -> list[Configuration]:
    opencl, card = devices["opencl"], devices["card"]
    kind = opencl.info.kind.upper()
    measured = options.xclbin is not None
    key = MEASURED_CARD if measured else SIMULATED_CARD
    label = options.board.upper() if measured else f"{options.board.upper()} co-simulated"
    return [
        Configuration("opencl-full", f"OpenCL on a {kind}, full frame", opencl, full=True),
        Configuration("opencl-region", f"OpenCL on a {kind}, regions", opencl, full=False),
        Configuration(f"{key}-full", f"{label}, full frame", card, full=True, every=options.full_every, exact=True),
        Configuration(f"{key}-region", f"{label}, regions", card, full=False, exact=True),
    ]


def _load(devices: dict[str, Device], source: Source) -> None:
    for device in devices.values():
        device.load(source.scene.meshes)


def _drive(
    source: Source,
    configurations: list[Configuration],
    devices: dict[str, Device],
    store: RecordStore,
    verdict: Verdict,
    pictures: _Pictures,
    options: BenchOptions,
    progress: Progress,
) -> dict[str, Any] | None:
    """Returns the figures of the frames in flight together."""

    def on_picture(step: Step, frames: dict[str, Frame]) -> None:
        pictures.take(step, frames)
        pictures.check_depth(step, devices["card"], source, verdict)

    region = accelerated([configuration.key for configuration in configurations])

    def before_render(step: Step, configuration: Configuration) -> None:
        if options.corrupt is not None and configuration.key == region and step.tick == options.corrupt[0]:
            configuration.device.spoil_next = options.corrupt[1:]  # type: ignore[attr-defined]
        if options.wave is not None and configuration.key == region and step.tick == options.wave_tick:
            configuration.device.wave_next = options.wave  # type: ignore[attr-defined]

    loop = FrameLoop(
        configurations,
        devices["model"],
        store,
        verdict,
        seed=options.seed,
        picture_every=options.full_every,
        on_picture=on_picture,
        before_render=before_render,
    )
    ticks = seen = 0
    drawn: list[tuple[Step, Frame]] = []
    for step in progress.track(_warmed(source.steps, loop, progress), source.count):
        frames = loop.run(step)
        if ticks < options.overlap:
            drawn.append((step, without_pixels(frames[region])))
        ticks += 1
        seen += len(step.regions) > 0
    if ticks < source.count:
        verdict.against("frames dropped", f"{source.count - ticks} of {source.count} ticks are missing")
    if not seen:
        advice = "raise --traffic or --walkers" if options.host is None else "spawn some around the ego"
        verdict.against("no regions", f"no vehicle or walker came into view in {ticks} ticks; {advice}")
    if len(drawn) < LEAST:
        return None
    progress.say(f"drawing {len(drawn)} ticks again, overlapped on the card")
    card = next(c for c in configurations if c.key == region)
    overlapped = replace(card, key=f"{region}, overlapped")
    with verdict.device(overlapped.key):
        return measure_overlap(drawn, card.device, lambda step, frame: loop.check(step, overlapped, frame))


def _warmed(steps: Iterator[Step], loop: FrameLoop, progress: Progress) -> Iterator[Step]:
    for number, step in enumerate(steps):
        if number == 0:
            progress.say("warming up (compiling kernels)")
            loop.warm_up(step)
        yield step


class _Pictures:
    """Frames kept for the page, and the comparison of depth at the same ticks."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []
        self.depth_compared = {"frames": 0, "values_different": 0}

    def take(self, step: Step, frames: dict[str, Frame]) -> None:
        none = RegionSet(step.regions.width, step.regions.height, ())
        self.shown.append(
            {
                "caption": f"tick {step.tick}",
                "share": f"{100 * step.regions.share:.1f} %",
                "full": data_uri(annotated(frames["opencl-full"].pixels, step.regions)),
                "full_by": "OpenCL",
                "region": data_uri(annotated(frames[accelerated(frames)].pixels, none)),
            }
        )

    def check_depth(self, step: Step, card: Device, source: Source, verdict: Verdict) -> None:
        with verdict.device(f"the card's depth, tick {step.tick}"):
            frame = card.render(step.draw, step.regions, depth=True)  # type: ignore[call-arg]
        words = frame.pixels.view("<u4")[..., 0]
        expected = render_golden(source.scene.meshes, step.draw, step.regions, resident=False).depth_words()
        different = int(np.count_nonzero(words != expected))
        self.depth_compared["frames"] += 1
        self.depth_compared["values_different"] += different
        if different:
            verdict.against("depth differs from the golden model", f"tick {step.tick}: {different} values")


def _facts(configuration: Configuration) -> dict[str, Any]:
    info = configuration.device.info
    return {
        "label": configuration.label,
        "device": info.name,
        "kind": info.kind,
        "detail": dict(info.detail),
        "clock_hz": getattr(configuration.device, "clock_hz", None),
    }


def _as_run(options: BenchOptions, source: Source) -> dict[str, Any]:
    """The options as they were used: a trace brings its own picture and drive."""
    used = {k: str(v) if isinstance(v, Path) else v for k, v in asdict(options).items()}
    used |= {"width": source.mount.width, "height": source.mount.height, "ticks": source.count}
    if options.trace is not None or options.host is not None:
        used |= dict.fromkeys(("map", "traffic", "walkers"))
    return used


def _headline(summary: dict[str, Any]) -> str:
    """What the run shows, as far as it may be claimed; device time, since both sides share the host's work."""
    ratios = {r["of"]: r for r in summary["ratios"]}
    configurations = summary["configurations"]
    region = accelerated(configurations)
    card, share = configurations[region], 100 * summary["regions"]["share_p50"]
    if card["device_ms"]["p50"] is None:
        return f"{summary['ticks']} ticks are too few to claim a latency; run at least {CLAIMABLE_FROM[0.5]}."
    parts = [
        f"With {share:.{0 if share >= 10 else 1}f} % of the picture in regions, the"
        f" {'co-simulated ' if region.startswith(SIMULATED_CARD) else ''}card's frame takes"
        f" {milliseconds(card['device_ms']['p50'])} ms ({_device_provenance(card)})"
    ]
    if own := ratios.get(region):
        parts.append(f"{own['value']:.2f} x its own full frame ({own['low']:.2f} to {own['high']:.2f}, n = {own['n']})")
    if other := ratios.get(SHARED):
        kind = configurations[SHARED]["kind"].upper()
        parts.append(f"OpenCL on a {kind} with the same regions takes {other['value']:.2f} x its full frame (measured)")
    return "; ".join(parts) + "."


def _device_provenance(card: dict[str, Any]) -> str:
    """Of the stages that device time is made of, without the host's own measured work."""
    stages = {stage["provenance"] for stage in card["stages"] if stage["name"] not in HOST_STAGES}
    return " + ".join(sorted(stages, reverse=True))


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    unfinished = path.with_suffix(".unfinished")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise FovealError(f"cannot write {path}: {error.strerror}; the frame records are kept") from error
