"""One probe in this process: ``python -m foveal_bench.doctor.child PROBE REQUEST.json ANSWER.json``.

The answer goes to a file, since libraries print what they like.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from foveal_bench.doctor.finding import Finding, State
from foveal_bench.doctor.probes import PROBES, Request
from foveal_bench.failure import one_line


def main(name: str, request: str, answer: str) -> None:
    try:
        finding = PROBES[name].run(Request(**json.loads(request)))
    except Exception as error:
        finding = Finding(State.BROKEN, f"{type(error).__name__}: {one_line(error)}")
    Path(answer).write_text(json.dumps(asdict(finding)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
