"""Where a number comes from. No figure reaches a user without one of these."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Provenance"]


class Provenance(StrEnum):
    """Origin of a figure.

    MEASURED: timed on the named device. SIMULATED: cycles of the verified RTL times a stated clock.
    MODELLED: a formula with stated inputs. QUOTED: a source and a date.
    """

    MEASURED = "measured"
    SIMULATED = "simulated"
    MODELLED = "modelled"
    QUOTED = "quoted"
