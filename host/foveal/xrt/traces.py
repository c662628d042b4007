"""Tracebacks of errors that passed through the library's calls."""

from __future__ import annotations

import traceback

__all__ = ["let_go"]


def let_go(error: BaseException) -> None:
    """Clear the variables of the calls that `error`, and what caused it, ended.

    They may be objects of the library, which would live as long as somebody keeps the error, and a reset ends every
    process that holds one of the card's. Calls that still run keep theirs.
    """
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        traceback.clear_frames(cause.__traceback__)
        cause = cause.__cause__
