"""Stream messages have exactly the layout that the client decodes; a wrong one ends the client's process."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from foveal_sim.world.wire import ACTOR_RECORD, image_message, snapshot_message, stream_token


def test_record_is_119_bytes_with_fields_where_the_client_reads_them():
    record = np.zeros(1, dtype=ACTOR_RECORD)
    record["id"], record["state"] = 7, 1
    record["pose"] = [1, 2, 3, 4, 5, 6]
    record["velocity"], record["angular_velocity"], record["acceleration"] = [7, 8, 9], [10, 11, 12], [13, 14, 15]
    record["throttle"], record["steer"], record["brake"] = 0.5, -0.25, 0.125
    record["hand_brake"], record["gear"], record["speed_limit"] = True, -1, 50.0
    record["light_state"], record["light_id"], record["failure"] = 4, 99, 2
    head = struct.pack("<IB15f", 7, 1, *range(1, 16))
    tail = struct.pack("<3f???ifB?IB", 0.5, -0.25, 0.125, True, False, False, -1, 50.0, 4, False, 99, 2)
    assert record.tobytes() == head + tail + bytes(119 - len(head) - len(tail))


def test_walker_fields_follow_the_motion():
    record = np.zeros(1, dtype=ACTOR_RECORD)
    record["walker_direction"], record["walker_speed"], record["walker_jump"] = [1, 0, -1], 1.5, True
    assert record.tobytes()[65:82] == struct.pack("<4f?", 1, 0, -1, 1.5, True)


def test_light_fields_follow_the_motion_and_fill_the_record():
    record = np.zeros(1, dtype=ACTOR_RECORD)
    record["sign_id"], record["light_times"], record["light_elapsed"] = b"a1", [10, 3, 2], 1.5
    record["pole_index"], record["light_frozen"], record["light"] = 7, True, 2
    assert record.tobytes()[65:] == struct.pack("<32s4fI?B", b"a1", 10, 3, 2, 1.5, 7, True, 2)


def test_motion_names_the_same_bytes_as_its_four_parts():
    record = np.zeros(1, dtype=ACTOR_RECORD)
    record["motion"] = np.arange(15)
    parts = [record[name][0] for name in ("pose", "velocity", "angular_velocity", "acceleration")]
    assert np.concatenate(parts).tolist() == list(range(15))


def test_snapshot_length_counts_header_episode_and_records():
    message = snapshot_message(17, 5, 2.5, 0.05, 9.0, 3, 1, bytes(2 * 119))
    assert struct.unpack_from("<I", message)[0] == len(message) - 4 == 48 + 36 + 2 * 119
    assert struct.unpack_from("<QQd", message, 4) == (17, 5, 2.5)
    assert struct.unpack_from("<Qd", message, 52) == (3, 9.0)
    assert struct.unpack_from("<f3iI", message, 68) == (np.float32(0.05), 0, 0, 0, 1)


def test_snapshot_refuses_part_of_a_record():
    with pytest.raises(ValueError, match="whole actor records"):
        snapshot_message(17, 1, 0.0, 0.05, 0.0, 1, 0, bytes(118))


def test_image_announces_its_pixels_and_keeps_their_order():
    pixels = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    head, body = image_message("sensor.camera.rgb", 8, 0.4, (1, 2, 3, 4, 5, 6), 3, 2, 90.0, pixels)
    assert bytes(body) == bytes(range(24))
    assert struct.unpack("<IQQd6fIIf", head) == (48 + 12 + 24, 13, 8, 0.4, 1, 2, 3, 4, 5, 6, 3, 2, 90.0)


@pytest.mark.parametrize("shape", [(3, 2, 4), (2, 3, 3), (2, 3)])
def test_image_refuses_pixels_of_another_size(shape):
    with pytest.raises(ValueError, match="announces"):
        image_message("sensor.camera.rgb", 1, 0.0, (0,) * 6, 3, 2, 90.0, np.zeros(shape, np.uint8))


def test_token_carries_stream_and_port_and_leaves_the_host_to_the_client():
    assert stream_token(258, 2001) == bytes([2, 1, 0, 0, 0xD1, 0x07, 1, 0]) + bytes(16)
