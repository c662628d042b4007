"""Colours chosen by number: the same actor has the same colour in every run."""

from __future__ import annotations

__all__ = ["BODY", "CLOTHES", "FACADES", "LEAVES", "SKINS", "TROUSERS", "pick"]

Palette = tuple[tuple[int, int, int], ...]

BODY: Palette = (
    (188, 34, 38),
    (38, 78, 156),
    (232, 232, 228),
    (52, 54, 58),
    (176, 180, 186),
    (212, 160, 40),
    (44, 108, 72),
    (120, 40, 92),
    (224, 100, 32),
    (96, 148, 188),
)
FACADES: Palette = (
    (198, 178, 152),
    (166, 106, 84),
    (186, 188, 186),
    (212, 200, 168),
    (142, 150, 160),
    (176, 146, 116),
    (206, 190, 184),
)
CLOTHES: Palette = (
    (190, 60, 56),
    (60, 96, 168),
    (224, 216, 196),
    (86, 132, 84),
    (228, 176, 60),
    (126, 84, 142),
    (70, 72, 80),
)
TROUSERS: Palette = ((44, 52, 84), (60, 58, 56), (112, 98, 78), (34, 36, 42))
SKINS: Palette = ((226, 180, 148), (196, 144, 108), (138, 92, 64), (92, 62, 46))
LEAVES: Palette = ((74, 118, 52), (92, 132, 58), (60, 104, 60), (110, 138, 62))


def pick(palette: Palette, number: int, salt: int = 0) -> tuple[int, int, int]:
    """A colour of the palette for a number (an actor id); `salt` gives independent choices for one number."""
    mixed = ((number + 1) * 2654435761 + salt * 40503) & 0xFFFFFFFF
    mixed ^= mixed >> 15
    return palette[(mixed * 2246822519 & 0xFFFFFFFF) % len(palette)]
