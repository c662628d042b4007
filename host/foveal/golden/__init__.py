"""The golden model: what every other implementation of hw/SPEC.md must equal, bit for bit."""

from foveal.golden.record import Records, records
from foveal.golden.render import GoldenFrame, render
from foveal.golden.texture import sample

__all__ = ["GoldenFrame", "Records", "records", "render", "sample"]
