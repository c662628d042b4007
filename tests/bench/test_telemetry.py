"""Sensors of devices in a run's record."""

from __future__ import annotations

import json
from types import SimpleNamespace

from foveal.errors import DeviceBroken
from foveal.sample import Sample
from foveal_bench.telemetry import read_telemetry


def test_samples_are_objects_that_json_takes():
    sample = Sample(77, "card.power", 35.6, "W", (("card", "0000:d8:00.1"),))
    found = SimpleNamespace(samples=(sample,), remarks="WARNING: Unexpected xocl version")
    rows = read_telemetry({"card": SimpleNamespace(telemetry=lambda: found), "model": SimpleNamespace()})
    assert json.loads(json.dumps(rows)) == [
        {
            "device": "card",
            "samples": [
                {
                    "time_ns": 77,
                    "metric": "card.power",
                    "value": 35.6,
                    "unit": "W",
                    "attributes": {"card": "0000:d8:00.1"},
                }
            ],
            "remarks": "WARNING: Unexpected xocl version",
        }
    ]


def test_a_broken_card_has_no_samples_and_says_why():
    def refuse():
        raise DeviceBroken("the card refuses work\nuntil its reset")

    rows = read_telemetry({"card": SimpleNamespace(telemetry=refuse)})
    assert rows == [{"device": "card", "samples": [], "remarks": "the card refuses work until its reset"}]
