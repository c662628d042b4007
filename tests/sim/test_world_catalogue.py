"""What `foveal world --blueprints` lists is what a client finds in the library, and what cameras do with it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from foveal_sim.world.command import main
from world_client import run_client, world_server


def listed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["--blueprints", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_client_finds_the_same(capsys):
    with world_server("--map", "straight") as server:
        found = run_client(
            """
            kinds = {kind: str(kind).lower() for kind in carla.ActorAttributeType.values.values()}
            for blueprint in world.get_blueprint_library():
                facts[blueprint.id] = {
                    attribute.id: [kinds[attribute.type], attribute.recommended_values, attribute.is_modifiable]
                    for attribute in blueprint
                }
            """,
            server.rpc,
        )
    mine = {
        entry["id"]: {
            row["name"]: [row["type"].replace("color", "rgbcolor"), row["choices"], not row["fixed"]]
            for row in entry["attributes"]
        }
        for entry in listed(capsys)
    }
    assert mine == found


def test_sizes_and_what_changes_no_picture_are_said(capsys):
    entries = {entry["id"]: entry for entry in listed(capsys)}
    assert entries["vehicle.tesla.model3"]["size_m"] == [4.7, 1.85, 1.45]
    assert entries["sensor.other.imu"]["size_m"] is None
    rgb = {row["name"]: row["effect"] for row in entries["sensor.camera.rgb"]["attributes"]}
    assert [rgb[name] for name in ("fov", "image_size_x", "sensor_tick", "role_name")] == [True] * 4
    assert [rgb[name] for name in ("gamma", "lens_k", "motion_blur_intensity")] == [False] * 3
    assert all(row["effect"] for row in entries["sensor.lidar.ray_cast"]["attributes"])


def test_people_read_one_line_a_blueprint_and_one_an_attribute(capsys):
    assert main(["--blueprints"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "vehicle.tesla.model3  4.70 x 1.85 x 1.45 m" in lines
    assert sum(line.split()[:1] == ["gamma"] and line.endswith("no effect") for line in lines) == 1
    blueprints = [line for line in lines[:-1] if not line.startswith(" ")]
    sensors = [line for line in blueprints if line.startswith("sensor.")]
    assert lines[-1] == f"{len(blueprints)} blueprints, {len(sensors)} sensors among them"


def test_json_belongs_to_the_list(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--json"])
    assert ended.value.code == 2
    assert "--json is for --blueprints" in capsys.readouterr().err


def test_a_reader_that_has_seen_enough_is_no_fault():
    command = [sys.executable, "-m", "foveal_sim.world", "--blueprints"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as listing:
        assert listing.stdout
        assert listing.stderr
        listing.stdout.close()
        assert listing.stderr.read() == ""
    assert listing.returncode == 0
