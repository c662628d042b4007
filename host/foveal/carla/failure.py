"""What an error of the carla package means for a drive."""

from __future__ import annotations

from foveal.errors import FovealError, ServerLost

__all__ = ["ForeignTick", "lost_or", "server_lost"]


class ForeignTick(FovealError):
    """Another client advanced the world; the run's timing is not comparable."""


def server_lost(error: Exception) -> ServerLost:
    """The carla package reports a dead server and a slow one alike, as a RuntimeError."""
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return ServerLost(
        f"the CARLA server did not answer ({reason}); check that it still runs, start it again and repeat the drive"
    )


def lost_or(error: RuntimeError, kind: type[FovealError], message: str) -> FovealError:
    """ServerLost when the call ran into its deadline, else `kind` with `message`."""
    return server_lost(error) if "time-out" in str(error) else kind(message)
