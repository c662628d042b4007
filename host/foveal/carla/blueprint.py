"""What a blueprint says of a camera."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import carla

from foveal.errors import SceneError
from foveal.period import Period
from foveal.scene.tick import CameraMount

__all__ = ["HONOURED", "attributes_of", "mount_of", "period_of"]

HONOURED = ("image_size_x", "image_size_y", "fov", "sensor_tick", "role_name")
"""Attributes of the blueprint that change what this camera does; the others are kept and have no effect."""


def attributes_of(blueprint: carla.ActorBlueprint) -> dict[str, str]:
    """All attributes as text, by name. Raises SceneError for a number that no float holds."""
    try:
        return {attribute.id: _text(attribute) for attribute in blueprint}
    except ValueError as error:
        raise _no_camera(error) from error


def mount_of(attributes: Mapping[str, str], transform: carla.Transform) -> CameraMount:
    """The pinhole and its place. Raises SceneError."""
    place, turn = transform.location, transform.rotation
    try:
        return CameraMount(
            width=int(attributes["image_size_x"]),
            height=int(attributes["image_size_y"]),
            fov_deg=float(attributes["fov"]),
            x=place.x,
            y=place.y,
            z=place.z,
            pitch=turn.pitch,
            yaw=turn.yaw,
            roll=turn.roll,
        )
    except (KeyError, ValueError) as error:
        raise _no_camera(error) from error


def period_of(attributes: Mapping[str, str]) -> Period:
    """When the camera is due. Raises SceneError."""
    try:
        return Period(float(attributes.get("sensor_tick", "0")))
    except ValueError as error:
        raise _no_camera(error) from error


def _text(attribute: carla.ActorAttribute) -> str:
    """The value as a blueprint's file would have it; the package has no such accessor for all types."""
    kind = carla.ActorAttributeType
    readers: dict[carla.ActorAttributeType, Callable[[], object]] = {
        kind.Bool: attribute.as_bool,
        kind.Int: attribute.as_int,
        kind.Float: attribute.as_float,
        kind.String: attribute.as_str,
        kind.RGBColor: attribute.as_color,
    }
    return str(readers[attribute.type]())


def _no_camera(error: Exception) -> SceneError:
    return SceneError(f"the blueprint's attributes are no camera: {error}")
