"""Runs probes in processes of their own, some at a time, each until its deadline."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from foveal_bench.doctor.finding import Finding, State
from foveal_bench.doctor.probes import PROBES, Request

__all__ = ["examine", "finding_of"]

AT_A_TIME = 4
WORDS = 300
"""Characters of a crashed probe's last words that are shown."""


def examine(request: Request, names: Sequence[str] = tuple(PROBES)) -> dict[str, Finding]:
    """The finding of each probe, in the order of `names`. Never raises for what a probe does."""
    with ThreadPoolExecutor(min(AT_A_TIME, os.cpu_count() or 1)) as pool:
        findings = pool.map(lambda name: finding_of(_command(name, request), PROBES[name].deadline_s), names)
        return dict(zip(names, findings, strict=True))


def _command(name: str, request: Request) -> list[str]:
    return [sys.executable, "-m", "foveal_bench.doctor.child", name, json.dumps(asdict(request))]


def finding_of(command: Sequence[str], deadline_s: float) -> Finding:
    """The answer of a probe, `command` and the file for it; it is ended with all that it started at its deadline."""
    with tempfile.TemporaryDirectory(prefix="foveal-doctor-") as folder:
        answer = Path(folder) / "answer.json"
        process = subprocess.Popen(
            [*command, str(answer)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            encoding="utf-8",
            errors="replace",
        )
        try:
            words, _ = process.communicate(timeout=deadline_s)
        except subprocess.TimeoutExpired:
            return Finding(State.BROKEN, f"no answer within {deadline_s:g} s")
        finally:
            _end(process)
        try:
            content = json.loads(answer.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return Finding(State.BROKEN, f"the probe {_ending(process.returncode)}: {' '.join(words.split())[-WORDS:]}")
    return Finding(State(content["state"]), content["found"], content["mend"])


def _end(process: subprocess.Popen[str]) -> None:
    """The probe's session, which is its own, with whatever it left there."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _ending(code: int) -> str:
    return f"died of signal {-code} ({signal.Signals(-code).name})" if code < 0 else f"ended with code {code}"
