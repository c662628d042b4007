"""Overlays on the co-simulated card: registers, memories, buffers and their traps, kernels."""

from __future__ import annotations

import numpy as np
import pynq
import pytest
from foveal.card import registers
from foveal.errors import DeviceError
from foveal.pynq import FovealDevice

BASE = 0x800000


def raw(overlay: pynq.Overlay, tag: str = "HBM4", size: int = 64) -> pynq.buffer.PynqBuffer:
    return pynq.allocate(size, "u1", target=getattr(overlay, tag))


def test_the_register_map_has_every_register(overlay: pynq.Overlay) -> None:
    names = overlay.foveal_1.register_map
    assert int(names.ID) == registers.DEFAULT_ID
    assert int(names.VERSION) == registers.DEFAULT_VERSION
    assert names.CONFIG.regions == 16
    for register in registers.REGISTERS:
        if register.name in ("GIE", "IER", "ISR"):  # the runtime's
            continue
        alone = register.name.removesuffix("_LO").removesuffix("_HI")
        assert hasattr(names, register.name) or hasattr(names, alone)


def test_fields_are_written_alone(overlay: pynq.Overlay) -> None:
    names = overlay.foveal_1.register_map
    names.WIDTH = 640
    names.ROI_0_LO = 3 | 5 << 16
    names.FLAGS.strided = 1
    assert (int(names.WIDTH), int(names.ROI_0_LO)) == (640, 3 | 5 << 16)
    assert int(names.FLAGS) == registers.FLAGS_STRIDED_MASK


def test_addresses_have_64_bits(overlay: pynq.Overlay) -> None:
    overlay.foveal_1.register_map.OUT_BASE = 0x4_1234_5000
    assert overlay.foveal_1.read(registers.OUT_BASE_LO) == 0x1234_5000
    assert overlay.foveal_1.read(registers.OUT_BASE_LO + 4) == 4
    assert int(overlay.foveal_1.register_map.OUT_BASE) == 0x4_1234_5000


@pytest.mark.parametrize("word", [0xFFFFFFFF, 0x80000001])
def test_a_register_with_bit_31_set_is_not_negative(overlay: pynq.Overlay, word: int) -> None:
    overlay.foveal_1.write(registers.EGO_X, word)
    assert overlay.foveal_1.read(registers.EGO_X) == word
    assert overlay.foveal_1.mmio.read(registers.EGO_X) == word
    assert int(overlay.foveal_1.register_map.EGO_X) == word


@pytest.mark.parametrize("address", [0, BASE - 4, BASE + 0x1000, BASE + 0x20000])
def test_addresses_without_a_kernel_are_refused(overlay: pynq.Overlay, card: FovealDevice, address: int) -> None:
    with pytest.raises(DeviceError, match="no kernel of the image has registers"):
        card.read_registers(address, 4)
    with pytest.raises(DeviceError, match="no kernel of the image has registers"):
        card.write_registers(address, b"\1\0\0\0")


def test_half_words_are_refused(overlay: pynq.Overlay, card: FovealDevice) -> None:
    for address, size in ((BASE, 2), (BASE + 2, 4)):
        with pytest.raises(DeviceError, match="in whole words"):
            card.read_registers(address, size)


def test_memories_are_those_of_the_image(overlay: pynq.Overlay, card: FovealDevice) -> None:
    assert (overlay.HBM4.base_address, overlay.HBM4.size) == (4 << 28, 1 << 28)
    assert overlay.HBM4 == card.get_memory_by_name("HBM[4]") == card.get_memory_by_idx(4)
    assert len({overlay.HBM4, card.get_memory_by_idx(4)}) == 1
    assert overlay.HBM4 != overlay.HBM5
    with pytest.raises(DeviceError, match=r"no memory 'DDR0'; it has HBM\[0\], HBM\[1\]"):
        card.get_memory_by_name("DDR0")


def test_a_memory_that_nothing_reaches_is_refused_before_a_run(overlay: pynq.Overlay, card: FovealDevice) -> None:
    with pytest.raises(DeviceError, match=r"no kernel argument reaches HBM\[20\]; they reach HBM\[12\]"):
        pynq.allocate(4, target=card.get_memory_by_name("HBM[20]"))


