"""Writes the packaged OpenDRIVE 1.4 maps from plans.yaml: `python -m foveal_sim.maps.generate`."""

from __future__ import annotations

from foveal_sim.maps import map_path
from foveal_sim.maps.chain import chain_text
from foveal_sim.maps.crossing import crossing_text
from foveal_sim.maps.plan import Crossing, Plan, plans

__all__ = ["opendrive"]


def opendrive(plan: Plan) -> str:
    """OpenDRIVE text of a plan."""
    if isinstance(plan.roads, Crossing):
        return crossing_text(plan, plan.roads)
    return chain_text(plan, plan.roads)


def main() -> None:
    """Write every packaged map beside this module."""
    for name, plan in plans().items():
        map_path(name).write_text(opendrive(plan), encoding="utf-8")


if __name__ == "__main__":
    main()
