"""What differs between the releases of the `carla` client that this server speaks to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["CURRENT", "RELEASES", "Release"]


@dataclass(frozen=True, slots=True)
class Release:
    """version: as client and server report it. world_observer: type index of a snapshot. first_kind: of attributes.

    Requests differ too, but say so themselves: 0.9.16 added the attachment and the socket to a spawned actor, in front
    of what a batch does after it. Answers may be longer than a client expects: 0.9.15 ignores the actor's id that
    0.9.16 added to the end of a bounding box.
    """

    version: str
    world_observer: int
    first_kind: int


RELEASES: Mapping[str, Release] = MappingProxyType(
    {release.version: release for release in (Release("0.9.15", 16, 0), Release("0.9.16", 17, 1))}
)
"""Releases by version. Numbers as the debug information in the clients' PyPI wheels has them."""

CURRENT = RELEASES["0.9.16"]
