"""Do a client and a server fit together?

The carla package only prints a warning and may crash later, and a plain comparison of strings is useless: a server
built from source reports `0.9.15-dirty` or a bare git hash.
"""

from __future__ import annotations

import logging
import re
from enum import StrEnum

from foveal.errors import ServerLost

__all__ = ["Decision", "check", "decide"]

_LOG = logging.getLogger(__name__)
_RELEASE = re.compile(r"(\d+(?:\.\d+)+)(.*)", re.ASCII)


class Decision(StrEnum):
    """OK: same release. WARN: same release, other build. UNKNOWN_WARN: cannot be compared. REFUSE: other release."""

    OK = "ok"
    WARN = "warn"
    UNKNOWN_WARN = "unknown_warn"
    REFUSE = "refuse"


def decide(client: str, server: str) -> Decision:
    """Compare what `get_client_version` and `get_server_version` return."""
    ours, theirs = (_RELEASE.fullmatch(text.strip()) for text in (client, server))
    if client.strip() == server.strip():
        return Decision.OK
    if ours is None or theirs is None:
        return Decision.UNKNOWN_WARN
    if ours[1] != theirs[1]:
        return Decision.REFUSE
    return Decision.WARN


def check(client: str, server: str, force: bool = False) -> Decision:
    """Log a doubtful pair; raise ServerLost for two different releases unless `force`d."""
    decision = decide(client, server)
    if decision is Decision.REFUSE and not force:
        raise ServerLost(
            f"the carla package is {client}, the server {server}; install the server's release of the package "
            "or start a server of the package's release"
        )
    if decision is not Decision.OK:
        _LOG.warning("carla package %s and server %s may not fit (%s)", client, server, decision)
    return decision
