"""Runs inside a simulator, before its bench: one process a mutant, forked while nothing has been simulated yet.

Interpreter, bench and model are loaded once for many mutants. Each mutant has a directory with its log, its results,
and the file `mutant` from which the model reads its number. A mutant has a limit of processor time, for some never end.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path

__all__ = ["IMPORTS", "JOB"]

JOB = "FOVEAL_MUTANTS"  # environment: {"bench", "folder", "limit_s", "mutants": {directory: number}} as JSON
IMPORTS = "imports.json"  # in the folder: the files of all modules that the bench has loaded


def _become(directory: Path, limit_s: int) -> None:
    """Let this process, a child, do its work in `directory`."""
    os.chdir(directory)
    log = os.open("sim.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["COCOTB_RESULTS_FILE"] = str(directory / "results.xml")
    # The model's destructor would wait for threads that stay behind in the parent.
    atexit.register(os._exit, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))


def _farm(job: dict[str, object]) -> None:
    """Return in each child, one after the other; the parent ends here."""
    importlib.import_module(str(job["bench"]))
    files = sorted({module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)})
    Path(str(job["folder"]), IMPORTS).write_text(json.dumps(files))
    mutants = job["mutants"]
    assert isinstance(mutants, dict)
    for name, number in mutants.items():
        directory = Path(str(job["folder"])) / name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "mutant").write_text(f"{number}\n")
        (directory / "results.xml").unlink(missing_ok=True)
        sys.stdout.flush()
        start = time.monotonic()
        child = os.fork()
        if child == 0:
            _become(directory, int(str(job["limit_s"])))
            return
        os.waitpid(child, 0)
        (directory / "seconds").write_text(f"{time.monotonic() - start:.1f}")
    os._exit(0)


if JOB in os.environ:
    _farm(json.loads(os.environ[JOB]))
