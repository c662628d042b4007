"""What a probe found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Finding", "State"]


class State(StrEnum):
    """WORKS; ABSENT: not there; BROKEN: there, and does not work."""

    WORKS = "works"
    ABSENT = "absent"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """state, what was found in one line, and the command that mends it (empty when it needs none or none would)."""

    state: State
    found: str
    mend: str = ""
