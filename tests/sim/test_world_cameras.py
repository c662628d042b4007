"""Depth and segmentation cameras of the server: their bytes as the unmodified client decodes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from foveal.channel import Channel
from foveal.drawlist import DrawList, MeshSet
from foveal.frame import Frame
from foveal.image import decode_depth
from foveal.planes import CAMERAS
from foveal.tag import Tag
from foveal_sim.world.blueprints import LIBRARY
from foveal_sim.world.camera import Camera, in_vain
from foveal_sim.world.episode import Episode, Population
from foveal_sim.world.opendrive import load_map
from foveal_sim.world.renderer import GoldenPainter, SceneRenderer
from world_client import Server, run_client, world_server

VIEW = (10.0, 1.75, 1.7, 0.0, 0.0, 0.0)
SIZE = {"image_size_x": "96", "image_size_y": "54"}
TRUCK = (30.0, 1.75, 0.0, 0.0, 0.0, 0.0)


class CountingPainter(GoldenPainter):
    """Notes what was drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Channel] = []
        self.loads = 0

    def load(self, meshes: MeshSet) -> None:
        self.loads += 1
        super().load(meshes)

    def paint(self, draw: DrawList, channels: Channel) -> Frame:
        self.asked.append(channels)
        return super().paint(draw, channels)


class Studio:
    """A street, and cameras in it."""

    def __init__(self) -> None:
        self.world = Episode(1, load_map("straight"), Population(), first_id=1)
        self.painter = CountingPainter()
        self.renderer = SceneRenderer(self.painter)
        self.cameras: list[Camera] = []

    def camera(self, kind: str, pose: tuple[float, ...] = VIEW, parent: int = 0, **attributes: str) -> None:
        name = f"sensor.camera.{kind}"
        actor = self.world.spawn(name, SIZE | attributes, pose, parent)
        self.cameras.append(Camera.of(name, actor.id, len(self.cameras), actor.attributes))

    def shoot(self) -> list[np.ndarray]:
        self.painter.asked.clear()
        shown = {id(camera): pixels for camera, pixels in self.renderer.render(self.world, self.cameras, 1, 0.05)}
        return [shown[id(camera)] for camera in self.cameras]


@pytest.fixture
def studio() -> Studio:
    return Studio()


def test_cameras_that_see_the_same_share_one_pass(studio: Studio) -> None:
    for kind in ("rgb", "depth", "semantic_segmentation", "instance_segmentation", "rgb"):
        studio.camera(kind)
    colour, _, _, _, again = studio.shoot()
    assert studio.painter.asked == [Channel.COLOUR | Channel.DEPTH | Channel.SEMANTIC | Channel.INSTANCE]
    assert np.array_equal(colour, again)
    studio.camera("depth", (10.0, 1.75, 1.8, 0.0, 0.0, 0.0))
    studio.camera("depth", image_size_x="97")
    studio.camera("depth", fov="80")
    studio.shoot()
    assert studio.painter.asked[1:] == [Channel.DEPTH] * 3
    assert studio.painter.loads == 1


def test_cameras_of_two_vehicles_at_one_place_do_not_share_since_each_hides_its_own(studio: Studio) -> None:
    for x in (12.0, 30.0):
        truck = studio.world.spawn("vehicle.carlamotors.firetruck", {}, (x, 1.75, 0.0, 0.0, 0.0, 0.0))
        studio.camera("semantic_segmentation", (10.0 - x, 0.0, 1.7, 0.0, 0.0, 0.0), truck.id)
    near_hidden, far_hidden = studio.shoot()
    assert len(studio.painter.asked) == 2
    assert (far_hidden[..., 2] == Tag.TRUCK).sum() > (near_hidden[..., 2] == Tag.TRUCK).sum() > 0


def test_a_wall_a_road_and_the_sky_are_as_far_as_they_are(studio: Studio) -> None:
    studio.camera("depth")
    studio.world.spawn("vehicle.carlamotors.firetruck", {}, TRUCK)
    pixels = studio.shoot()[0]
    assert (pixels[..., 3] == 255).all()
    metres = decode_depth(pixels)
    # The truck's rear end is 30 - 4.25 - 10 m away, and flat about its middle.
    assert np.abs(metres[24:27, 46:50] - 15.75).max() < 0.5
    assert metres[24:27, 46:50].min() >= 15.75 - 0.01
    # f = 48 px; the road is 1.7 m below the camera. A vertex is snapped to 1/256 px.
    row = np.arange(40, 54)
    road = 48 * 1.7 / (row + 0.5 - 27)
    assert (np.abs(metres[40:, 48] - road) < 0.001 + road**2 / (48 * 1.7) / 256).all()
    assert metres[0, 40:56].max() == 1000.0


