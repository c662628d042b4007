"""Frames in flight together: the driver's stream against a strict double of the card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

import numpy as np
import pytest
from card_double import CYCLES, GEOMETRY_NS, CardDouble, EngineDouble, pattern
from foveal.card import FovealDriver, registers
from foveal.device import DeviceInfo
from foveal.drawlist import DrawList, MeshSet
from foveal.errors import DeviceBroken, DeviceBusy, DeviceError, DeviceTimeout, SceneError
from foveal.frame import Frame
from foveal.region import Region, RegionSet
from foveal.timeline import KERNEL_LANES, period_ns

WIDTH, HEIGHT, MESHES = 50, 40, 32
ORDERS = [(False, False), (False, True), (True, False), (True, True)]
"""Whether raster and geometry do their work at once, or only when their end is waited for."""

Request = tuple[DrawList, RegionSet]


def meshes() -> MeshSet:
    return MeshSet(
        position=np.arange(9, dtype=np.float32).reshape(3, 3),
        triangle=np.array([[0, 1, 2]], np.uint32),
        normal=np.array([[0, 0, 1]], np.float32),
        surface=np.array([[1, 2, 3, 4]], np.uint8),
        vertex_range=np.array([[0, 3]] * MESHES, np.uint32),
        triangle_range=np.array([[0, 1]] * MESHES, np.uint32),
        bounds=np.zeros((MESHES, 2, 3), np.float32),
        material=np.full((256, 4), 128, np.uint8),
    )


def request(n: int, instances: int = 1, **changes: object) -> Request:
    """Frame 100 + n; its pixels tell n, its regions move with n."""
    draw = DrawList(
        frame=100 + n,
        width=WIDTH,
        height=HEIGHT,
        mesh=np.full(instances, n, np.uint32),
        mvp=np.tile(np.eye(4, dtype=np.float32), (instances, 1, 1)),
        sun=np.zeros((instances, 3), np.float32),
        **changes,  # type: ignore[arg-type]
    )
    return draw, RegionSet.of([Region(n, 2, 20 + n, 9), Region(10, 5 + n % 3, 30, 40)], WIDTH, HEIGHT)


def expected(asked: Request) -> np.ndarray:
    draw, regions = asked
    image = np.where(regions.mask(), pattern(WIDTH, HEIGHT) + draw.mesh[0], 0).astype("<u4")
    return image.view(np.uint8).reshape(HEIGHT, WIDTH, 4)


def driver(card: CardDouble, engine: EngineDouble | None = None, **options: bool | int) -> FovealDriver:
    device = FovealDriver(card, engine or EngineDouble(), DeviceInfo("double", "double", "fpga", {}), **options)  # type: ignore[arg-type]
    device.load(meshes())
    return device


def collect(frames: Iterable[Frame], into: list[Frame]) -> None:
    """Keeps what came before an error."""
    for frame in frames:
        into.append(frame)


def check(frames: list[Frame], asked: list[Request]) -> None:
    assert [frame.frame for frame in frames] == [draw.frame for draw, _ in asked]
    for frame, one in zip(frames, asked, strict=True):
        np.testing.assert_array_equal(frame.pixels, expected(one))
        assert frame.regions == one[1]


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize(("raster", "geometry"), ORDERS)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_frames_keep_their_order_and_their_pixels(count: int, raster: bool, geometry: bool, strided: bool) -> None:
    asked = [request(n) for n in range(count)]
    device = driver(CardDouble(eager=raster), EngineDouble(eager=geometry), strided=strided)
    check(list(device.stream(asked)), asked)
    check([device.render(*request(9))], [request(9)])


@pytest.mark.parametrize(("raster", "geometry"), ORDERS)
def test_scene_that_outgrows_its_buffers_in_mid_stream(raster: bool, geometry: bool) -> None:
    engine = EngineDouble(eager=geometry)
    device = driver(CardDouble(eager=raster), engine, capacity=64)

    def growing() -> Iterator[Request]:
        for n in range(6):
            engine.needed = 200 * n
            yield request(n, instances=1 + 40 * n)

    check(list(device.stream(growing())), [request(n, 1 + 40 * n) for n in range(6)])


def test_nothing_is_allocated_in_a_steady_stream() -> None:
    card = CardDouble()
    frames = driver(card).stream(request(n) for n in range(20))
    for _ in range(4):
        next(frames)
    count = card.allocations
    assert len(list(frames)) == 16
    assert card.allocations == count


def test_one_frame_is_rastered_while_the_next_one_s_geometry_runs_and_the_last_is_read_back() -> None:
    frames = list(driver(CardDouble()).stream([request(n) for n in range(6)]))
    pieces = [(piece.lane, n, piece) for n, frame in enumerate(frames) for piece in frame.timeline]
    for lane in KERNEL_LANES:
        mine = sorted((piece.start_ns, piece.end_ns, n) for at, n, piece in pieces if at == lane)
        assert [n for _, _, n in mine] == list(range(6))
        assert all(end <= start for (_, end, _), (start, _, _) in pairwise(mine))
    host = sorted((piece.start_ns, piece.end_ns) for at, _, piece in pieces if at not in KERNEL_LANES)
    assert all(end <= start for (_, end), (start, _) in pairwise(host))

    def span(n: int, lane: str) -> tuple[float, float]:
        mine = [piece for at, m, piece in pieces if (at, m) == (lane, n)]
        return min(piece.start_ns for piece in mine), max(piece.end_ns for piece in mine)

    for n in range(1, 5):
        start, end = span(n, "raster")
        assert start <= span(n + 1, "geometry")[0] < end
        assert start <= span(n - 1, "to_host")[1] <= end


def test_latency_and_period_are_two_figures() -> None:
    """By hand: a cycle takes 10 ns, so a raster run takes 10 us, a geometry run 7 us; the host's work is less."""
    card, engine = CardDouble(), EngineDouble()
    device = driver(card, engine)
    alone = [device.render(*request(n)) for n in range(8)]
    frames = list(device.stream([request(n) for n in range(8)]))
    raster_ns = CYCLES[registers.FRAME_CYCLES] * 10.0
    period = period_ns(frames)
    assert raster_ns < period < raster_ns + 1000.0
    assert period < alone[5].latency_ns
    for frame in frames[2:]:
        first, last = frame.timeline[0].start_ns, max(piece.end_ns for piece in frame.timeline)
        assert frame.latency_ns == pytest.approx(last - first)
        assert frame.latency_ns > period
        assert {stage.name for stage in frame.stages} >= {"upload", "geometry", "kernel", "queued", "read_back"}
    assert alone[0].latency_ns == pytest.approx(max(piece.end_ns for piece in alone[0].timeline))
    assert alone[0].latency_ns > raster_ns + GEOMETRY_NS


