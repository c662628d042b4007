"""The compiled geometry kernel (hw/hls/binding.cpp)."""

import numpy as np

def geometry(
    position: np.ndarray,
    triangle: np.ndarray,
    mesh: np.ndarray,
    instance: np.ndarray,
    region: np.ndarray,
    width: int,
    height: int,
    ambient: float,
    diffuse: float,
    labels: bool,
    staging: np.ndarray,
    record: np.ndarray,
    band: np.ndarray,
    statistics: np.ndarray,
) -> None: ...
