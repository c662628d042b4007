"""What the co-simulated card's times are modelled with: the figures of its board file, each with its source."""

from __future__ import annotations

from foveal.card import Fact, load_board

__all__ = ["card_model"]

NAMES = {
    "clock_hz": "clock of the kernels",
    "host_to_card_bytes_per_s": "PCIe, large transfers to the card",
    "card_to_host_bytes_per_s": "PCIe, large transfers from the card",
    "transfer_ns": "fixed cost of a transfer",
    "overlap_bytes": "bytes that cross within the fixed cost",
    "register_write_ns": "register write by the host",
    "register_read_ns": "register read by the host",
    "launch_ns": "launch of a kernel run",
    "port_bytes_per_s": "memory port, one HBM pseudo channel",
    "latency_ns": "memory latency",
}
UNITS = (("_bytes_per_s", "GB/s", 1e9), ("_hz", "MHz", 1e6), ("_ns", "µs", 1e3), ("_bytes", "bytes", 1))


def card_model(board: str) -> list[dict[str, str]]:
    """A row for each figure that the model takes: name, value, low and high with unit, source, url."""
    facts = load_board(board).facts()
    return [{"name": text} | _row(name, facts[name]) for name, text in NAMES.items()]


def _row(name: str, fact: Fact) -> dict[str, str]:
    unit, scale = next((unit, scale) for ending, unit, scale in UNITS if name.endswith(ending))
    figures = {key: f"{getattr(fact, key) / scale:.4g}" for key in ("value", "low", "high")}
    return figures | {"unit": unit, "source": fact.source, "url": fact.url}
