"""Attributes of the cameras, with CARLA's names, types and defaults (its sensors reference)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from foveal_sim.world.sensor_attributes import Rows

__all__ = ["CAMERA_ATTRIBUTES", "FOLLOWED"]

FOLLOWED: Rows = (
    ("image_size_x", int, "800"),
    ("image_size_y", int, "600"),
    ("fov", float, "90.0"),
    ("sensor_tick", float, "0.0"),
)
"""Those that decide what a picture shows; all others are accepted and change nothing."""

_LENS: Rows = (
    ("lens_circle_falloff", float, "5.0"),
    ("lens_circle_multiplier", float, "0.0"),
    ("lens_k", float, "-1.0"),
    ("lens_kcube", float, "0.0"),
    ("lens_x_size", float, "0.08"),
    ("lens_y_size", float, "0.08"),
)
_EXPOSURE: Rows = (
    ("exposure_mode", str, "histogram"),
    ("exposure_compensation", float, "0.0"),
    ("exposure_min_bright", float, "10.0"),
    ("exposure_max_bright", float, "12.0"),
    ("exposure_speed_up", float, "3.0"),
    ("exposure_speed_down", float, "1.0"),
    ("calibration_constant", float, "16.0"),
    ("shutter_speed", float, "200.0"),
    ("iso", float, "100.0"),
    ("fstop", float, "1.4"),
    ("min_fstop", float, "1.2"),
    ("blade_count", int, "5"),
    ("gamma", float, "2.2"),
)
_EFFECTS: Rows = (
    ("enable_postprocess_effects", bool, "true"),
    ("bloom_intensity", float, "0.675"),
    ("lens_flare_intensity", float, "0.1"),
    ("focal_distance", float, "1000.0"),
    ("blur_amount", float, "1.0"),
    ("blur_radius", float, "0.0"),
    ("motion_blur_intensity", float, "0.45"),
    ("motion_blur_max_distortion", float, "0.35"),
    ("motion_blur_min_object_screen_size", float, "0.1"),
    ("slope", float, "0.88"),
    ("toe", float, "0.55"),
    ("shoulder", float, "0.26"),
    ("black_clip", float, "0.0"),
    ("white_clip", float, "0.04"),
    ("temp", float, "6500.0"),
    ("tint", float, "0.0"),
    ("chromatic_aberration_intensity", float, "0.0"),
    ("chromatic_aberration_offset", float, "0.0"),
)
CAMERA_ATTRIBUTES: Mapping[str, Rows] = MappingProxyType(
    {
        "sensor.camera.rgb": (*FOLLOWED, *_LENS, *_EXPOSURE, *_EFFECTS),
        "sensor.camera.depth": (*FOLLOWED, *_LENS),
        "sensor.camera.semantic_segmentation": (*FOLLOWED, *_LENS),
        "sensor.camera.instance_segmentation": (*FOLLOWED, *_LENS),
    }
)
"""Name, type and default by blueprint id; `role_name` comes with every blueprint."""
