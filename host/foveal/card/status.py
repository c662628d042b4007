"""The STATUS register in words."""

from __future__ import annotations

from foveal.card import registers

__all__ = ["ALL_ONES", "GONE", "dma_state", "failure", "undrained", "why_no_end"]

ALL_ONES = 0xFFFFFFFF
"""What PCIe answers for a device that does not: no register of the kernel reads so together with its ID."""

GONE = (
    "the registers read all ones: the card fell off the bus; reset it, and when that does not help, "
    "rescan PCIe or switch the machine off and on"
)

SHADING_STREAM = 3
"""STATUS.port of the shading stream; 0 to 2 are memory ports."""

_RESPONSE = {0: "no answer", 2: "SLVERR", 3: "DECERR"}


def failure(status: int) -> str | None:
    """What went wrong in the frame, or None. A frame whose material table could not be loaded has failed, too."""
    if status & registers.STATUS_BAD_CONFIG_MASK:
        return "the kernel refused its configuration (size above 4096, or an address or stride that is not aligned)"
    port = (status & registers.STATUS_PORT_MASK) >> registers.STATUS_PORT_SHIFT
    code = (status & registers.STATUS_RESPONSE_MASK) >> registers.STATUS_RESPONSE_SHIFT
    if status & registers.STATUS_TIMEOUT_MASK and port == SHADING_STREAM:
        return "the shading kernel did not answer within the TIMEOUT register's cycles"
    if status & registers.STATUS_TIMEOUT_MASK:
        reason = f"memory port gmem{port} did not answer within the TIMEOUT register's cycles"
        owing = undrained(status)
        return f"{reason}; {' and '.join(owing)} still owe answers: the card needs a reset" if owing else reason
    if status & registers.STATUS_DMA_ERROR_MASK:
        return (
            f"the material table or a texture page could not be loaded (gmem{port}: {_RESPONSE.get(code, str(code))})"
        )
    if status & registers.STATUS_ERROR_MASK and port == SHADING_STREAM:
        return "the shading kernel's beats came out of step with those it was sent"
    if status & registers.STATUS_ERROR_MASK:
        return f"memory port gmem{port} answered {_RESPONSE.get(code, str(code))}"
    return None


def undrained(status: int) -> list[str]:
    """Memory ports that owe answers to what the kernel gave up; while one does, no kernel reset makes it usable."""
    bits = (status & registers.STATUS_UNDRAINED_MASK) >> registers.STATUS_UNDRAINED_SHIFT
    return [f"gmem{port}" for port in range(SHADING_STREAM) if bits >> port & 1]


def dma_state(status: int) -> int:
    """State of the material table: 0 outside, 1 armed, 2 loading, 3 resident."""
    return (status & registers.STATUS_DMA_STATE_MASK) >> registers.STATUS_DMA_STATE_SHIFT


def why_no_end(control: int) -> str:
    """What CTRL says about a frame whose interrupt did not come within its deadline."""
    if control & registers.CTRL_AP_DONE_MASK:
        return "it has ended (CTRL shows ap_done), but its interrupt was lost"
    if control & registers.CTRL_AP_IDLE_MASK:
        return "the kernel is idle and has not ended it (CTRL shows no ap_done): it was reset in mid-frame"
    return "the kernel still runs: it hangs, or the deadline is too short"
