"""The HLS shading kernel, compiled natively (hw/hls/shading_binding.cpp)."""

import numpy as np

def shade(
    ppc: int, beat: np.ndarray, last: np.ndarray, shaded: np.ndarray, shaded_last: np.ndarray, patience_ms: int
) -> None: ...
