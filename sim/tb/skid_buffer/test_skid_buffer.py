"""skid_buffer: order, throughput, stability and the first cycles after reset."""

from __future__ import annotations

from typing import Any

import cocotb
from foveal_tb import buffering
from foveal_tb.pauses import PAUSES


@cocotb.test
@cocotb.parametrize(in_kind=PAUSES, out_kind=PAUSES)
async def pauses_do_not_change_the_data(dut: Any, in_kind: str, out_kind: str) -> None:
    await buffering.keeps_order(dut, in_kind, out_kind)


@cocotb.test
async def a_beat_a_clock(dut: Any) -> None:
    await buffering.runs_at_full_rate(dut)


@cocotb.test
async def valid_does_not_wait_for_ready(dut: Any) -> None:
    await buffering.offers_without_being_asked(dut, 1)


@cocotb.test
async def a_word_in_the_first_cycle_after_reset_is_not_lost(dut: Any) -> None:
    await buffering.takes_the_first_word(dut)


@cocotb.test
async def a_reset_empties_it_and_leaves_all_of_its_room(dut: Any) -> None:
    await buffering.forgets_at_a_reset(dut, 2)
