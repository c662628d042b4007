"""MessagePack-RPC as the client speaks it: envelopes, and a table of methods by name."""

from __future__ import annotations

import logging
import reprlib
from collections.abc import Callable, Sequence
from typing import Any

import msgpack
from foveal.errors import FovealError

from foveal_sim.world.complaints import Complaints

__all__ = ["CallError", "MethodTable", "failure", "success"]

_log = logging.getLogger(__name__)

Handler = Callable[..., Any]

_REASON = 500
_shown = reprlib.Repr().repr


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
        self._complain = Complaints(_log)
        self._unknown = Complaints(_log, times=1)

    @property
    def handlers(self) -> dict[str, Handler]:
        """All methods by name."""
        return {**self._values, **self._commands, **self._bare}

    def value(self, name: str, handler: Handler) -> None:
        self._values[name] = handler

    def command(self, name: str, handler: Handler) -> None:
        self._commands[name] = handler

    def bare(self, name: str, handler: Handler) -> None:
        self._bare[name] = handler

    def answer(self, message_id: int, method: str, arguments: Sequence[Any]) -> bytes:
        """Packed response to one request. Never raises for what a client sends."""
        try:
            return msgpack.packb([1, message_id, *self._call(method, arguments)])
        except FovealError as refusal:
            result = self._refuse(method, str(refusal))
        except (TypeError, ValueError, IndexError, KeyError, OverflowError) as error:
            self._complain(method, f"{method}{_shown(arguments)}: {error}", exc_info=_log.isEnabledFor(logging.DEBUG))
            result = self._refuse(method, f"{method}: arguments not understood: {error}"[:_REASON])
        except Exception:  # a fault of this server must not end it for the other clients
            self._complain(f"{method} failed", f"{method}{_shown(arguments)} failed", logging.ERROR, exc_info=True)
            result = self._refuse(method, f"{method}: internal error of the world server; see its log")
        return msgpack.packb([1, message_id, None, result])

    def _call(self, method: str, arguments: Sequence[Any]) -> tuple[str | None, object]:
        if method in self._values:
            return None, success(self._values[method](*arguments))
        if method in self._commands:
            self._commands[method](*arguments)
            return None, _DONE
        if method in self._bare:
            return None, self._bare[method](*arguments)
        name = _shown(method)
        self._unknown(name, f"the client called {name}, which this server does not have")
        return f"no method {name}", None

    def _refuse(self, method: str, message: str) -> object:
        if method in self._values:
            return failure(message)
        if method in self._commands:
            return [[True, [message]]]
        return failure(message)
