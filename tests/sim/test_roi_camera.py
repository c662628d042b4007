"""A scenario script written for stock CARLA, with the camera's line changed, on the built-in server."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from world_client import Server, client_command, run_client, world_server

STOCK = """
settings = world.get_settings()
settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
world.apply_settings(settings)
library = world.get_blueprint_library()
places = (world.try_spawn_actor(library.find("vehicle.tesla.model3"), p) for p in world.get_map().get_spawn_points())
car = next(place for place in places if place is not None)
blueprint = library.find("sensor.camera.rgb")
for name, value in (("image_size_x", "160"), ("image_size_y", "96"), ("fov", "100")):
    blueprint.set_attribute(name, value)
mount = carla.Transform(carla.Location(x=1.5, z=1.7), carla.Rotation(pitch=-5.0))
CAMERA
images = queue.Queue()
camera.listen(images.put)
"""
STOCK_LINE = "camera = world.spawn_actor(blueprint, mount, attach_to=car)"
ROI_LINE = (
    "from foveal.carla import RoiCamera; camera = RoiCamera(world, blueprint, mount, attach_to=car, device='model')"
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with world_server("--map", "curve", "--traffic", "10", "--walkers", "6", "--seed", "3", "--synchronous") as running:
        yield running


def script(camera: str, body: str) -> str:
    return STOCK.replace("CAMERA", camera) + dedent(body)


DRIVE = """
import os, tempfile
import numpy as np
folder = tempfile.mkdtemp()
asked, seen, saved, poses = [], [], [], []
for _ in range(12):
    asked.append(world.tick())
    image = images.get(timeout=60)
    seen.append(image.frame)
    poses.append(image.transform.location.distance(camera.get_transform().location))
    image.save_to_disk(os.path.join(folder, "%06d.png" % image.frame))
    saved.append(os.path.exists(os.path.join(folder, "%06d.png" % image.frame)))
facts["asked"], facts["seen"], facts["saved"], facts["apart_m"] = asked, seen, all(saved), max(poses)
facts["bytes"], facts["size"], facts["fov"] = len(image.raw_data), [image.width, image.height], image.fov
facts["time"] = image.timestamp - world.get_snapshot().timestamp.elapsed_seconds
array = np.frombuffer(image.raw_data, dtype=np.uint8).reshape(image.height, image.width, 4)
facts["sum"] = int(array[..., :3].astype(int).sum())
facts["pixel"] = [image[500].r, image[500].g, image[500].b] == array.reshape(-1, 4)[500, 2::-1].tolist()
camera.stop()
facts["listening"] = camera.is_listening()
world.tick()
time.sleep(0.2)
facts["after_stop"] = images.qsize()
facts["gone"] = camera.destroy()
car.destroy()
"""


@pytest.mark.parametrize("line", [STOCK_LINE, ROI_LINE])
def test_a_stock_script_runs_with_and_without_the_changed_line(server: Server, line: str) -> None:
    facts = run_client(script(line, DRIVE), server.rpc)
    assert facts["seen"] == facts["asked"]
    assert facts["saved"]
    assert facts["apart_m"] < 1e-3
    assert (facts["bytes"], facts["size"], facts["fov"]) == (160 * 96 * 4, [160, 96], 100.0)
    assert facts["time"] == pytest.approx(0.0, abs=1e-6)
    assert facts["pixel"]
    assert not facts["listening"]
    assert (facts["after_stop"], facts["gone"]) == (0, True)


def test_inside_the_regions_it_shows_what_the_servers_camera_shows(server: Server) -> None:
    facts = run_client(
        script(
            "from foveal.carla import RoiCamera\n"
            "from foveal.policy import Fixed\n"
            "from foveal.region import Region\n"
            "mine = RoiCamera(world, blueprint, mount, car, device='model', policy=Fixed([Region(20, 10, 150, 90)]))\n"
            + STOCK_LINE,
            """
            import numpy as np
            own = queue.Queue()
            mine.listen(own.put)
            same = []
            for _ in range(3):
                world.tick()
                theirs, ours = images.get(timeout=60), own.get(timeout=60)
                assert theirs.frame == ours.frame
                a, b = (np.frombuffer(i.raw_data, np.uint8).reshape(96, 160, 4).astype(int) for i in (theirs, ours))
                near = (np.abs(a - b) <= 2).all(axis=-1)
                same.append([float(near[ours.mask].mean()), bool((b[~ours.mask][:, :3] == 0).all())])
            facts["same"], facts["share"] = same, float(ours.mask.mean())
            facts["stages"] = [[s.name, str(s.provenance)] for s in ours.record]
            mine.destroy(), camera.destroy(), car.destroy()
            """,
        ),
        server.rpc,
    )
    assert facts["share"] == pytest.approx(130 * 80 / (160 * 96))
    assert all(share > 0.99 and black for share, black in facts["same"]), facts["same"]
    assert facts["stages"][:3] == [["snapshot", "measured"], ["region", "measured"], ["scene", "measured"]]


def test_conversions_are_those_of_the_package(server: Server) -> None:
    """On the bytes of a picture; of the three, only the tags' conversion looks at one channel alone."""
    facts = run_client(
        script(
            STOCK_LINE,
            """
            import numpy as np
            from foveal.carla.palette import converted
            facts["differ"] = {}
            for name in ("Raw", "Depth", "LogarithmicDepth", "CityScapesPalette"):
                world.tick()
                image = images.get(timeout=60)
                pixels = np.array(np.frombuffer(image.raw_data, np.uint8)).reshape(-1, 4)
                image.convert(getattr(carla.ColorConverter, name))
                theirs = np.frombuffer(image.raw_data, np.uint8).reshape(-1, 4)
                facts["differ"][name] = int((converted(pixels, getattr(carla.ColorConverter, name)) != theirs).sum())
            facts["tags"] = len(np.unique(pixels[:, 2]))
            camera.stop(), camera.destroy(), car.destroy()
            """,
        ),
        server.rpc,
    )
    assert facts["tags"] > 50, "more values than there are tags"
    assert facts["differ"] == dict.fromkeys(("Raw", "Depth", "LogarithmicDepth", "CityScapesPalette"), 0)


