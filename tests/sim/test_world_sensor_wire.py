"""Bodies of sensors have exactly the layout that the client decodes; a wrong one ends the client's process."""

from __future__ import annotations

import struct

import msgpack
import numpy as np
import pytest
from foveal_sim.world.sensor_wire import (
    LIDAR_POINT,
    RADAR_DETECTION,
    SEMANTIC_POINT,
    contact_body,
    gnss_body,
    imu_body,
    lidar_body,
    obstacle_body,
    radar_body,
    sensor_message,
)

ACTOR = [7, 0, [1, "vehicle.audi.tt", [["role_name", 4, "hero"]]], [[0, 0, 1], [2, 1, 1], [0, 0, 0], 7], b"\x0e", b""]


def test_a_message_is_length_header_and_body():
    message = sensor_message(11, 8, 0.4, (1, 2, 3, 4, 5, 6), b"body")
    assert message == struct.pack("<IQQd6f", 48 + 4, 11, 8, 0.4, 1, 2, 3, 4, 5, 6) + b"body"


@pytest.mark.parametrize("kind", [-1, 1, 6, 12, 16, 17, 21, 99])
def test_no_message_is_made_for_a_type_that_has_another_decoder(kind):
    with pytest.raises(ValueError, match="no body"):
        sensor_message(kind, 1, 0.0, (0,) * 6, b"")


def test_lidar_points_follow_angle_channels_and_counts():
    points = np.zeros(3, LIDAR_POINT)
    points["xyz"], points["intensity"] = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], [0.25, 0.5, 1.0]
    expected = struct.pack("<fI2I", 1.5, 2, 1, 2) + struct.pack("<12f", 1, 2, 3, 0.25, 4, 5, 6, 0.5, 7, 8, 9, 1.0)
    assert lidar_body(1.5, np.array([1, 2]), points) == expected


def test_semantic_points_have_24_bytes():
    point = np.zeros(1, SEMANTIC_POINT)
    point["xyz"], point["cos"], point["object"], point["tag"] = [1, 2, 3], 0.5, 70000, 14
    assert lidar_body(0.0, np.array([1]), point) == struct.pack("<fII4fII", 0.0, 1, 1, 1, 2, 3, 0.5, 70000, 14)


def test_a_lidar_without_points_still_names_its_channels():
    assert lidar_body(0.0, np.zeros(4, int), np.zeros(0, LIDAR_POINT)) == struct.pack("<fI4I", 0.0, 4, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("counts", "points"),
    [
        ([1, 1], np.zeros(3, LIDAR_POINT)),
        ([2], np.zeros((2, 1), LIDAR_POINT)),
        ([8], np.zeros(8, np.float32)),
        ([1], np.zeros(1, RADAR_DETECTION)),
    ],
    ids=["counts", "shape", "plain floats", "another record"],
)
def test_lidar_refuses_what_would_be_read_past_its_end(counts, points):
    with pytest.raises(ValueError, match="points"):
        lidar_body(0.0, np.array(counts), points)


def test_radar_detections_are_velocity_azimuth_altitude_depth():
    detection = np.zeros(2, RADAR_DETECTION)
    detection[0] = (-3.0, 0.1, -0.2, 40.0)
    assert radar_body(detection) == struct.pack("<8f", -3.0, 0.1, -0.2, 40.0, 0, 0, 0, 0)
    with pytest.raises(ValueError, match="detections"):
        radar_body(np.zeros(2, LIDAR_POINT))


def test_message_pack_bodies_are_arrays_in_field_order():
    assert msgpack.unpackb(gnss_body(48.5, -9.25, 300.0)) == [48.5, -9.25, 300.0]
    assert msgpack.unpackb(imu_body(np.array([1, 2, 3]), (4, 5, 6), 0.5)) == [[1, 2, 3], [4, 5, 6], 0.5]
    assert msgpack.unpackb(contact_body(ACTOR, ACTOR, np.array([1, 2, 3]))) == [ACTOR, ACTOR, [1, 2, 3]]
    assert msgpack.unpackb(obstacle_body(ACTOR, ACTOR, np.float64(2.5))) == [ACTOR, ACTOR, 2.5]


@pytest.mark.parametrize("vector", [(1, 2), (1, 2, 3, 4)])
def test_vectors_have_three_parts(vector):
    with pytest.raises(ValueError, match="unpack"):
        imu_body(vector, (0, 0, 0), 0.0)
    with pytest.raises(ValueError, match="unpack"):
        contact_body(ACTOR, ACTOR, vector)
