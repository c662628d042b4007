"""Sensors: from the library's documents, and from the tool's report file, whatever the tool prints beside it."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from foveal.errors import DeviceError, DeviceNotFound
from foveal.sample import Sample
from foveal.xrt import tool
from foveal.xrt.sensors import from_library, from_report
from foveal.xrt.tool import examine, reset_card
from test_xrt_card import opened
from xrt_double import StrictXrt

BDF = "0000:d8:00.1"
ELECTRICAL = {
    "power_rails": [{"id": "12v_aux", "voltage": {"volts": "12.17"}, "current": {"amps": "1.01"}}],
    "power_consumption_max_watts": "225",
    "power_consumption_watts": "35.614",
    "power_consumption_warning": "false",
}
THERMAL = {
    "thermals": [
        {"location_id": "fpga0", "description": "FPGA", "temp_C": "41", "is_present": "true"},
        {"location_id": "cage_temp_0", "description": "Cage0", "temp_C": "0", "is_present": "false"},
        {"location_id": "fpga_hbm", "description": "FPGA HBM", "temp_C": "N/A", "is_present": "true"},
    ]
}
CLOCKS = {"clocks": [{"id": "DATA_CLK", "description": "Data", "freq_mhz": "300"}]}
EXPECTED = {
    ("card.power", 35.614, "W", ""),
    ("card.temperature", 41.0, "Cel", "fpga0"),
    ("card.clock", 300.0, "MHz", "DATA_CLK"),
}
WARNING = "WARNING: Unexpected xocl version (2.16.0) was found. Expected 2.17.0, to match XRT tools."


def told(samples: tuple[Sample, ...]) -> set[tuple[str, float, str, str]]:
    assert {(sample.time_ns, dict(sample.attributes)["card"]) for sample in samples} <= {(77, BDF)}
    return {(s.metric, s.value, s.unit, dict(s.attributes).get("sensor", "")) for s in samples}


def test_the_library_tells_what_is_there_and_nothing_else() -> None:
    library = StrictXrt(info={"electrical": json.dumps(ELECTRICAL), "thermal": json.dumps(THERMAL)})
    found = from_library(library, library.device(0), BDF, 77)
    assert told(found.samples) == EXPECTED
    assert found.remarks == ""


@pytest.mark.parametrize("watts", ["N/A", "", "nan", None])
def test_power_that_is_not_told_is_no_sample_and_never_zero(watts: str | None) -> None:
    library = StrictXrt(info={"electrical": json.dumps({"power_consumption_watts": watts})})
    found = from_library(library, library.device(0), BDF, 77)
    assert "card.power" not in {sample.metric for sample in found.samples}
    assert "thermal: query request (thermal) is not supported" in found.remarks


def test_a_device_tells_its_sensors(tmp_path: Path) -> None:
    library = StrictXrt(info={"electrical": json.dumps(ELECTRICAL)})
    samples = opened(library, tmp_path).telemetry().samples
    assert {sample.metric for sample in samples} == {"card.power", "card.clock"}
    assert {dict(sample.attributes)["card"] for sample in samples} == {BDF}


@pytest.fixture
def xbutil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tool that prints a warning, writes the report where it is told to, and notes what it was called with."""
    path = tmp_path / "xbutil"
    path.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> {tmp_path}/arguments\n'
        f"echo '{WARNING}'\n"
        "echo '{\"devices\": []}'\n"
        f'test -e {tmp_path}/fails && {{ echo "ERROR: Operation not permitted" >&2; exit 1; }}\n'
        'while [ $# -gt 1 ]; do [ "$1" = --output ] && cp ' + f"{tmp_path}/report" + ' "$2"; shift; done\n'
        "exit 0\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def test_a_warning_on_standard_output_is_kept_and_not_parsed(xbutil: Path) -> None:
    (xbutil / "report").write_text(json.dumps({"devices": []}))
    report = examine()
    assert report.content == {"devices": []}
    assert WARNING in report.printed
    found = from_report(report, BDF, 77)
    assert (found.samples, WARNING in found.remarks) == ((), True)


def test_a_report_tells_the_sensors_of_its_card(xbutil: Path) -> None:
    mine = {"device_id": BDF, "electrical": ELECTRICAL, **THERMAL, "platforms": [CLOCKS]}
    other = {"device_id": "0000:3b:00.1", "electrical": {"power_consumption_watts": "99"}}
    (xbutil / "report").write_text(json.dumps({"devices": [other, mine]}))
    report = examine(BDF, ("electrical", "thermal", "platform"))
    assert told(from_report(report, BDF, 77).samples) == EXPECTED
    called = (xbutil / "arguments").read_text()
    assert called.startswith(f"examine --device {BDF} --report electrical thermal platform --format JSON --output ")


def test_the_tool_is_asked_where_the_library_knows_no_power(xbutil: Path, tmp_path: Path) -> None:
    device = opened(StrictXrt(), tmp_path)
    (xbutil / "report").write_text(
        json.dumps({"devices": [{"device_id": BDF, "electrical": ELECTRICAL, "platforms": [CLOCKS]}]})
    )
    found = device.telemetry()
    assert {(s.metric, s.value) for s in found.samples} == {("card.power", 35.614), ("card.clock", 300.0)}
    assert "electrical: query request (electrical) is not supported" in found.remarks
    assert WARNING in found.remarks
    (xbutil / "fails").touch()
    found = device.telemetry()
    assert {s.metric for s in found.samples} == {"card.clock"}
    assert "Operation not permitted" in found.remarks


def test_a_report_that_is_none_is_an_error_with_what_was_said(xbutil: Path) -> None:
    (xbutil / "report").write_text("WARNING: not JSON")
    with pytest.raises(DeviceError, match=r"cannot be read.*Unexpected xocl version"):
        examine()


def test_a_reset_names_its_card_and_asks_nobody(xbutil: Path) -> None:
    reset_card(BDF)
    assert (xbutil / "arguments").read_text() == f"reset --device {BDF} --force\n"
    (xbutil / "fails").touch()
    with pytest.raises(DeviceError, match="Operation not permitted"):
        reset_card(BDF)


def test_without_a_tool_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tool, "PLACES", ())
    with pytest.raises(DeviceNotFound, match="neither xrt-smi nor xbutil"):
        examine()
