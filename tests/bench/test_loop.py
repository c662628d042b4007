"""The frame loop finds wrong pixels, stale images and failing devices."""

from dataclasses import replace

import pytest
from fakes import Painter, make_step
from foveal.errors import DeviceTimeout
from foveal.frame import StageTime
from foveal.provenance import Provenance
from foveal_bench.loop import Configuration, FrameLoop
from foveal_bench.store import RecordStore, load
from foveal_bench.verdict import Verdict


def drive(tmp_path, device, *, exact=True, full=False, ticks=8, every=1):
    verdict, pictures = Verdict(), []
    configuration = Configuration("cosim-region", "label", device, full=full, every=every, exact=exact)
    with RecordStore(tmp_path) as store:
        loop = FrameLoop(
            [configuration],
            Painter(),
            store,
            verdict,
            seed=1,
            picture_every=4,
            on_picture=lambda step, frames: pictures.append((step.tick, sorted(frames))),
        )
        for tick in range(ticks):
            loop.run(make_step(tick))
    return verdict, load(tmp_path), pictures


def test_equal_pixels_are_valid(tmp_path):
    verdict, records, pictures = drive(tmp_path, Painter())
    assert verdict.valid
    assert records["pixels_different"].tolist() == [0] * 8
    assert records["latency_ns"].tolist() == [1e6 * (1 + (100 + t) % 3) for t in range(8)]
    assert [tick for tick, _ in pictures] == [0, 4]


def test_one_wrong_pixel_in_one_frame_is_invalid(tmp_path):
    def flip(frame, pixels):
        if frame == 105:
            pixels[10, 20, 1] ^= 1

    verdict, records, _ = drive(tmp_path, Painter(fault=flip))
    assert not verdict.valid
    assert "pixels differ from the golden model" in verdict.lines()[0]
    assert "tick 5: 1 pixels, the first at x 20, y 10" in verdict.lines()[0]
    assert records["pixels_different"].sum() == 1


def test_a_pixel_outside_the_regions_counts_too(tmp_path):
    def spill(frame, pixels):
        pixels[0, 0, 3] = 255

    verdict, _, _ = drive(tmp_path, Painter(fault=spill))
    assert "x 0, y 0" in verdict.lines()[0]


def test_a_measured_renderer_may_round_but_not_be_wrong(tmp_path):
    def rounded(frame, pixels):
        pixels[5:30, 3:40, 2] += 1

    assert drive(tmp_path, Painter(fault=rounded), exact=False)[0].valid

    def wrong(frame, pixels):
        pixels[5:30, 3:40, 2] += 2

    assert not drive(tmp_path, Painter(fault=wrong), exact=False)[0].valid


def test_a_frame_of_another_tick_is_stale(tmp_path):
    verdict, _, _ = drive(tmp_path, Painter(fault=lambda frame, pixels: frame - 1))
    assert any(line.startswith("a stale image") for line in verdict.lines())


def test_a_failing_device_ends_the_run_and_keeps_its_frames(tmp_path):
    def fail(frame, pixels):
        if frame == 103:
            raise DeviceTimeout("no answer within 2 s")

    with pytest.raises(DeviceTimeout):
        drive(tmp_path, Painter(fault=fail))
    assert load(tmp_path)["tick"].tolist() == [0, 1, 2]


def test_a_device_that_fails_in_warm_up_speaks_against_the_run(tmp_path):
    def fail(frame, pixels):
        raise DeviceTimeout("no answer within 2 s")

    verdict = Verdict()
    configuration = Configuration("cosim-region", "label", Painter(fault=fail), full=False)
    with RecordStore(tmp_path) as store:
        loop = FrameLoop(
            [configuration], Painter(), store, verdict, seed=1, picture_every=4, on_picture=lambda step, frames: None
        )
        with pytest.raises(DeviceTimeout):
            loop.warm_up(make_step(0))
    assert verdict.lines() == ["a device failed: cosim-region, warm-up: no answer within 2 s"]


def test_a_sparse_configuration_renders_every_nth_tick(tmp_path):
    _, records, _ = drive(tmp_path, Painter(), full=True, every=4)
    assert records["tick"].tolist() == [0, 4]


def test_only_a_frame_in_regions_pays_for_choosing_them(tmp_path):
    def latency(full):
        step = make_step(2)  # frame 102: the painter takes 1 ms
        own = StageTime("scene", 5e5, Provenance.MEASURED), StageTime("region", 2e6, Provenance.MEASURED)
        step = replace(step, times=own[:1], region_times=own[1:])
        with RecordStore(tmp_path) as store:
            configuration = Configuration("any", "label", Painter(), full=full)
            FrameLoop(
                [configuration], Painter(), store, Verdict(), seed=1, picture_every=4, on_picture=lambda *_: None
            ).run(step)
        return load(tmp_path)["latency_ns"].item()

    assert latency(full=True) == 1.5e6
    assert latency(full=False) == 3.5e6
