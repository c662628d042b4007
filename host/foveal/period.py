"""When a sensor that works every so many simulated seconds is due."""

from __future__ import annotations

__all__ = ["Period"]

_SAME_S = 1e-6
"""Instants this close are one: periods and steps come as 32-bit numbers."""


class Period:
    """Due at once, then every `seconds` (0: always); one that was missed is not made up for."""

    def __init__(self, seconds: float) -> None:
        """Raises ValueError below 0 and for what is not finite."""
        if not 0.0 <= seconds < float("inf"):
            raise ValueError(f"sensor_tick must be 0 or more seconds, got {seconds}")
        self.seconds = seconds
        self._due_s = 0.0

    def take(self, now_s: float) -> bool:
        """Is it due at `now_s` simulated seconds? Then the next time is a period later."""
        if now_s + _SAME_S < self._due_s:
            return False
        following = self._due_s + self.seconds
        self._due_s = following if following > now_s else now_s + self.seconds
        return True
