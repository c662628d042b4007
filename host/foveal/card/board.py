"""Facts of the boards: figures with sources, read from boards/<name>/board.yaml (shipped beside this module)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any

import yaml

from foveal.card.bank import Bank, banks_of, select
from foveal.errors import DeviceNotFound

__all__ = ["Board", "Fact", "Placement", "board_names", "load_board"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure: value, what it was published as at least and at most, and where."""

    value: float
    low: float
    high: float
    source: str
    url: str


@dataclass(frozen=True, slots=True)
class Placement:
    """One kernel of the card's image. ports: the banks that each memory port reaches, in ascending order."""

    kernel: str
    instance: str
    super_logic_region: str
    ports: dict[str, tuple[Bank, ...]]


@dataclass(frozen=True, slots=True)
class Board:
    """One card. Units stand in the names; port_bytes_per_s and latency_ns are those of one HBM pseudo channel.

    part: as Vivado names the device. last_tools: the last Vivado and Vitis line for it, None if not known to end.
    sku: its name in the price book. banks: in the order of the link's indices. kernels: of the image, in its order.
    """

    key: str
    name: str
    platform: str
    part: str
    last_tools: str | None
    sku: str
    banks: tuple[Bank, ...]
    kernels: tuple[Placement, ...]
    max_w: Fact
    clock_hz: Fact
    host_to_card_bytes_per_s: Fact
    card_to_host_bytes_per_s: Fact
    transfer_ns: Fact
    overlap_bytes: Fact
    register_write_ns: Fact
    register_read_ns: Fact
    launch_ns: Fact
    port_bytes_per_s: Fact
    latency_ns: Fact

    def facts(self) -> dict[str, Fact]:
        """All figures with a source, by name; the name ends in the unit."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, Fact)}


def board_names() -> list[str]:
    """Boards that are described, sorted."""
    return sorted(entry.name.removesuffix(".yaml") for entry in files(__package__).joinpath("boards").iterdir())


def load_board(name: str) -> Board:
    """The board `name` ("u280", "u55c"). Raises DeviceNotFound for others."""
    if name not in board_names():
        raise DeviceNotFound(f"no board {name!r}; described are: {', '.join(board_names())}")
    content = yaml.safe_load(files(__package__).joinpath("boards", f"{name}.yaml").read_text(encoding="utf-8"))
    facts = {"clock_hz": content["clock_hz"], **content["power"], **content["pcie"], **content["memory"]}
    banks = banks_of(content["memories"])
    return Board(
        key=name,
        name=content["name"],
        platform=content["platform"],
        part=content["part"]["value"],
        last_tools=content["tools"].get("last"),
        sku=content["sku"],
        banks=banks,
        kernels=tuple(_placement(kernel, entry, banks) for kernel, entry in content["image"]["kernels"].items()),
        **{key: _fact(f"{name}: {key}", entry) for key, entry in facts.items()},
    )


def _placement(kernel: str, entry: dict[str, Any], banks: tuple[Bank, ...]) -> Placement:
    ports = {port: select(text, banks) for port, text in entry["ports"].items()}
    return Placement(kernel, entry["instance"], entry["super_logic_region"], ports)


def _fact(name: str, entry: dict[str, Any]) -> Fact:
    value = float(entry["value"])
    fact = Fact(
        value, float(entry.get("low", value)), float(entry.get("high", value)), entry["source"], entry.get("url", "")
    )
    if not 0 < fact.low <= fact.value <= fact.high:
        raise ValueError(f"{name}: 0 < low <= value <= high does not hold")
    return fact