def test_a_target_must_be_named(overlay: pynq.Overlay, card: FovealDevice) -> None:
    with pytest.raises(DeviceError, match=r"several memories .* target=overlay"):
        pynq.allocate(4, target=card)


def test_a_buffer_larger_than_a_bank_is_refused_although_the_card_has_room(overlay: pynq.Overlay) -> None:
    ring, frame = 8, 4096 * 2160 * 4
    with pytest.raises(DeviceError, match=r"283115520 bytes does not fit HBM\[4\], which has 268435456"):
        pynq.allocate((ring, frame), "u1", target=overlay.HBM4)


@pytest.mark.parametrize("shape", [0, (4, 0), -1])
def test_a_buffer_of_no_bytes_is_refused(overlay: pynq.Overlay, shape: int | tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="at least one is needed"):
        pynq.allocate(shape, target=overlay.HBM4)


def test_a_slice_copies_its_own_bytes(overlay: pynq.Overlay) -> None:
    buffer = raw(overlay)
    buffer[:] = 1
    buffer.flush()
    buffer[:] = 2
    buffer[8:16].flush()
    buffer[:] = 3
    buffer.invalidate()
    assert buffer.tolist() == [1] * 8 + [2] * 8 + [1] * 48
    buffer[:] = 4
    buffer[60:].invalidate()
    assert buffer.tolist() == [4] * 60 + [1] * 4


def test_an_empty_slice_copies_nothing(overlay: pynq.Overlay) -> None:
    buffer = raw(overlay)
    buffer[:] = 1
    buffer.flush()
    buffer[:] = 2
    buffer[5:5].flush()
    buffer[5:5].invalidate()
    assert buffer.tolist() == [2] * 64
    buffer.invalidate()
    assert buffer.tolist() == [1] * 64


def test_a_view_with_gaps_is_refused_and_rows_are_not(overlay: pynq.Overlay) -> None:
    frame = pynq.allocate((4, 6), "u1", target=overlay.HBM4)
    frame[:] = np.arange(24).reshape(4, 6)
    frame.flush()
    frame[:] = 0
    for copy in (frame[:, 1:4].flush, frame[:, 1:4].invalidate, frame[::-1].flush, frame.T.flush):
        with pytest.raises(ValueError, match="gaps between its pieces"):
            copy()
    for row in frame:
        row[1:4].invalidate()
    assert frame[:, 1:4].reshape(-1).tolist() == [1, 2, 3, 7, 8, 9, 13, 14, 15, 19, 20, 21]
    assert frame.sum() == frame[:, 1:4].sum()


def test_the_payload_is_what_was_asked_for_not_a_page(overlay: pynq.Overlay) -> None:
    region = pynq.allocate((1, 1, 4), "u1", target=overlay.HBM4)
    assert region.nbytes == 4
    assert region.bo.size == 4
    with pytest.raises(ValueError, match="bytes 0 to 4096 of a buffer of 4"):
        region.bo.flush(0, 4096)


def test_the_result_of_arithmetic_is_not_on_the_card(overlay: pynq.Overlay) -> None:
    buffer = raw(overlay)
    for array in (buffer + 1, buffer.copy()):
        with pytest.raises(ValueError, match="not memory of the card"):
            array.flush()
    with pytest.raises(ValueError, match="argument OUT_BASE takes a buffer"):
        overlay.foveal_1.start(OUT_BASE=buffer + 1)


def test_what_the_host_did_not_fetch_is_not_the_cards(overlay: pynq.Overlay) -> None:
    buffer = raw(overlay)
    for poison in (0xEE, 0x55):
        buffer[:] = poison
        buffer.flush()
        buffer[:] = 0
        assert not buffer.any()
        buffer.invalidate()
        assert buffer.tolist() == [poison] * 64


def test_a_buffer_is_given_back_once_early_or_with_its_last_view(overlay: pynq.Overlay, card: FovealDevice) -> None:
    with raw(overlay) as early:
        first = early.device_address
    with pytest.raises(ValueError, match="was freed"):
        early.flush()
    early.freebuffer()
    again = raw(overlay)
    assert again.device_address == first
    view = again[4:8]
    del again
    other = raw(overlay)
    assert other.device_address != first
    assert view.device_address == first + 4
    del view
    assert raw(overlay).device_address == first


