"""SIGTERM and SIGINT end a server in peace, from its first moment on. Imports nothing that takes time."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable

__all__ = ["end_process", "on_stop"]


def on_stop(action: Callable[[], None]) -> None:
    """Call `action` on either signal from now on; changes nothing outside the main thread, which alone gets them."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: action())


def end_process() -> None:
    """End with status 0 and without a traceback. Raises SystemExit."""
    raise SystemExit(0)
