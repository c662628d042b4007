"""A count with its noun, in the right number."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, noun: str) -> str:
    """`1 road`, `2 roads`, `0 roads`; for nouns that take an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
