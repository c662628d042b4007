"""OpenDRIVE of roads that lie end to end."""

from __future__ import annotations

from foveal_sim.maps.plan import Chain, Plan
from foveal_sim.maps.writer import controller, cross_section, document, link, road, signal, text

__all__ = ["chain_text"]


def chain_text(plan: Plan, chain: Chain) -> str:
    """The roads 1, 2, ... of `chain`, both sides with the same lanes."""
    root = document(plan.name)
    count = len(chain.pieces)
    straight_on = {n: n for n in range(-len(plan.lanes), len(plan.lanes) + 1)}
    place = (0.0, 0.0, 0.0)
    signs = 0
    lights: list[list[int]] = []
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
        for number, sign in enumerate(piece.signs, start=signs + 1):
            signal(element, number, f"{sign.kind} {number}", sign, plan.lanes)
        lights.append([signs + 1 + k for k, sign in enumerate(piece.signs) if sign.kind == "light"])
        signs += len(piece.signs)
        place = piece.end(*place)
    for phase, together in enumerate(filter(None, lights)):
        controller(root, phase + 1, 0, f"crossing {phase}", together)
    return text(root)
