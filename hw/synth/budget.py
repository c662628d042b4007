"""What a card's shell leaves to the kernel, from boards/<name>/board.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

__all__ = ["KINDS", "LUT_SHARE", "Budget", "budgets"]

BOARDS = Path(__file__).resolve().parents[2] / "boards"
KINDS = ("lut", "ff", "dsp", "bram", "uram")
LUT_SHARE = 0.30  # of the card's LUTs: with this the kernel fits in one of three super logic regions


@dataclass(frozen=True)
class Budget:
    """Resources by kind. `free` is what the shell leaves, `region` the least of it in any one super logic region."""

    name: str
    free: dict[str, float]
    region: dict[str, float]

    def shares(self, used: dict[str, float]) -> dict[str, float]:
        """Share (0..1) of the free resources that `used` takes, by kind."""
        return {kind: used[kind] / self.free[kind] for kind in KINDS}

    def problems(self, used: dict[str, float]) -> list[str]:
        """What does not fit: more than one super logic region holds, or more than `LUT_SHARE` of the LUTs."""
        found = [
            f"{self.name}: {used[kind]:g} {kind} do not fit into a super logic region with {self.region[kind]:.0f}"
            for kind in KINDS
            if used[kind] > self.region[kind]
        ]
        if used["lut"] > LUT_SHARE * self.free["lut"]:
            found.append(f"{self.name}: {used['lut']:g} lut are more than {LUT_SHARE:.0%} of {self.free['lut']:g}")
        return found


def budgets() -> list[Budget]:
    """The budget of each board that is described, by name."""
    found = []
    for path in sorted(BOARDS.glob("*/board.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        regions = content["resources"]["super_logic_regions"]
        free = {kind: float(sum(region[kind] for region in regions)) for kind in KINDS}
        least = {kind: float(min(region[kind] for region in regions)) for kind in KINDS}
        found.append(Budget(content["name"], free, least))
    return found
