"""Alveo cards through XRT: the card's driver over pyxrt, or over Foveal's own binding of it."""

from foveal.xrt.device import open_xrt

__all__ = ["open_xrt"]
