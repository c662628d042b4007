"""Timing and faults of the memory behind the kernel's three ports."""

from __future__ import annotations

from dataclasses import dataclass

from foveal.card import Board
from foveal.card.roles import KERNEL

__all__ = ["PORTS", "MemoryTiming", "PortFault"]

PORTS = ("gmem0", "gmem1", "gmem2")
"""Records in, pixels out, material table and texture pages in."""

BEAT_BYTES = {"gmem0": 64, "gmem1": 32, "gmem2": 64}


@dataclass(frozen=True, slots=True)
class MemoryTiming:
    """latency_cycles: request to first beat, last beat to write response. bandwidth: beats a cycle by port, 0..1.

    outstanding: requests that the memory holds at a time.
    """

    latency_cycles: int
    bandwidth: dict[str, float]
    outstanding: int = 16

    @classmethod
    def of(cls, board: Board, clock_hz: float) -> MemoryTiming:
        """Each port on one HBM pseudo channel of `board`, which it shares with the ports that its image puts there.

        A buffer lies in one channel, so a wider range of banks does not make a port faster.
        """
        latency = max(1, -(-round(board.latency_ns.value * clock_hz) // 1_000_000_000))
        reach = next(kernel.ports for kernel in board.kernels if kernel.kernel == KERNEL)
        rates = {}
        for port in PORTS:
            banks = reach[f"m_axi_{port}"]
            sharers = sum(other[0] == banks[0] for other in reach.values())
            rates[port] = min(1.0, board.port_bytes_per_s.value / (sharers * BEAT_BYTES[port] * clock_hz))
        return cls(latency, rates)


@dataclass(frozen=True, slots=True)
class PortFault:
    """An injected fault of `port`: beats in device addresses [first, last) answer `response` (2 SLVERR, 3 DECERR)."""

    port: str
    first: int
    last: int
    response: int
