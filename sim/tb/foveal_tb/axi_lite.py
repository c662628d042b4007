"""An AXI4-Lite master. Address and data of a write may come apart, and the answer may be taken late."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

from .clocked import Clocked, bit, number
from .idle import Idle

__all__ = ["AxiLite"]

DEADLINE = 200  # cycles from the first valid to the answer


class _Channel:
    """Offers one payload after `delay` cycles and holds it until ready."""

    def __init__(self, dut: Any, channel: str, payload: list[str]) -> None:
        self.valid = getattr(dut, f"{channel}valid")
        self.ready = getattr(dut, f"{channel}ready")
        self.payload = [getattr(dut, f"{channel}{name}") for name in payload]
        self.idle = Idle(self.payload)
        self.reset()

    def reset(self) -> None:
        self.queue: deque[tuple[int, tuple[int, ...]]] = deque()
        self.offered = self.taken = False
        self.valid.value = 0
        self.idle.rest()

    def put(self, delay: int, *values: int) -> None:
        self.queue.append((delay, values))

    def drive(self) -> None:
        if self.taken:
            self.offered = self.taken = False
            self.idle.rest()
        if not self.offered and self.queue:
            delay, values = self.queue.popleft()
            if delay:
                self.queue.appendleft((delay - 1, values))
            else:
                for handle, value in zip(self.payload, values, strict=True):
                    handle.value = value
                self.offered = True
        self.valid.value = int(self.offered)

    def sample(self) -> None:
        self.taken = self.offered and bool(bit(self.ready))


class AxiLite:
    """Register accesses; `await write(...)` and `await read(...)` run the bench until the answer."""

    def __init__(self, loop: Clocked, prefix: str, rng: random.Random | None = None) -> None:
        dut = loop.dut
        self.loop = loop
        self.rng = rng
        self.aw = _Channel(dut, f"{prefix}_aw", ["addr"])
        self.w = _Channel(dut, f"{prefix}_w", ["data", "strb"])
        self.ar = _Channel(dut, f"{prefix}_ar", ["addr"])
        self.b = [getattr(dut, f"{prefix}_b{name}") for name in ("valid", "ready", "resp")]
        self.r = [getattr(dut, f"{prefix}_r{name}") for name in ("valid", "ready", "resp", "data")]
        self.write_cycle = 0  # cycle in which the last write was complete: both handshakes done
        self.reset()

    def reset(self) -> None:
        for channel in (self.aw, self.w, self.ar):
            channel.reset()
        self.late_b = self.late_r = 0
        self.b_held: int | None = None
        self.r_held: tuple[int, int] | None = None
        self.b_answer: int | None = None
        self.r_answer: tuple[int, int] | None = None
        self.b[1].value = 0
        self.r[1].value = 0

    def drive(self) -> None:
        for channel in (self.aw, self.w, self.ar):
            channel.drive()
        self.late_b -= self.late_b > 0
        self.late_r -= self.late_r > 0
        self.b[1].value = int(self.late_b == 0)
        self.r[1].value = int(self.late_r == 0)

    def sample(self) -> None:
        for channel in (self.aw, self.w, self.ar):
            channel.sample()
        if self.aw.taken or self.w.taken:
            self.write_cycle = self.loop.cycle
        if bit(self.b[0]):
            resp = number(self.b[2])
            assert self.b_held in (None, resp), "BRESP changed before BREADY"
            self.b_held = resp
            if self.late_b == 0:
                self.b_answer, self.b_held = resp, None
        else:
            assert self.b_held is None, "BVALID withdrawn"
        if bit(self.r[0]):
            answer = (number(self.r[3]), number(self.r[2]))
            assert self.r_held in (None, answer), "R channel changed before RREADY"
            self.r_held = answer
            if self.late_r == 0:
                self.r_answer, self.r_held = answer, None
        else:
            assert self.r_held is None, "RVALID withdrawn"

    def _delay(self) -> int:
        return self.rng.choice([0, 0, 1, 2, 5]) if self.rng else 0

    async def write(self, addr: int, data: int, strobe: int = 15) -> int:
        """Write `data`; returns BRESP."""
        self.b_answer = None
        self.aw.put(self._delay(), addr)
        self.w.put(self._delay(), data & 0xFFFFFFFF, strobe)
        self.late_b = self._delay()
        await self.loop.until(lambda: self.b_answer is not None, DEADLINE, f"answer to the write of {addr:#x}")
        assert self.b_answer is not None
        return self.b_answer

    async def read(self, addr: int) -> tuple[int, int]:
        """(data, RRESP)."""
        self.r_answer = None
        self.ar.put(self._delay(), addr)
        self.late_r = self._delay()
        await self.loop.until(lambda: self.r_answer is not None, DEADLINE, f"answer to the read of {addr:#x}")
        assert self.r_answer is not None
        return self.r_answer
