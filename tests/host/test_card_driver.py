"""The driver against a strict double of the card."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from card_double import CardDouble, EngineDouble, pattern
from foveal.card import FovealDriver, registers
from foveal.device import Device, DeviceInfo
from foveal.drawlist import DrawList, MeshSet, Zone
from foveal.errors import DeviceBroken, DeviceError, DeviceTimeout, SceneError
from foveal.provenance import Provenance
from foveal.region import Region, RegionSet

INFO = DeviceInfo("double", "double", "fpga", {})
WIDTH, HEIGHT = 50, 40
REGIONS = RegionSet.of([Region(3, 2, 20, 9), Region(10, 5, 50, 40)], WIDTH, HEIGHT)


def meshes(count: int = 1) -> MeshSet:
    return MeshSet(
        position=np.arange(9, dtype=np.float32).reshape(3, 3),
        triangle=np.array([[0, 1, 2]], np.uint32),
        normal=np.array([[0, 0, 1]], np.float32),
        surface=np.array([[1, 2, 3, 4]], np.uint8),
        vertex_range=np.array([[0, 3]] * count, np.uint32),
        triangle_range=np.array([[0, 1]] * count, np.uint32),
        bounds=np.zeros((count, 2, 3), np.float32),
        material=np.full((256, 4), 128, np.uint8),
    )


def draw(frame: int = 5, **changes: object) -> DrawList:
    fields: dict[str, object] = {
        "frame": frame,
        "width": WIDTH,
        "height": HEIGHT,
        "mesh": np.zeros(2, np.uint32),
        "mvp": np.tile(np.eye(4, dtype=np.float32), (2, 1, 1)),
        "sun": np.zeros((2, 3), np.float32),
    }
    return DrawList(**(fields | changes))  # type: ignore[arg-type]


def driver(card: CardDouble, engine: EngineDouble | None = None, **options: bool | int) -> FovealDriver:
    device = FovealDriver(card, engine or EngineDouble(), INFO, **options)  # type: ignore[arg-type]
    device.load(meshes())
    card.log.clear()
    return device


def expected(regions: RegionSet) -> np.ndarray:
    """What the double draws, built pixel by pixel from the rectangles' definition."""
    image = np.zeros((regions.height, regions.width), np.uint32)
    for y in range(regions.height):
        for x in range(regions.width):
            if any(r.x0 <= x < r.x1 and r.y0 <= y < r.y1 for r in regions):
                image[y, x] = pattern(regions.width, regions.height)[y, x]
    return image.view(np.uint8).reshape(regions.height, regions.width, 4)


def test_driver_is_a_device() -> None:
    assert isinstance(driver(CardDouble()), Device)


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("regions", [REGIONS, RegionSet.full(WIDTH, HEIGHT), RegionSet(WIDTH, HEIGHT, ())])
def test_pixels_lie_where_the_regions_are(strided: bool, regions: RegionSet) -> None:
    frame = driver(CardDouble(), strided=strided).render(draw(), regions)
    np.testing.assert_array_equal(frame.pixels, expected(regions))
    assert (frame.frame, frame.regions) == (5, regions)


def test_smaller_set_after_a_larger_one_leaves_nothing_behind() -> None:
    device = driver(CardDouble())
    device.render(draw(), REGIONS)
    small = RegionSet.of([Region(0, 0, 4, 4)], WIDTH, HEIGHT)
    np.testing.assert_array_equal(device.render(draw(), small).pixels, expected(small))


@pytest.mark.parametrize(
    ("register", "value", "words"),
    [
        (registers.ID, 0xDEADBEEF, "0xDEADBEEF"),
        (registers.VERSION, 2 << 16, "register map 2.0"),
        (registers.CONFIG, 0x00200808, "8 regions"),
        (registers.CONFIG, 0x00101008, "bands of 16 rows"),
        (registers.CONFIG, 0x00201003, "3 pixels a clock"),
    ],
)
def test_foreign_kernel_is_refused_before_anything_is_written(register: int, value: int, words: str) -> None:
    card = CardDouble(overrides={register: value})
    with pytest.raises(DeviceError, match=words):
        FovealDriver(card, EngineDouble(), INFO)
    assert not [entry for entry in card.log if entry[0] == "w"]


@pytest.mark.parametrize(("latency", "timeout"), [(1, 4096), (40, 4096), (42, 4200), (3000, 300_000)])
def test_patience_with_memory_follows_its_latency(latency: int, timeout: int) -> None:
    card = CardDouble(memory_latency_cycles=latency)
    device = FovealDriver(card, EngineDouble(), INFO)
    assert card.values[registers.TIMEOUT] == timeout >= 10 * latency
    device.reset()
    assert card.values[registers.TIMEOUT] == timeout


def test_patience_with_memory_can_be_set() -> None:
    card = CardDouble()
    FovealDriver(card, EngineDouble(), INFO, timeout_cycles=77)
    assert card.values[registers.TIMEOUT] == 77


