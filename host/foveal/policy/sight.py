"""What a policy decides on: one snapshot, and the camera of the same snapshot."""

from __future__ import annotations

from dataclasses import dataclass

from foveal.projection import Camera
from foveal.scene.tick import CameraMount, Tick

__all__ = ["Sight"]


@dataclass(frozen=True, slots=True)
class Sight:
    """tick: the state of the world. camera: where that same tick's camera stands."""

    tick: Tick
    camera: Camera

    @classmethod
    def of(cls, tick: Tick, mount: CameraMount) -> Sight:
        """The camera that `mount` puts on the tick's ego. Raises SceneError for a pose that is not finite."""
        return cls(tick, Camera(tick.camera, mount.width, mount.height, mount.fov_deg))
