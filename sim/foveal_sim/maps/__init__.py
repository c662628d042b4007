"""OpenDRIVE maps that come with Foveal; `foveal_sim.maps.generate` writes them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["map_names", "map_path"]

_FOLDER = Path(__file__).parent


def map_names() -> list[str]:
    """Names of the maps in the package, sorted."""
    return sorted(path.stem for path in _FOLDER.glob("*.xodr"))


def map_path(name: str) -> Path:
    """Path of the packaged map `name`; it may not exist."""
    return _FOLDER / f"{name}.xodr"