@pytest.mark.parametrize("kind", ["depth", "semantic_segmentation", "instance_segmentation"])
def test_each_kind_of_camera_shows_what_the_servers_shows_inside_the_regions(server: Server, kind: str) -> None:
    """Bit for bit but where the client's poses, which are float32, move an edge across a pixel's centre."""
    facts = run_client(
        script(
            f"blueprint = library.find('sensor.camera.{kind}')\n"
            "for name, value in (('image_size_x', '160'), ('image_size_y', '96'), ('fov', '100')):\n"
            "    blueprint.set_attribute(name, value)\n"
            "from foveal import Channel\n"
            "from foveal.carla import RoiCamera\n"
            "from foveal.policy import Fixed\n"
            "from foveal.region import Region\n"
            "every = Channel.COLOUR | Channel.DEPTH | Channel.SEMANTIC | Channel.INSTANCE\n"
            "mine = RoiCamera(world, blueprint, mount, car, device='model', channels=every,"
            " policy=Fixed([Region(20, 10, 150, 90)]))\n" + STOCK_LINE,
            """
            import numpy as np
            from foveal.image import decode_depth
            own = queue.Queue()
            mine.listen(own.put)
            world.tick()
            theirs, ours = images.get(timeout=60), own.get(timeout=60)
            a, b = (np.array(np.frombuffer(i.raw_data, np.uint8)).reshape(96, 160, 4) for i in (theirs, ours))
            inside = ours.mask
            near = np.abs(decode_depth(a) - decode_depth(b)) < 0.01 * decode_depth(a)
            same = near if "depth" in mine.type_id else (a == b).all(axis=-1)
            facts["frames"] = [theirs.frame, ours.frame]
            facts["same"] = float(same[inside].mean())
            facts["outside"] = np.unique(b[~inside], axis=0).tolist()
            metres, tag, number = ours.depth, ours.semantic, ours.instance
            facts["kinds"] = [str(metres.dtype), str(tag.dtype), str(number.dtype)]
            facts["empty"] = [bool(array[~inside].any()) for array in (metres, tag, number)]
            encoded = {
                "depth": lambda: np.abs(decode_depth(b)[inside] - metres[inside]).max() < 1e-4,
                "semantic_segmentation": lambda: (b[..., 2] == tag)[inside].all(),
                "instance_segmentation": lambda: (
                    (b[..., 2] == tag) & (b[..., 1] == number % 256) & (b[..., 0] == number // 256)
                )[inside].all(),
            }
            facts["encoded"] = bool(encoded[mine.type_id.rpartition(".")[2]]())
            theirs.convert(carla.ColorConverter.LogarithmicDepth), ours.convert(carla.ColorConverter.LogarithmicDepth)
            c, d = (np.frombuffer(i.raw_data, np.uint8).reshape(96, 160, 4) for i in (theirs, ours))
            facts["still"] = float((c == d).all(axis=-1)[inside].mean())
            mine.destroy(), camera.destroy(), car.destroy()
            """,
        ),
        server.rpc,
    )
    assert facts["frames"][0] == facts["frames"][1]
    assert facts["same"] > 0.99
    assert facts["still"] > 0.99
    assert facts["outside"] == [[0, 0, 0, 255]]
    assert facts["kinds"] == ["float32", "uint8", "uint16"]
    assert facts["empty"] == [False] * 3
    assert facts["encoded"]


