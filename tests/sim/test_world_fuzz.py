"""Some thousands of the calls of fuzz_world.py (`make fuzzworld` sends 100,000), with a real client beside them."""

from __future__ import annotations

from pathlib import Path

from fuzz_world import LISTENERS, OPTIONS, SENSORS, fuzz
from world_client import run_client, start_client, world_server

BESIDE = """
import os
rounds = refused = 0
while not os.path.exists(sys.argv[2]):
    try:
        frame = world.tick()
        snapshot = world.get_snapshot()
        assert snapshot.frame >= frame
        for state in snapshot:
            place = state.get_transform().location
            assert math.isfinite(place.x) and math.isfinite(place.y) and math.isfinite(place.z)
        for actor in world.get_actors():
            actor.attributes, actor.bounding_box, actor.parent
            if actor.type_id.startswith("vehicle."):
                actor.get_physics_control(), actor.get_light_state()
        world.get_settings(), world.get_weather(), world.get_environment_objects()
        client.get_available_maps(), world.get_spectator().get_transform()
        rounds += 1
    except RuntimeError as error:  # an actor that is gone by now, or a map that changes under it
        assert "time-out" not in str(error), error
        refused += 1
    time.sleep(0.02)
facts["rounds"], facts["refused"] = rounds, refused
"""


def test_hostile_calls_are_answered_and_a_client_beside_them_is_served(tmp_path: Path) -> None:
    done = tmp_path / "done"
    with world_server(*OPTIONS) as server:
        beside = start_client(BESIDE, server.rpc, str(done))
        count = fuzz(server, calls=6000, seed=2)
        done.touch()
        out, errors = beside.communicate(timeout=120)
        assert beside.returncode == 0, out + errors
        facts = run_client('facts["frame"] = world.tick()', server.rpc)
    assert count["done"] > 1000, "some must get through to what lies behind the checks"
    assert count["refused"] > 1000, "most hostile values must be noticed"
    assert count["snapshots seen"] > 50
    assert facts["frame"] > 0
    assert '"rounds": 0' not in out


def test_listeners_get_whole_messages_of_the_worlds_frames_beside_hostile_calls() -> None:
    """Type, length, counts, frame and time of each; lane invasions are found in the client and have no stream."""
    with world_server(*OPTIONS) as server:
        count = fuzz(server, calls=1600, seed=3, listeners=LISTENERS)
    heard = {name for name in SENSORS if count[name]}
    events = {"sensor.other.collision", "sensor.other.obstacle", "sensor.other.lane_invasion"}
    assert heard | events == set(SENSORS)
    assert count["done"] > 300
