"""Small worlds for the scene, trace and policy tests."""

from __future__ import annotations

import numpy as np
from foveal.scene.static import Lane, Mark, StaticScene
from foveal.scene.tick import CameraMount, Tick

MOUNT = CameraMount(width=640, height=360)
TYPES = ("vehicle.tesla.model3", "walker.pedestrian.0001", "sensor.camera.rgb", "traffic.stop")
CAR_BOX = (0.0, 0.0, 0.75, 2.4, 1.0, 0.75, 0.0, 0.0, 0.0)
WALKER_BOX = (0.0, 0.0, 0.0, 0.2, 0.3, 0.93, 0.0, 0.0, 0.0)


def straight_road(length: int = 120) -> StaticScene:
    """One road along +x: a lane each way, a sidewalk on the right; a building and a pole beside it."""
    rows = []
    for lane, y, yaw, use in (
        (-2, 5.0, 0.0, Lane.SIDEWALK),
        (-1, 1.75, 0.0, Lane.DRIVING),
        (1, -1.75, 180.0, Lane.DRIVING),
    ):
        rows += [(lane, s, (float(s), y, 0.0, 0.0, yaw, 0.0), use) for s in range(0, length + 1, 2)]
    use = np.array([row[3] for row in rows], dtype=np.uint8)
    driving = use == Lane.DRIVING
    lane = np.array([row[0] for row in rows], dtype=np.int32)
    return StaticScene(
        map_name="straight",
        step_m=2.0,
        lane_key=np.column_stack([np.full_like(lane, 7), np.zeros_like(lane), lane, np.full_like(lane, -1)]),
        lane_s=np.array([row[1] for row in rows], dtype=np.float64),
        lane_pose=np.array([row[2] for row in rows], dtype=np.float64),
        lane_width=np.where(driving, 3.5, 3.0),
        lane_use=use,
        lane_mark=np.where(driving[:, None], (Mark.BROKEN, Mark.SOLID), Mark.NONE).astype(np.uint8),
        lane_yellow=np.zeros((len(rows), 2), dtype=np.bool_),
        lane_open=np.column_stack([np.zeros(len(rows), dtype=np.bool_), lane == 1]),
        object_id=np.array([3, 9], dtype=np.uint64),
        object_label=np.array([3, 6], dtype=np.uint8),
        object_box=np.array([[40.0, 14.0, 6.0, 8.0, 6.0, 6.0, 0, 0, 0], [20.0, 7.0, 3.0, 0.2, 0.2, 3.0, 0, 0, 0]]),
    )


def tick_of(
    actors: list[tuple[int, int, tuple[float, ...], tuple[float, ...]]],
    frame: int = 1,
    ego: tuple[float, ...] = (0.0,) * 6,
    camera: tuple[float, ...] | None = None,
    ego_id: int = 0,
) -> Tick:
    """A tick from rows of actor id, type index, pose (6) and box (9)."""
    return Tick(
        frame=frame,
        time_s=0.05 * frame,
        ego_id=ego_id,
        ego=np.array(ego, dtype=np.float64),
        camera=np.array(
            camera if camera is not None else (ego[0] + 1.5, ego[1], ego[2] + 1.7, 0, 0, 0), dtype=np.float64
        ),
        types=TYPES,
        actor_id=np.array([row[0] for row in actors], dtype=np.uint32),
        actor_type=np.array([row[1] for row in actors], dtype=np.int32),
        transform=np.array([row[2] for row in actors], dtype=np.float64).reshape(-1, 6),
        velocity=np.zeros((len(actors), 3)),
        box=np.array([row[3] for row in actors], dtype=np.float64).reshape(-1, 9),
    )


def drive(frames: int = 3) -> list[Tick]:
    """An ego (actor 1), a car ahead, a walker, a camera sensor; from the second frame on also a car that is new."""
    ticks = []
    for k in range(frames):
        actors = [
            (1, 0, (2.0 * k, 1.75, 0.0, 0.0, 0.0, 0.0), CAR_BOX),
            (2, 0, (15.0 + 1.7 * k, 1.75, 0.0, 0.3, 1.1 * k, 0.0), CAR_BOX),
            (3, 1, (12.0, 5.0, 0.93, 0.0, 90.0, 0.0), WALKER_BOX),
            (4, 2, (2.0 * k, 1.75, 1.7, 0.0, 0.0, 0.0), (0.0,) * 9),
        ]
        if k:
            actors.append((77, 0, (40.0 - k, -1.75, 0.0, 0.0, 180.0, 0.0), (0.0, 0.0, 0.9, 2.8, 1.1, 0.9, 0, 0, 0)))
        ticks.append(tick_of(actors, frame=100 + k, ego=actors[0][2], ego_id=1))
    return ticks