def test_outside_the_regions_the_argument_decides(server: Server) -> None:
    line = (
        "from foveal.carla import RoiCamera\n"
        "from foveal.policy import Fixed\n"
        "from foveal.region import Region\n"
        "make = lambda outside: RoiCamera(world, blueprint, mount, car, device='model', outside=outside,"
        " policy=Fixed([Region(0, 0, 80, 96)]))\n"
        "camera, held, coarse = make('black'), make('hold'), make('coarse')"
    )
    facts = run_client(
        script(
            line,
            """
            import numpy as np
            queues = [images, queue.Queue(), queue.Queue()]
            held.listen(queues[1].put), coarse.listen(queues[2].put)
            world.tick()
            taken = [q.get(timeout=60) for q in queues]
            black, hold, rough = (np.frombuffer(i.raw_data, np.uint8).reshape(96, 160, 4) for i in taken)
            left, right = np.s_[:, :80], np.s_[:, 80:]
            facts["left"] = bool((black[left] == hold[left]).all() and (black[left] == rough[left]).all())
            facts["black"] = bool((black[right][..., :3] == 0).all() and (hold[right][..., :3] == 0).all())
            blocks = rough[right].reshape(48, 2, 40, 2, 4)
            facts["blocks"] = bool((blocks == blocks[:, :1, :, :1]).all())
            facts["drawn"] = float((rough[right][..., :3] > 0).any(-1).mean())
            for one in (camera, held, coarse):
                one.destroy()
            car.destroy()
            """,
        ),
        server.rpc,
    )
    assert facts["left"]
    assert facts["black"]
    assert facts["blocks"], "each sample stands for two by two pixels"
    assert facts["drawn"] > 0.9


def test_a_slow_callback_drops_the_oldest_and_counts_them(server: Server) -> None:
    facts = run_client(
        script(
            ROI_LINE.replace("device='model'", "device='model', queue=2"),
            """
            import threading
            camera.stop()
            gate, seen = threading.Event(), []
            def slow(image):
                gate.wait(60)
                seen.append(image.frame)
            camera.listen(slow)
            frames = [world.tick() for _ in range(6)]
            time.sleep(1.0)
            gate.set()
            for _ in range(200):
                if len(seen) + camera.dropped == 6:
                    break
                time.sleep(0.05)
            facts["seen"], facts["frames"], facts["dropped"] = seen, frames, camera.dropped
            camera.destroy(), car.destroy()
            """,
        ),
        server.rpc,
    )
    assert facts["dropped"] >= 2
    assert facts["seen"] == sorted(facts["seen"])
    assert facts["seen"][-2:] == facts["frames"][-2:], "the newest were kept"
    assert len(facts["seen"]) + facts["dropped"] == 6


