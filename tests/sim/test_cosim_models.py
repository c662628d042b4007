"""The models around the co-simulated kernel: allocator, PCIe, memory timing."""

from __future__ import annotations

import pytest
from foveal.card import load_board
from foveal.errors import DeviceError
from foveal_sim.cosim.allocator import PAGE, Allocator
from foveal_sim.cosim.memory import MemoryTiming
from foveal_sim.cosim.pcie import PcieModel


def test_allocator_reuses_the_first_gap_that_is_large_enough() -> None:
    allocator = Allocator(0x1000_0000, 8 * PAGE)
    a, b, c = (allocator.allocate(size) for size in (1, 2 * PAGE, PAGE + 1))
    assert (a, b, c) == (0x1000_0000, 0x1000_0000 + PAGE, 0x1000_0000 + 3 * PAGE)
    allocator.free(b)
    assert allocator.allocate(3 * PAGE) == 0x1000_0000 + 5 * PAGE
    assert allocator.allocate(PAGE) == b
    assert allocator.allocate(PAGE) == b + PAGE


def test_allocator_says_what_is_free_when_full() -> None:
    allocator = Allocator(0, 4 * PAGE)
    allocator.allocate(3 * PAGE)
    with pytest.raises(DeviceError, match=f"{PAGE} of {4 * PAGE} free"):
        allocator.allocate(PAGE + 1)


def test_allocator_refuses_an_address_that_it_did_not_give() -> None:
    with pytest.raises(ValueError, match="0x1000"):
        Allocator(0, 4 * PAGE).free(0x1000)


def test_transfer_time_is_a_fixed_cost_and_the_bytes() -> None:
    board = load_board("u280")
    pcie = PcieModel(board)
    assert pcie.write_ns(0) == board.transfer_ns.value
    megabyte_ns = (pcie.read_ns(2_000_000) - pcie.read_ns(1_000_000)) * board.card_to_host_bytes_per_s.value / 1e15
    assert megabyte_ns == pytest.approx(1.0)
    # the published example moves 4 KiB at 295 MB/s; fixed cost and bandwidth come from other sizes
    assert pcie.write_ns(4096) == pytest.approx(4096 / 0.295, rel=0.05)


def test_memory_timing_follows_clock_and_channel() -> None:
    board = load_board("u280")
    timing = MemoryTiming.of(board, 300e6)
    assert timing.latency_cycles == 42  # 138 ns at 300 MHz is 41.4 cycles
    assert timing.bandwidth["gmem0"] * 64 * 300e6 == pytest.approx(board.port_bytes_per_s.value)
    assert timing.bandwidth["gmem1"] == 1.0  # 256 bits at 300 MHz need less than a channel gives
