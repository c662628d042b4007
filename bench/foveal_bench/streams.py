"""The command's own standard streams: there, and honest when the reader has gone."""

from __future__ import annotations

import os
import sys

import click
from foveal.errors import FovealError
from rich.console import Console

__all__ = ["OutputClosed", "ReportingConsole", "echo", "open_standard_streams"]


class OutputClosed(FovealError):
    """Whoever read the output has gone, or it cannot take more."""


class ReportingConsole(Console):
    """A console that says so when its output is closed, instead of ending the process."""

    def on_broken_pipe(self) -> None:
        raise _closed("nobody reads it any more")

    def print(self, *objects: object, **style: object) -> None:  # type: ignore[override]
        try:
            super().print(*objects, **style)  # type: ignore[arg-type]
        except OSError as error:
            raise _closed(error.strerror or str(error)) from None


def echo(text: str) -> None:
    """Print one text to standard output. Raises OutputClosed."""
    try:
        click.echo(text)
    except OSError as error:
        raise _closed(error.strerror or str(error)) from None


def open_standard_streams() -> None:
    """Put the null device where 0, 1 or 2 is closed; else the next file opened gets the number, and the prints."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)


def _closed(reason: str) -> OutputClosed:
    """Also sends what is still buffered nowhere, so that the interpreter ends quietly."""
    if sys.stdout is not None:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    return OutputClosed(f"standard output cannot be written ({reason}); send it to a file, or use --json")