def test_sensor_tick_and_attributes(server: Server) -> None:
    facts = run_client(
        script(
            "blueprint.set_attribute('sensor_tick', '0.1')\nblueprint.set_attribute('gamma', '2.4')\n" + ROI_LINE,
            """
            frames = [world.tick() for _ in range(6)]
            seen = [images.get(timeout=60).frame for _ in range(3)]
            time.sleep(0.3)
            facts["seen"] = [frame - frames[0] for frame in seen]
            facts["more"] = images.qsize()
            facts["honoured"], facts["ignored"] = sorted(camera.honoured), sorted(camera.ignored)
            facts["attributes"] = camera.attributes["image_size_x"], camera.type_id, camera.parent.id == car.id
            camera.destroy(), car.destroy()
            """,
        ),
        server.rpc,
    )
    assert facts["seen"] == [0, 2, 4]
    assert facts["more"] == 0
    assert facts["honoured"] == ["fov", "image_size_x", "image_size_y", "role_name", "sensor_tick"]
    assert {"gamma", "exposure_mode", "lens_circle_falloff", "motion_blur_intensity"} <= set(facts["ignored"])
    assert not set(facts["honoured"]) & set(facts["ignored"])
    assert facts["attributes"] == ["160", "sensor.camera.rgb", True]


def test_a_camera_whose_car_is_gone_says_so_and_gives_no_image(server: Server) -> None:
    facts = run_client(
        script(
            ROI_LINE,
            """
            world.tick()
            images.get(timeout=60)
            car.destroy()
            world.tick()
            for _ in range(100):
                if camera.failure is not None:
                    break
                time.sleep(0.05)
            facts["failure"], facts["images"] = str(camera.failure), images.qsize()
            facts["listening"] = camera.is_listening()
            camera.destroy()
            """,
        ),
        server.rpc,
    )
    assert "the ego, actor" in facts["failure"]
    assert (facts["images"], facts["listening"]) == (0, False)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("blueprint = library.find('sensor.other.lane_invasion')", "use one of sensor.camera.rgb, sensor.camera.depth"),
        ("blueprint.set_attribute('fov', '180')", "field of view"),
        ("blueprint.set_attribute('sensor_tick', '-1')", "sensor_tick"),
    ],
)
def test_what_is_no_camera_is_refused(server: Server, line: str, message: str) -> None:
    body = f"""{line}
try:
    {ROI_LINE}
except Exception as error:
    facts['error'] = type(error).__name__, str(error)
    return"""
    facts = run_client(script(body, "car.destroy()"), server.rpc)
    assert facts["error"][0] == "SceneError"
    assert message in facts["error"][1]


def test_a_policy_that_fails_ends_the_camera_with_its_error(server: Server) -> None:
    facts = run_client(
        script(
            ROI_LINE.replace(
                "device='model'", "device='model', policy=type('P', (), {'wishes': lambda self, s: [][0]})()"
            ),
            """
            world.tick()
            for _ in range(200):
                if camera.failure is not None:
                    break
                time.sleep(0.05)
            facts["failure"], facts["listening"] = type(camera.failure).__name__, camera.is_listening()
            camera.destroy(), car.destroy()
            """,
        ),
        server.rpc,
    )
    assert facts == {"failure": "IndexError", "listening": False}


def test_another_filling_is_refused_with_the_choices() -> None:
    from foveal.carla.outside import Outside

    with pytest.raises(ValueError, match="one of black, hold, coarse, got 'grey'"):
        Outside.of("grey")


def test_a_script_that_just_ends_does_not_abort(server: Server) -> None:
    """No stop, no destroy, objects alive: the package's threads must not outlive the interpreter."""
    import subprocess

    body = script(
        ROI_LINE, "for _ in range(3):\n    world.tick()\n    images.get(timeout=60)\nglobal keep\nkeep = camera, car"
    )
    body = body.replace("gc.collect()", "")
    for _ in range(3):
        command: list[Any] = client_command(body, server.rpc)
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