def test_counters_are_read_on_demand_and_then_charged() -> None:
    device = driver(CardDouble())
    few, all_of_them = (list(device.stream([request(n) for n in range(5)], counters=c)) for c in (False, True))
    assert "raster_cycles" not in few[3].counters
    assert all_of_them[3].counters["raster_cycles"] == CYCLES[registers.RASTER_CYCLES]
    assert period_ns(all_of_them) > period_ns(few) + 10.0 * (len(registers.COUNTERS) - 1)


def test_register_accesses_of_a_frame_are_counted() -> None:
    card = CardDouble()
    device = driver(card)
    card.log.clear()
    frames = list(device.stream([request(n) for n in range(5)]))
    for kind, name in (("r", "register_reads"), ("w", "register_writes")):
        assert sum(frame.counters[name] for frame in frames) == sum(entry[0] == kind for entry in card.log)
    steady = frames[-1].counters
    # CTRL, STATUS, FRAME_CYCLES, OUT_BYTES, and each region word that changed
    assert steady["register_reads"] == 4 + 3
    # two halves of three addresses that alternate change in their low half; three region words; COMMIT, start, ISR
    assert steady["register_writes"] == 3 + 3 + 3


class Failing(CardDouble):
    """STATUS of the n-th frame shows an error."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.left = n

    def wait_done(self, deadline_s: float) -> None:
        super().wait_done(deadline_s)
        self.values[registers.STATUS] = 0b0001 | 2 << 4 if self.left == 0 else 0
        self.left -= 1


@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_failure_belongs_to_its_frame_and_takes_those_in_flight_along(n: int) -> None:
    card = Failing(n)
    device = driver(card)
    asked = [request(k) for k in range(6)]
    frames: list[Frame] = []
    with pytest.raises(DeviceError, match=f"frame {100 + n}: memory port gmem0 answered SLVERR") as caught:
        collect(device.stream(asked), frames)
    check(frames, asked[:n])
    lost = [100 + k for k in range(n, min(n + 3, 6))]
    if len(lost) > 1:
        assert f"frames {', '.join(map(str, lost))} were in flight; none of them counts" in str(caught.value)
    with pytest.raises(DeviceBroken):
        next(device.stream(asked))
    device.reset()
    card.values[registers.STATUS] = 0
    check(list(device.stream(asked)), asked)


def test_hung_geometry_kernel_is_a_timeout_of_its_frame() -> None:
    engine = EngineDouble()
    device = driver(CardDouble(), engine)

    def hanging() -> Iterator[Request]:
        for n in range(5):
            engine.hang = n == 3
            yield request(n)

    with pytest.raises(DeviceTimeout, match=r"frame 102: the geometry kernel.*frames 101, 102, 103"):
        list(device.stream(hanging()))
    assert device.broken


def test_request_that_does_not_fit_ends_the_stream_behind_those_before_it() -> None:
    card = CardDouble()
    device = driver(card)
    frames: list[Frame] = []
    with pytest.raises(SceneError, match="mesh 32"):
        collect(device.stream([request(0), request(1), request(MESHES), request(2)]), frames)
    check(frames, [request(0), request(1)])
    check([device.render(*request(5))], [request(5)])


def test_caller_s_own_error_leaves_the_device_ready() -> None:
    device = driver(CardDouble())

    def asked() -> Iterator[Request]:
        yield request(0)
        raise KeyError("the caller's")

    with pytest.raises(KeyError, match="the caller's"):
        list(device.stream(asked()))
    check([device.render(*request(5))], [request(5)])


def test_device_does_nothing_else_until_the_stream_is_closed() -> None:
    device = driver(CardDouble())
    frames = device.stream([request(n) for n in range(6)])
    next(frames)
    for action in (lambda: device.render(*request(0)), lambda: device.load(meshes()), lambda: next(device.stream([]))):
        with pytest.raises(DeviceBusy, match=r"close\(\)"):
            action()
    frames.close()
    check([device.render(*request(7))], [request(7)])
    check(list(device.stream([request(8)])), [request(8)])


def test_reset_in_mid_stream_ends_the_stream_and_not_the_device() -> None:
    device = driver(CardDouble())
    frames = device.stream([request(n) for n in range(6)])
    next(frames)
    device.reset()
    check([device.render(*request(7))], [request(7)])
    with pytest.raises(DeviceError, match="reset"):
        next(frames)
    check([device.render(*request(8))], [request(8)])


CLOSE = FovealDriver.close


@pytest.mark.parametrize("end", [FovealDriver.reset, CLOSE])
@pytest.mark.parametrize("before", [0, 1, 2, 4])
def test_requests_whose_making_resets_the_device_end_the_stream_alone(
    before: int, end: Callable[[FovealDriver], None]
) -> None:
    card = CardDouble()
    device = driver(card)

    def asked() -> Iterator[Request]:
        yield from (request(n) for n in range(before))
        end(device)
        card.log.clear()
        yield request(9)

    frames: list[Frame] = []
    with pytest.raises(DeviceError, match="reset or closed"):
        collect(device.stream(asked()), frames)
    check(frames, [request(n) for n in range(max(0, before - 2))])
    assert not card.log
    if end is CLOSE:
        with pytest.raises(DeviceBroken, match="was closed; open it again"):
            device.render(*request(7))
    else:
        check([device.render(*request(7))], [request(7)])


def test_an_error_behind_a_reset_is_told_as_well() -> None:
    device = driver(CardDouble())

    def asked() -> Iterator[Request]:
        yield request(0)
        device.reset()
        raise KeyError("the caller's")

    with pytest.raises(DeviceError, match="reset or closed") as caught:
        list(device.stream(asked()))
    assert isinstance(caught.value.__cause__, KeyError)
    check(list(device.stream([request(8)])), [request(8)])


def test_requests_are_taken_two_ahead_and_no_more() -> None:
    taken = []

    def asked() -> Iterator[Request]:
        for n in range(6):
            taken.append(n)
            yield request(n)

    frames = driver(CardDouble()).stream(asked())
    ahead = []
    for _ in frames:
        ahead.append(len(taken))
    assert ahead == [3, 4, 5, 6, 6, 6]
