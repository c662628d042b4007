"""MessagePack-RPC as the client speaks it: envelopes, and a table of methods by name."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import msgpack
from foveal.errors import FovealError

__all__ = ["CallError", "MethodTable", "failure", "success"]

_log = logging.getLogger(__name__)

Handler = Callable[..., Any]


class CallError(FovealError):
    """A call cannot be carried out; the client raises RuntimeError with this text."""


def success(value: object) -> list[object]:
    """Envelope of a returned value."""
    return [[1, value]]


def failure(message: str) -> list[object]:
    """Envelope of a refused call that would have returned a value."""
    return [[0, [message]]]


_DONE: list[object] = [[False]]


class MethodTable:
    """What clients may call. A value method returns a result, a command none, a bare method its own envelopes."""

    def __init__(self) -> None:
        self._values: dict[str, Handler] = {}
        self._commands: dict[str, Handler] = {}
        self._bare: dict[str, Handler] = {}
        self._unknown: set[str] = set()

    def value(self, name: str, handler: Handler) -> None:
        self._values[name] = handler

    def command(self, name: str, handler: Handler) -> None:
        self._commands[name] = handler

    def bare(self, name: str, handler: Handler) -> None:
        self._bare[name] = handler

    def answer(self, message_id: int, method: str, arguments: Sequence[Any]) -> bytes:
        """Packed response to one request. Never raises for what a client sends."""
        error, result = self._call(method, arguments)
        return msgpack.packb([1, message_id, error, result])

    def _call(self, method: str, arguments: Sequence[Any]) -> tuple[str | None, object]:
        try:
            if method in self._values:
                return None, success(self._values[method](*arguments))
            if method in self._commands:
                self._commands[method](*arguments)
                return None, _DONE
            if method in self._bare:
                return None, self._bare[method](*arguments)
        except FovealError as refusal:
            return None, self._refuse(method, str(refusal))
        except (TypeError, ValueError, IndexError, KeyError, OverflowError) as error:
            _log.warning("%s%r: %s", method, tuple(arguments), error, exc_info=_log.isEnabledFor(logging.DEBUG))
            return None, self._refuse(method, f"{method}: arguments not understood: {error}")
        except Exception:  # a fault of this server must not end it for the other clients
            _log.exception("%s%r failed", method, tuple(arguments))
            return None, self._refuse(method, f"{method}: internal error of the world server; see its log")
        if method not in self._unknown:
            self._unknown.add(method)
            _log.warning("the client called %r, which this server does not have", method)
        return f"no method {method!r}", None

    def _refuse(self, method: str, message: str) -> object:
        if method in self._values:
            return failure(message)
        if method in self._commands:
            return [[True, [message]]]
        return failure(message)
