"""The one place that shows progress: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from foveal.counted import counted
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

__all__ = ["Progress"]

T = TypeVar("T")
LINES = 6
"""Lines that a run prints where there is no terminal."""


class Progress:
    """Reports to `console`; quiet: say nothing at all."""

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet

    def say(self, text: str) -> None:
        """One line about what starts now."""
        if not self._quiet:
            self._console.print(f"{text} ...", highlight=False, soft_wrap=True)

    def track(self, items: Iterable[T], count: int) -> Iterator[T]:
        """Pass `items` through, showing how many of `count` are done."""
        if self._quiet:
            yield from items
        elif self._console.is_terminal:
            columns = (
                TextColumn("ticks"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
            )
            with Bar(*columns, console=self._console) as bar:
                yield from bar.track(items, total=count)
        else:
            every = max(1, count // LINES)
            for number, item in enumerate(items, start=1):
                yield item
                if number % every == 0 or number == count:
                    self._console.print(f"{number} of {counted(count, 'tick')} done", highlight=False)
