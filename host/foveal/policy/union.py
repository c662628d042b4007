"""What any of several policies wants."""

from __future__ import annotations

from foveal.policy.sight import Sight
from foveal.policy.wishes import Policy, Wishes

__all__ = ["Union"]


class Union:
    """All wishes of all `policies`."""

    def __init__(self, *policies: Policy) -> None:
        self._policies = policies

    def wishes(self, sight: Sight) -> Wishes:
        return Wishes.joined(policy.wishes(sight) for policy in self._policies)
