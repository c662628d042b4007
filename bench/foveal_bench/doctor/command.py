"""`foveal doctor`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from foveal_bench.doctor.finding import Finding, State
from foveal_bench.doctor.probes import PROBES, Request

__all__ = ["doctor"]

SOMETHING_MISSING = 3
PIPE_WIDTH = 140
"""Columns of a table that goes to a file or a pipe."""
STYLES = {State.WORKS: "green", State.ABSENT: "yellow", State.BROKEN: "bold red"}


@click.command("doctor")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where a CARLA server is looked for.")
@click.option("--port", type=click.IntRange(1, 65534), default=2000, show_default=True, help="Its RPC port.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/bench"), help="Where results would go.")
@click.option("--only", multiple=True, type=click.Choice(list(PROBES)), help="Look at this only; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(host: str, port: int, out: Path, only: tuple[str, ...], as_json: bool) -> None:
    """What works on this machine, what does not, and the one command that mends it.

    Exit codes: 0 all that `foveal bench` needs works, 3 something of it does not.
    """
    from foveal_bench.doctor.runner import examine

    findings = examine(Request(host, port, str(out)), only or tuple(PROBES))
    ready = all(finding.state is State.WORKS for name, finding in findings.items() if PROBES[name].needed)
    if as_json:
        rows = [{"probe": name, "needed": PROBES[name].needed} | asdict(f) for name, f in findings.items()]
        click.echo(json.dumps({"ready": ready, "findings": rows}, indent=1))
    else:
        _print(findings, ready)
    sys.exit(0 if ready else SOMETHING_MISSING)


def _print(findings: dict[str, Finding], ready: bool) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    table = Table(title="foveal doctor", title_justify="left")
    for column in ("what", "state", "found", "mended by"):
        table.add_column(column, overflow="fold")
    for needed in (True, False):
        for name, finding in findings.items():
            if PROBES[name].needed is needed:
                title = PROBES[name].title + (" *" if needed else "")
                state = f"[{STYLES[finding.state]}]{finding.state}[/]"
                words = (console.render_str(text, markup=False) for text in (finding.found, finding.mend))
                table.add_row(title, state, *words)
        table.add_section()
    console.print(table)
    console.print("* foveal bench needs it", style="dim")
    whole = findings.keys() >= {name for name, probe in PROBES.items() if probe.needed}
    if not ready:
        console.print("foveal doctor: foveal bench cannot run here", style="bold red")
    elif whole:
        console.print("foveal doctor: all that foveal bench needs works", style="bold green")
