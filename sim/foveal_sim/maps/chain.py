"""OpenDRIVE of roads that lie end to end."""

from __future__ import annotations

from foveal_sim.maps.plan import Chain, Plan
from foveal_sim.maps.writer import cross_section, document, link, road, text

__all__ = ["chain_text"]


def chain_text(plan: Plan, chain: Chain) -> str:
    """The roads 1, 2, ... of `chain`, both sides with the same lanes."""
    root = document(plan.name)
    count = len(chain.pieces)
    straight_on = {n: n for n in range(-len(plan.lanes), len(plan.lanes) + 1)}
    place = (0.0, 0.0, 0.0)
    for index, piece in enumerate(chain.pieces):
        before = index - 1 if index else (count - 1 if chain.closed else None)
        after = index + 1 if index + 1 < count else (0 if chain.closed else None)
        element = road(root, f"{plan.name} {index}", index + 1, piece, place, plan.speed_mps)
        if before is not None:
            link(element, "predecessor", "road", before + 1, "end")
        if after is not None:
            link(element, "successor", "road", after + 1, "start")
        cross_section(
            element,
            plan.lanes,
            plan.lanes,
            before=straight_on if before is not None else None,
            after=straight_on if after is not None else None,
        )
        place = piece.end(*place)
    return text(root)
