"""Which pixels of a tick are worth rendering: small policies, and what puts them together.

A policy has one method, `wishes(sight)`: rectangles with a weight. :func:`choose` makes the frame's regions of them.

    policy = Hold(Budget(Union(TrackedActors(), Fixed([Region(0, 540, 1920, 1080)])), share=0.25))
    chosen = choose(policy, Sight.of(tick, mount))
"""

from foveal.policy.actors import TrackedActors
from foveal.policy.attention import AttentionMap
from foveal.policy.boxes import WorldBoxes
from foveal.policy.budget import Budget
from foveal.policy.choice import Chosen, choose, warm_up
from foveal.policy.fixed import Fixed
from foveal.policy.hidden import Unhidden
from foveal.policy.hold import Hold
from foveal.policy.lane import LaneAhead
from foveal.policy.sight import Sight
from foveal.policy.signals import SignalsAhead
from foveal.policy.union import Union
from foveal.policy.wishes import Policy, Wishes

__all__ = [
    "AttentionMap",
    "Budget",
    "Chosen",
    "Fixed",
    "Hold",
    "LaneAhead",
    "Policy",
    "Sight",
    "SignalsAhead",
    "TrackedActors",
    "Unhidden",
    "Union",
    "Wishes",
    "WorldBoxes",
    "choose",
    "warm_up",
]