def test_newer_minor_version_is_accepted() -> None:
    card = CardDouble(overrides={registers.VERSION: 1 << 16 | 7})
    assert FovealDriver(card, EngineDouble(), INFO).identity.version == (1, 7)


def test_hung_kernel_breaks_the_device_until_a_reset() -> None:
    card = CardDouble(hang=True)
    device = driver(card)
    with pytest.raises(DeviceTimeout):
        device.render(draw(), REGIONS)
    for action in (lambda: device.render(draw(), REGIONS), lambda: device.load(meshes())):
        with pytest.raises(DeviceBroken, match="reset"):
            action()
    card.hang = False
    device.reset()
    assert card.resets == 1
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_failed_reset_leaves_the_device_broken() -> None:
    card = CardDouble(hang=True)
    device = driver(card)
    with pytest.raises(DeviceTimeout):
        device.render(draw(), REGIONS)
    card.overrides[registers.ID] = 0
    with pytest.raises(DeviceError):
        device.reset()
    with pytest.raises(DeviceBroken):
        device.render(draw(), REGIONS)


def test_lost_region_write_is_seen_before_the_set_is_committed() -> None:
    card = CardDouble(lose={registers.roi_hi(1)})
    device = driver(card)
    with pytest.raises(DeviceError, match="0x10C"):
        device.render(draw(), REGIONS)
    assert not [entry for entry in card.log if entry[1] in ("ROI_COMMIT", "CTRL")]
    with pytest.raises(DeviceBroken):
        device.render(draw(), REGIONS)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0b1001, "configuration"),
        (0b0011 | 1 << 6, "gmem1 did not answer"),
        (0b0001 | 2 << 4, "gmem0 answered SLVERR"),
        (0b0001 | 3 << 4 | 1 << 6, "gmem1 answered DECERR"),
        (0b0100 | 2 << 4 | 2 << 6, "material table .*gmem2: SLVERR"),
    ],
)
def test_status_error_names_port_and_answer(status: int, words: str) -> None:
    device = driver(CardDouble(overrides={registers.STATUS: status}))
    with pytest.raises(DeviceError, match=words):
        device.render(draw(), REGIONS)
    with pytest.raises(DeviceBroken):
        device.render(draw(), REGIONS)


def test_missing_pixels_are_an_error() -> None:
    device = driver(CardDouble(short=4))
    with pytest.raises(DeviceError, match="bytes of pixels"):
        device.render(draw(), REGIONS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"width": 4097, "height": 1}, "4096"),
        ({"width": WIDTH + 1}, "regions are for"),
        ({"mesh": np.array([0, 1], np.uint32)}, "mesh 1; 1 are loaded"),
        ({"ambient": float("nan")}, "not finite"),
        ({"zone": Zone(0.0, float("nan"), 1.0, 1.0)}, "nan.* is not finite"),
        ({"zone": Zone(0.0, 0.0, float("inf"), 1.0)}, "inf.* is not finite"),
    ],
)
def test_draw_list_that_does_not_fit_leaves_the_device_ready(change: dict[str, object], words: str) -> None:
    card = CardDouble()
    device = driver(card)
    with pytest.raises(SceneError, match=words):
        device.render(draw(**change), REGIONS)
    assert not [entry for entry in card.log if entry[1] == "CTRL"]
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


@pytest.mark.parametrize("field", ["mvp", "sun"])
def test_transform_that_goes_bad_after_it_was_made_leaves_the_card_untouched(field: str) -> None:
    card = CardDouble()
    device = driver(card)
    asked = draw()
    getattr(asked, field)[1, 1] = np.nan
    with pytest.raises(SceneError, match="frame 5: a transform is not finite"):
        device.render(asked, REGIONS)
    assert not card.log
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def spoilt_meshes() -> MeshSet:
    spoilt = meshes()
    spoilt.triangle[0, 0] = 3
    return spoilt


@pytest.mark.parametrize(
    "action",
    [
        lambda device: device.render(None, REGIONS),
        lambda device: device.render(draw(), None),
        lambda device: device.render(draw(), [Region(0, 0, 1, 1)]),
        lambda device: device.load(None),
        lambda device: device.load(spoilt_meshes()),
        lambda device: device.load_textures(None),
        lambda device: device.load_textures([]),
        *[lambda device, item=item: list(device.stream([item])) for item in (None, 5, (draw(),), (draw(), REGIONS, 3))],
    ],
)
def test_what_is_no_scene_leaves_the_card_untouched(action: Callable[[FovealDriver], object]) -> None:
    card = CardDouble()
    device = driver(card)
    with pytest.raises(SceneError):
        action(device)
    assert not card.log
    np.testing.assert_array_equal(device.render(draw(), REGIONS).pixels, expected(REGIONS))


