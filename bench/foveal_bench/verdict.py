"""Whether a run can be trusted. An INVALID run has reasons and no headline."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from foveal.errors import DeviceError

from foveal_bench.failure import one_line

__all__ = ["Verdict"]


@dataclass(slots=True)
class Verdict:
    """Collects reasons; valid while there is none. Each reason is counted with its first example."""

    reasons: dict[str, list[str]] = field(default_factory=dict)

    def against(self, reason: str, example: str) -> None:
        """Record one violation of `reason`."""
        self.reasons.setdefault(reason, []).append(example)

    @contextlib.contextmanager
    def device(self, where: str) -> Iterator[None]:
        """A DeviceError inside speaks against the run, named by `where`, and goes on to the caller."""
        try:
            yield
        except DeviceError as error:
            self.against("a device failed", f"{where}: {one_line(error)}")
            raise

    @property
    def valid(self) -> bool:
        return not self.reasons

    def lines(self) -> list[str]:
        """One line per reason: how often, and the first example."""
        return [
            f"{reason}: {examples[0]}" + (f" (and {len(examples) - 1} more)" if len(examples) > 1 else "")
            for reason, examples in self.reasons.items()
        ]

    def __str__(self) -> str:
        return "VALID" if self.valid else "INVALID"
