"""What does not move in a world, made once for all cameras of it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from weakref import WeakValueDictionary

import carla
import numpy as np

from foveal.carla.world_scene import Objects, lanes_if_any, objects, usable_map
from foveal.scene.assemble import StaticParts, static_parts
from foveal.scene.static import StaticScene

__all__ = ["SharedScene", "shared_scene"]

_STEP_M = 1.0


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class SharedScene:
    """Lives as long as a camera holds it."""

    static: StaticScene
    parts: StaticParts

    def has(self, found: Objects) -> bool:
        """Whether its objects are just these: a client may hide some between two cameras."""
        mine = self.static.object_id, self.static.object_label, self.static.object_box
        return all(np.array_equal(one, other) for one, other in zip(mine, found, strict=True))


_living: WeakValueDictionary[tuple[int, str], SharedScene] = WeakValueDictionary()
_making = threading.Lock()


def shared_scene(world: carla.World) -> SharedScene:
    """The one that a camera of the same episode, map and objects has, or a new one; maps without lanes will do.

    Raises MapError when the map is not OpenDRIVE, ServerLost when the server is gone.
    """
    world_map, found = usable_map(world), objects(world)
    key = world.id, world_map.to_opendrive()  # two servers may number their episodes alike
    with _making:
        shared = _living.get(key)
        if shared is None or not shared.has(found):
            lane = lanes_if_any(world_map, _STEP_M)
            names = ("object_id", "object_label", "object_box")
            static = StaticScene(world_map.name, _STEP_M, **lane, **dict(zip(names, found, strict=True)))
            shared = _living[key] = SharedScene(static, static_parts(static))
        return shared