def test_a_reset_takes_every_buffer(overlay: pynq.Overlay, card: FovealDevice) -> None:
    buffer = raw(overlay)
    overlay.foveal_1.register_map.WIDTH = 640
    card.reset_card()
    assert int(overlay.foveal_1.register_map.WIDTH) == 0
    with pytest.raises(ValueError, match="was freed"):
        buffer.invalidate()
    with pytest.raises(ValueError, match="was freed"):
        overlay.foveal_1.start(OUT_BASE=buffer)


def test_arguments_are_those_of_the_kernel(overlay: pynq.Overlay) -> None:
    assert str(overlay.geometry_1.signature).startswith("(position: 'float*', triangle: 'MeshTriangle*'")
    with pytest.raises(TypeError, match="HEIGTH"):
        overlay.foveal_1.start(HEIGTH=4)
    with pytest.raises(ValueError, match="32 bits"):
        overlay.foveal_1.start(WIDTH=1 << 32)
    with pytest.raises(ValueError, match="argument position takes a buffer"):
        overlay.geometry_1.call(np.zeros(3))


def test_buffers_of_the_geometry_kernel_are_checked_before_it_runs(overlay: pynq.Overlay) -> None:
    frame = raw(overlay, "HBM12", 4096)
    same = {"position": frame, "triangle": raw(overlay, "HBM16"), "mesh": frame, "staging": raw(overlay, "HBM0")}
    same |= {"record": raw(overlay, "HBM0"), "band": raw(overlay, "HBM0"), "statistics": raw(overlay, "HBM0")}
    with pytest.raises(DeviceError, match="instances must begin 128 bytes behind the regions"):
        overlay.geometry_1.call(instance=frame, region=frame, frame=frame, **same)
    with pytest.raises(DeviceError, match="argument frame is 64 bytes inside"):
        overlay.geometry_1.call(instance=frame[128:], region=frame, frame=frame[64:], **same)
    frame.view("u4")[7] = 1000  # staging_capacity
    frame.flush()
    with pytest.raises(DeviceError, match="room for 1000 entries in staging; it has 1"):
        overlay.geometry_1.call(instance=frame[128:], region=frame, frame=frame, **same)


def test_a_run_beyond_its_deadline_says_so(overlay: pynq.Overlay) -> None:
    side = 2048  # an empty frame of that size is scanned for longer than a millisecond, XRT's shortest wait
    buffers = {name: raw(overlay, "HBM0", 1024) for name in ("TRI_BASE", "BAND_BASE")}
    buffers |= {"OUT_BASE": raw(overlay, "HBM4", 4 * side * side), "MAT_BASE": raw(overlay, "HBM8", 1024)}
    corner = {"ROI_0_LO": 0, "ROI_0_HI": side | side << 16, "ROI_COMMIT": 1}
    for buffer in buffers.values():
        buffer.flush()
    with pytest.raises(DeviceError, match="did not end"):
        overlay.foveal_1.call(WIDTH=side, HEIGHT=side, deadline_s=1e-4, **buffers, **corner)


def test_arguments_that_are_left_out_keep_what_their_registers_hold(overlay: pynq.Overlay) -> None:
    buffers = {name: raw(overlay, "HBM0", 1024) for name in ("TRI_BASE", "BAND_BASE")}
    buffers |= {"OUT_BASE": raw(overlay), "MAT_BASE": raw(overlay, "HBM8", 1024)}
    overlay.foveal_1.call(WIDTH=64, HEIGHT=32, **buffers)
    overlay.foveal_1.call(HEIGHT=64)
    names = overlay.foveal_1.register_map
    reset = next(register.reset for register in registers.REGISTERS if register.name == "TIMEOUT")
    assert (int(names.WIDTH), int(names.HEIGHT), int(names.TIMEOUT)) == (64, 64, reset)
    assert (names.STATUS.error, int(names.FRAMES)) == (0, 2)
