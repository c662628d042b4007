"""Whether the pieces of a road's reference line meet."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import numpy as np

from foveal_sim.world.map_xml import MapDocument

__all__ = ["GAP_M", "gaps"]

GAP_M = 0.1
"""A jump that is larger than this is seen, and is more than rounding in an exporter."""

_SAMPLES_A_RADIAN, _LEAST_SAMPLES, _MOST_SAMPLES = 16, 64, 4096


def gaps(document: MapDocument, road: ET.Element) -> list[str]:
    """A warning for each <geometry> that begins more than GAP_M from where the one before it ends."""
    found = []
    for before, piece in pairwise(road.findall("planView/geometry")):
        gap_m = abs(_start(document, piece) - _end(document, before))
        if not gap_m <= GAP_M:
            found.append(
                document.at(
                    piece,
                    f"<geometry> of road {road.get('id')} begins {gap_m:.2f} m from where the one on line "
                    f"{document.lines[before]} ends",
                )
            )
    return found


def _start(document: MapDocument, piece: ET.Element) -> complex:
    """x + iy, metres."""
    return complex(document.number(piece, "x"), document.number(piece, "y"))


def _end(document: MapDocument, piece: ET.Element) -> complex:
    """x + iy, metres, after the length of the piece."""
    length = document.number(piece, "length")
    with np.errstate(over="ignore", invalid="ignore"):
        along = next(filter(None, (_along(document, shape, length) for shape in piece)), complex(length))
        return _start(document, piece) + along * complex(np.exp(1j * document.number(piece, "hdg")))


def _along(document: MapDocument, shape: ET.Element, length: float) -> complex | None:
    """u + iv of the end, from the start and along its heading (OpenDRIVE 1.4, 5.3.4.1); None for a line."""
    if shape.tag == "arc":
        half = document.number(shape, "curvature") * length / 2
        return complex(length * np.sinc(half / np.pi) * np.exp(1j * half))
    if shape.tag == "spiral":
        return _spiral(document.number(shape, "curvStart"), document.number(shape, "curvEnd"), length)
    if shape.tag == "poly3":
        return _cubic(length, *(document.number(shape, name) for name in "abcd"))
    if shape.tag == "paramPoly3":
        p = length if shape.get("pRange") == "arcLength" else 1.0
        u, v = (np.polyval([document.number(shape, name + axis) for name in "dcba"], p) for axis in "UV")
        return complex(u, v)
    return None


def _spiral(first: float, last: float, length: float) -> complex:
    """Curvature changes linearly along the way; the heading is its integral, the place the heading's."""
    turn = max(abs(first), abs(last)) * length
    count = int(min(max(turn * _SAMPLES_A_RADIAN, _LEAST_SAMPLES), _MOST_SAMPLES))
    s = (np.arange(count) + 0.5) * (length / count)
    return complex(np.exp(1j * (first + (last - first) * s / (2 * length)) * s).mean() * length)


def _cubic(length: float, a: float, b: float, c: float, d: float) -> complex:
    """v = a + bu + cu^2 + du^3, as far as the curve is `length` long, so at u = length at most."""
    u = np.linspace(0.0, length, _MOST_SAMPLES + 1)
    slope = np.polyval([3 * d, 2 * c, b], (u[1:] + u[:-1]) / 2)
    way = np.concatenate(([0.0], np.cumsum(np.hypot(1.0, slope)))) * (length / _MOST_SAMPLES)
    reached = np.interp(length, way, u)
    return complex(reached, np.polyval([d, c, b, a], reached))
