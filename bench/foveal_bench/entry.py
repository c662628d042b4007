"""Where the program `foveal` starts: it says which environment it needs where this one holds less."""

from __future__ import annotations

import sys

__all__ = ["main"]

SOMETHING_MISSING = 3


def main() -> None:
    """Run the command. Ends with 3 and one line where a package that it needs is not installed, as in .venv-pynq."""
    try:
        from foveal_bench.cli import main as command
    except ModuleNotFoundError as error:
        print(
            f"error: {sys.prefix} has no {error.name}, which this command needs; use the `foveal` of the environment "
            "that tools/setup.sh run makes (.venv/bin/foveal): .venv-pynq is for programs that import foveal.pynq",
            file=sys.stderr,
        )
        sys.exit(SOMETHING_MISSING)
    command()
