"""States of a run, by XRT's numbers (enum ert_cmd_state in its ert.h); pyxrt names only some of them."""

from __future__ import annotations

from foveal.errors import DeviceError, DeviceTimeout

__all__ = ["COMPLETED", "PENDING", "STATES", "TIMEOUT", "failure"]

COMPLETED = 4
TIMEOUT = 8
"""Also what wait() returns when its own time is over and the run still goes on; state() tells the two apart."""

STATES: dict[int, tuple[str, str]] = {
    1: ("NEW", "it was never submitted"),
    2: ("QUEUED", "it waits for its turn"),
    3: ("RUNNING", "it runs"),
    COMPLETED: ("COMPLETED", "it ended"),
    5: ("ERROR", "the scheduler could not run it"),
    6: ("ABORT", "it was aborted, as a reset by anybody does"),
    7: ("SUBMITTED", "it was handed to the card and has not ended"),
    TIMEOUT: ("TIMEOUT", "the scheduler gave it up and reset the kernel"),
    9: ("NORESPONSE", "the scheduler gave it up, and the kernel does not answer its reset"),
    10: ("SKERROR", "a soft kernel returned an error"),
    11: ("SKCRASHED", "a soft kernel crashed"),
}
"""Name and meaning."""

PENDING = frozenset({1, 2, 3, 7})
"""States from which a run may still end."""


def failure(kernel: str, waited: int, state: int, deadline_s: float) -> DeviceError:
    """Why a run did not complete: `waited` is what wait() returned, `state` the run's own state behind it."""
    name, meaning = STATES.get(state, (f"state {state}", "which this version does not know"))
    if waited == TIMEOUT and state in PENDING:
        return DeviceTimeout(
            f"{kernel} did not end within {deadline_s * 1e3:g} ms; its run is {name}: {meaning}. It hangs, or the "
            "deadline is too short"
        )
    if state in (TIMEOUT, 9):
        return DeviceTimeout(f"the run of {kernel} ended as {name}: {meaning}")
    return DeviceError(f"the run of {kernel} ended as {name}: {meaning}")
