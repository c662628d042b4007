"""What the checks of claims may look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foveal.errors import FovealError

from foveal_bench.cost.book import PriceBook

__all__ = ["Evidence", "load_run"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """book: prices. run: run.json's content of a VALID run, None where there is none. seed: of the simulations."""

    book: PriceBook
    run: dict[str, Any] | None
    seed: int = 1


def load_run(path: Path) -> dict[str, Any]:
    """run.json as written by `foveal bench`. Raises FovealError when it is not, or when the run is INVALID."""
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        verdict, summary = run["verdict"], run["summary"]
        if verdict == "VALID":  # an INVALID run may have measured nothing
            _ = summary["configurations"]
    except OSError as error:
        raise FovealError(f"{path} cannot be read: {error.strerror}; `foveal bench` writes one") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FovealError(f"{path} is not the run.json of a benchmark run") from error
    if verdict != "VALID":
        raise FovealError(f"{path} is of a run that is {verdict}; nothing may be concluded from it")
    return run