def test_tags_and_instances_are_those_of_actors_and_objects(studio: Studio) -> None:
    studio.camera("semantic_segmentation")
    studio.camera("instance_segmentation")
    truck = studio.world.spawn("vehicle.carlamotors.firetruck", {}, TRUCK)
    walker = studio.world.spawn("walker.pedestrian.0001", {}, (20.0, 4.0, 0.93, 0.0, 0.0, 0.0))
    rider = studio.world.spawn("vehicle.diamondback.century", {}, (18.0, 0.0, 0.0, 0.0, 90.0, 0.0))
    tags, instances = studio.shoot()
    assert not tags[..., :2].any()
    assert np.array_equal(tags[..., 2], instances[..., 2])
    number = instances[..., 1].astype(int) | instances[..., 0].astype(int) << 8
    tag = tags[..., 2]
    assert set(np.unique(tag[number == truck.id]).tolist()) == {Tag.TRUCK}
    assert set(np.unique(tag[number == walker.id]).tolist()) == {Tag.PEDESTRIANS}
    assert set(np.unique(tag[number == rider.id]).tolist()) == {Tag.BICYCLE, Tag.RIDER}
    lying = {Tag.ROADS, Tag.SIDEWALKS, Tag.TERRAIN, Tag.ROAD_LINES, Tag.SKY}
    assert set(np.unique(tag[number == 0]).tolist()) <= lying
    assert {Tag.ROADS, Tag.SKY} <= set(np.unique(tag).tolist())
    assert tag[50, 48] == Tag.ROADS
    # Objects that do not move: the upper bit and the rest of their identity, with the label that they are listed with.
    things = {0x8000 | thing.id & 0x7FFF: thing.label for thing in studio.world.scenery}
    still = np.unique(number[(number & 0x8000) > 0]).tolist()
    assert len(still) > 3
    for one in still:
        assert set(np.unique(tag[number == one]).tolist()) == {things[one]}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "straight", "--synchronous") as running:
        yield running


ROUND_TRIP = """
import numpy as np
library = world.get_blueprint_library()
kinds = ["rgb", "depth", "semantic_segmentation", "instance_segmentation"]
transform = carla.Transform(carla.Location(10.0, 1.75, 1.7))
truck = world.spawn_actor(
    library.find("vehicle.carlamotors.firetruck"), carla.Transform(carla.Location(30.0, 1.75, 0.0))
)
cameras, queues = [], []
for kind in kinds:
    blueprint = library.find("sensor.camera." + kind)
    for name, value in (("image_size_x", "96"), ("image_size_y", "54"), ("fov", "90")):
        blueprint.set_attribute(name, value)
    cameras.append(world.spawn_actor(blueprint, transform))
    queues.append(queue.Queue())
    cameras[-1].listen(queues[-1].put)
facts["asked"] = [world.tick() for _ in range(3)]
images = [[q.get(timeout=60) for _ in range(3)] for q in queues]
facts["frames"] = [[image.frame for image in row] for row in images]
facts["pixels"] = [[int(v) for v in bytes(row[-1].raw_data)] for row in images]
facts["truck"] = truck.id
facts["tags"] = list(truck.semantic_tags)
facts["fov"] = [row[-1].fov for row in images]
images[1][0].convert(carla.ColorConverter.LogarithmicDepth)
images[2][0].convert(carla.ColorConverter.CityScapesPalette)
facts["grey"] = list(bytes(images[1][0].raw_data)[4 * 48 :][:3])
facts["palette"] = list(bytes(images[2][0].raw_data)[4 * (25 * 96 + 48):][:3])
for camera in cameras:
    camera.stop(), camera.destroy()
truck.destroy()
"""


def test_the_client_decodes_every_camera_of_one_and_the_same_frame(server: Server) -> None:
    facts: dict[str, Any] = run_client(ROUND_TRIP, server.rpc)
    assert facts["frames"] == [facts["asked"]] * len(CAMERAS)
    assert facts["fov"] == [90.0] * 4
    colour, depth, tags, instances = (np.array(one, np.uint8).reshape(54, 96, 4) for one in facts["pixels"])
    assert (colour[..., 3] == 255).all()
    metres = decode_depth(depth)
    assert metres[25, 48] == pytest.approx(15.75, abs=0.3)
    assert metres[0, 48] == 1000.0
    assert tags[25, 48, :3].tolist() == [0, 0, facts["tags"][0]]
    assert instances[25, 48, :3].tolist() == [facts["truck"] >> 8, facts["truck"] & 255, facts["tags"][0]]
    assert np.array_equal(tags[..., 2], instances[..., 2])
    assert facts["grey"] == [255, 255, 255], "the sky is a kilometre away"
    assert facts["palette"] == [70, 0, 0], "B, G, R of trucks"


def test_attributes_that_change_nothing_are_named() -> None:
    assert in_vain("sensor.camera.rgb", LIBRARY["sensor.camera.rgb"].defaults | {"fov": "20.0"}) == []
    changed = LIBRARY["sensor.camera.rgb"].defaults | {"gamma": "1.0", "enable_postprocess_effects": "False"}
    assert sorted(in_vain("sensor.camera.rgb", changed)) == ["enable_postprocess_effects", "gamma"]
    assert in_vain("sensor.camera.depth", LIBRARY["sensor.camera.depth"].defaults | {"lens_k": "0"}) == ["lens_k"]
