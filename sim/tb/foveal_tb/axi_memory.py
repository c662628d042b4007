"""AXI4 memories for benches: sparse bytes, latency, pauses, injected errors, and a death after so many answers."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from .axi_rules import Burst, Held, check_burst
from .clocked import bit
from .idle import Idle

__all__ = ["DECERR", "OKAY", "SLVERR", "AxiReadSlave", "AxiWriteSlave", "Memory"]

PAGE = 4096
OKAY, SLVERR, DECERR = 0, 2, 3


class Memory:
    """Sparse bytes that read as `fill`; `written` holds every address that was stored to."""

    def __init__(self, fill: int = 0) -> None:
        self.fill = fill
        self.pages: dict[int, bytearray] = {}
        self.written: set[int] = set()

    def _page(self, addr: int) -> bytearray:
        number = addr // PAGE
        if number not in self.pages:
            self.pages[number] = bytearray([self.fill]) * PAGE
        return self.pages[number]

    def load(self, addr: int, data: bytes) -> None:
        """Place `data` without marking it as written."""
        done = 0
        while done < len(data):
            start = (addr + done) % PAGE
            part = data[done : done + PAGE - start]
            self._page(addr + done)[start : start + len(part)] = part
            done += len(part)

    def read(self, addr: int, size: int) -> bytes:
        """`size` bytes from any address."""
        data = b""
        while len(data) < size:
            start = (addr + len(data)) % PAGE
            data += self._page(addr + len(data))[start : start + size - len(data)]
        return data

    def read_beat(self, addr: int, size: int) -> int:
        """`size` bytes that lie in one page, as a little-endian integer."""
        start = addr % PAGE
        return int.from_bytes(self._page(addr)[start : start + size], "little")

    def write_beat(self, addr: int, data: int, strobe: int, size: int) -> None:
        """Store those of `size` bytes whose bit of `strobe` is set."""
        page, value = self._page(addr), data.to_bytes(size, "little")
        for lane in range(size):
            if strobe >> lane & 1:
                page[(addr + lane) % PAGE] = value[lane]
                self.written.add(addr + lane)


class _Slave:
    def __init__(self, data_bytes: int, memory: Memory, latency: Callable[[], int] | int) -> None:
        self.data_bytes = data_bytes
        self.memory = memory
        self.latency = latency if callable(latency) else lambda: latency
        self.now = 0
        self.bursts: list[Burst] = []
        self.in_flight = 0
        self.max_in_flight = 0
        self.beats_in_flight = 0
        self.max_beats_in_flight = 0

    def _request(self, addr: int, length: int, size: int, burst: int) -> None:
        check_burst(addr, length, size, burst, self.data_bytes)
        self.bursts.append((addr, length + 1))
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.beats_in_flight += length + 1
        self.max_beats_in_flight = max(self.max_beats_in_flight, self.beats_in_flight)


class AxiReadSlave(_Slave):
    """Answers reads in order. `errors` maps the number of a beat, counted from 0, to its response."""

    def __init__(
        self,
        dut: Any,
        prefix: str,
        memory: Memory,
        latency: Callable[[], int] | int = 5,
        accept: Iterator[bool] | None = None,
        active: Iterator[bool] | None = None,
        errors: dict[int, int] | None = None,
        dies_after: int | None = None,
    ) -> None:
        self.rdata = getattr(dut, f"{prefix}_rdata")
        super().__init__(len(self.rdata) // 8, memory, latency)
        self.ar = Held(dut, f"{prefix}_ar", ["addr", "len", "size", "burst"])
        self.arready = getattr(dut, f"{prefix}_arready")
        self.rvalid = getattr(dut, f"{prefix}_rvalid")
        self.rready = getattr(dut, f"{prefix}_rready")
        self.rresp = getattr(dut, f"{prefix}_rresp")
        self.rlast = getattr(dut, f"{prefix}_rlast")
        self.rid = getattr(dut, f"{prefix}_rid")
        self.idle = Idle([self.rdata, self.rresp, self.rlast, self.rid])
        self.accept = accept or itertools.repeat(True)
        self.active = active or itertools.repeat(True)
        self.errors = errors if errors is not None else {}
        self.dies_after = dies_after  # beats; None lives for ever
        self.beats = 0  # offered so far
        self.taken_beats = 0
        self.reset()

    def reset(self) -> None:
        self.queue: deque[tuple[int, int, int]] = deque()  # cycle it is due, address, beats left
        self.offered = False
        self.taken = False
        self.in_flight = self.beats_in_flight = 0
        self.ar.reset()
        self.arready.value = 0
        self.rvalid.value = 0
        self.idle.rest()

    @property
    def dead(self) -> bool:
        return self.dies_after is not None and self.beats >= self.dies_after

    def drive(self) -> None:
        self.now += 1
        ended = self.taken
        if ended:
            self.offered = False
        self.arready.value = int(next(self.accept) and not self.dead)
        if not self.offered and self.queue and self.queue[0][0] <= self.now and next(self.active) and not self.dead:
            due, addr, left = self.queue.popleft()
            self.rdata.value = self.memory.read_beat(addr, self.data_bytes)
            self.rresp.value = self.errors.get(self.beats, OKAY)
            self.rlast.value = int(left == 1)
            self.rid.value = 0
            self.last = left == 1
            if left > 1:
                self.queue.appendleft((due, addr + self.data_bytes, left - 1))
            self.offered = True
            self.beats += 1
        elif ended:
            self.idle.rest()
        self.rvalid.value = int(self.offered)

    def sample(self) -> None:
        request = self.ar.sample()
        if request is not None:
            self._request(*request)
            self.queue.append((self.now + self.latency(), request[0], request[1] + 1))
        self.taken = self.offered and bool(bit(self.rready))
        if self.taken:
            self.taken_beats += 1
            self.beats_in_flight -= 1
            self.in_flight -= self.last


class AxiWriteSlave(_Slave):
    """Stores writes and answers in order. `errors` maps the number of a burst, counted from 0, to its response."""

    def __init__(
        self,
        dut: Any,
        prefix: str,
        memory: Memory,
        latency: Callable[[], int] | int = 5,
        accept: Iterator[bool] | None = None,
        active: Iterator[bool] | None = None,
        errors: dict[int, int] | None = None,
        dies_after: int | None = None,
        idle_resp: int | None = None,
    ) -> None:
        super().__init__(len(getattr(dut, f"{prefix}_wdata")) // 8, memory, latency)
        self.aw = Held(dut, f"{prefix}_aw", ["addr", "len", "size", "burst"])
        self.w = Held(dut, f"{prefix}_w", ["data", "strb", "last"])
        self.awready = getattr(dut, f"{prefix}_awready")
        self.wready = getattr(dut, f"{prefix}_wready")
        self.bvalid = getattr(dut, f"{prefix}_bvalid")
        self.bready = getattr(dut, f"{prefix}_bready")
        self.bresp = getattr(dut, f"{prefix}_bresp")
        self.bid = getattr(dut, f"{prefix}_bid")
        self.accept = accept or itertools.repeat(True)
        self.active = active or itertools.repeat(True)
        self.errors = errors if errors is not None else {}
        self.dies_after = dies_after  # answered bursts
        self.idle = Idle([self.bresp, self.bid])
        self.idle_resp = idle_resp  # what BRESP shows while BVALID is low; None: anything
        self.answered = 0
        self.strobed = 0
        self.reset()

    def reset(self) -> None:
        self.open: deque[Burst] = deque()
        self.data: deque[tuple[int, int, int]] = deque()
        self.done_beats = 0
        self.due: deque[int] = deque()
        self.offered = False
        self.taken = False
        self.in_flight = self.beats_in_flight = 0
        self.aw.reset()
        self.w.reset()
        self.awready.value = 0
        self.wready.value = 0
        self.bvalid.value = 0
        self._rest()

    def _rest(self) -> None:
        self.idle.rest()
        if self.idle_resp is not None:
            self.bresp.value = self.idle_resp

    @property
    def dead(self) -> bool:
        return self.dies_after is not None and self.answered >= self.dies_after

    def drive(self) -> None:
        self.now += 1
        ended = self.taken
        if ended:
            self.offered = False
        self.awready.value = int(next(self.accept) and not self.dead)
        self.wready.value = int(next(self.active) and not self.dead)
        if not self.offered and self.due and self.due[0] <= self.now and not self.dead:
            self.due.popleft()
            self.offered = True
            self.bresp.value = self.errors.get(self.answered, OKAY)
            self.bid.value = 0
            self.answered += 1
        elif ended:
            self._rest()
        self.bvalid.value = int(self.offered)

    def sample(self) -> None:
        request = self.aw.sample()
        if request is not None:
            self._request(*request)
            self.open.append((request[0], request[1] + 1))
        beat = self.w.sample()
        if beat is not None:
            self.beats_in_flight -= 1
            self.strobed += beat[1].bit_count()
            self.data.append(beat)
        while self.open and self.data:
            addr, beats = self.open[0]
            data, strobe, last = self.data.popleft()
            self.memory.write_beat(addr + self.done_beats * self.data_bytes, data, strobe, self.data_bytes)
            self.done_beats += 1
            assert last == (self.done_beats == beats), f"WLAST at beat {self.done_beats} of {beats} at {addr:#x}"
            if last:
                self.open.popleft()
                self.done_beats = 0
                self.due.append(self.now + max(1, self.latency()))
        self.taken = self.offered and bool(bit(self.bready))
        self.in_flight -= self.taken