def test_nan_transform_is_refused_where_it_is_made() -> None:
    with pytest.raises(ValueError, match="not finite"):
        draw(mvp=np.full((2, 4, 4), np.nan, np.float32))


def test_render_before_load_says_so() -> None:
    with pytest.raises(SceneError, match="load"):
        FovealDriver(CardDouble(), EngineDouble(), INFO).render(draw(), REGIONS)


def test_regions_are_committed_whole_and_before_the_start() -> None:
    card = CardDouble()
    driver(card).render(draw(), REGIONS)
    names = [(kind, name) for kind, name, _ in card.log]
    commit, start = names.index(("w", "ROI_COMMIT")), names.index(("w", "CTRL"))
    touched = [i for i, (_, name) in enumerate(names) if name.startswith("ROI_") and name[4].isdigit()]
    assert max(touched) < commit < start
    for kind in ("w", "r"):
        assert sum(1 for i in touched if names[i][0] == kind) == 2 * registers.ROI_COUNT


def test_next_frame_writes_only_what_changed() -> None:
    card = CardDouble()
    device = driver(card)
    device.render(draw(), REGIONS)
    card.log.clear()
    device.render(draw(frame=6, ego=(1.0, 0.0)), REGIONS)
    assert [name for kind, name, _ in card.log if kind == "w"] == ["EGO_X", "ROI_COMMIT", "CTRL", "ISR"]
    assert card.values[registers.ISR] == 0


def test_world_coordinates_go_out_in_rounded_signed_centimetres() -> None:
    card = CardDouble()
    zone = Zone(-10.0, -0.004, 2.555, 7.0, margin=1.5)
    driver(card).render(draw(ego=(-1.234, 99.999), zone=zone), REGIONS)
    names = ("EGO_X", "EGO_Y", "ZONE_X0", "ZONE_Y0", "ZONE_X1", "ZONE_Y1", "ZONE_MARGIN")
    values = [card.values[registers.OFFSETS[name]] for name in names]
    assert values == [2**32 - 123, 10000, 2**32 - 1000, 0, 256, 700, 150]


def test_no_zone_never_holds_the_ego() -> None:
    card = CardDouble()
    device = driver(card)
    device.render(draw(zone=Zone(-10.0, -10.0, 10.0, 10.0)), REGIONS)
    device.render(draw(), REGIONS)
    assert card.values[registers.ZONE_X0] >= card.values[registers.ZONE_X1]


def test_background_and_addresses_reach_their_registers() -> None:
    card = CardDouble()
    seen = []
    engine = EngineDouble(after=lambda buffers: seen.append((buffers.record.address, buffers.band.address)))
    driver(card, engine).render(draw(background=(10, 20, 30)), REGIONS)
    assert card.values[registers.BACKGROUND] == 0x001E140A
    assert (card.address(registers.TRI_BASE_LO), card.address(registers.BAND_BASE_LO)) == seen[0]
    table = card.buffers[card.address(registers.MAT_BASE_LO)].data
    np.testing.assert_array_equal(table[:1024], np.full(1024, 128, np.uint8))


def test_geometry_that_needs_room_is_repeated_with_enough() -> None:
    engine = EngineDouble(needed=1000)
    driver(CardDouble(), engine, capacity=64).render(draw(), REGIONS)
    assert [call.record_capacity >= 1000 for call in engine.calls] == [False, True]
    assert engine.calls[-1].staging_capacity >= 1000


def test_stages_are_serial_and_carry_their_provenance() -> None:
    frame = driver(CardDouble()).render(draw(), REGIONS)
    by_name = {stage.name: stage for stage in frame.stages}
    assert list(by_name) == [
        "upload",
        "geometry",
        "launch",
        "fetch",
        "raster",
        "texture_dma",
        "scan",
        "drain",
        "read_back",
    ]
    kernel = sum(by_name[name].time_ns for name in ("fetch", "raster", "texture_dma", "scan", "drain"))
    assert kernel == pytest.approx(1000 * 10)  # 1,000 cycles at 100 MHz
    assert by_name["scan"].provenance is Provenance.SIMULATED
    assert by_name["launch"].provenance is Provenance.MODELLED
    assert by_name["geometry"].time_ns == 7000.0


def test_closed_device_refuses_work() -> None:
    card = CardDouble()
    device = driver(card)
    device.close()
    actions = (
        lambda: device.render(draw(), REGIONS),
        lambda: device.load(meshes()),
        lambda: list(device.stream([(draw(), REGIONS)])),
        device.reset,
    )
    for _ in range(2):  # what was refused once does not open it
        for action in actions:
            with pytest.raises(DeviceBroken, match=r"was closed; open it again$"):
                action()
    assert (card.resets, card.log) == (0, [])


def test_closing_twice_gives_the_card_back_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be another's by then."""
    card, closed = CardDouble(), []
    monkeypatch.setattr(card, "close", lambda: closed.append(True))
    device = driver(card)
    device.close()
    device.close()
    assert closed == [True]
