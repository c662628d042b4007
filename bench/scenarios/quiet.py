"""Imported first: what follows takes seconds to import, and Ctrl-C then shall show no traceback."""

from __future__ import annotations

import sys
from types import TracebackType


def _say(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted before the first tick", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _say
