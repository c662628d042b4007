"""A card as a device of PYNQ: Overlay, allocate, register_map and kernels work on it, whatever the card is."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary, ref

from pynq.pl_server.device import Device

from foveal.card.board import load_board
from foveal.card.card import Buffer
from foveal.card.engine import GeometryRun
from foveal.card.identity import identify
from foveal.card.roles import GEOMETRY, KERNEL, ROLES
from foveal.card.source import CardSource, OpenCard, card_sources
from foveal.errors import DeviceBroken, DeviceBusy, DeviceError, XclbinError
from foveal.pynq.buffer import Allocation, FovealBuffer, as_array, on_card, payload_bytes
from foveal.pynq.metadata import ImageMetadata
from foveal.pynq.units import GeometryUnit, RasterUnit
from foveal.xclbin import Image, check_board

__all__ = ["FovealDevice", "FovealMemory", "show_devices"]

WORD = struct.Struct("<I")


class FovealMemory:
    """A bank of the card: what ``pynq.allocate(..., target=overlay.HBM0)`` takes. base_address, size: bytes."""

    def __init__(self, device: FovealDevice, desc: dict[str, Any]) -> None:
        self.device, self.desc = device, desc
        self.idx, self.tag = desc["idx"], desc["tag"]
        self.base_address, self.size = desc["base_address"], desc["size"]

    def allocate(self, shape: Any, dtype: Any, **options: Any) -> FovealBuffer:
        """See FovealDevice.allocate_in()."""
        return self.device.allocate_in(self, shape, dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FovealMemory) and (self.device, self.idx) == (other.device, other.idx)

    def __hash__(self) -> int:
        return hash((id(self.device), self.idx))


class FovealDevice(Device):
    """See pynq.Device. The card is opened when an image is downloaded, and stays open for the next one."""

    _probe_priority_ = 250
    """Behind PYNQ's own devices: on a board of theirs, theirs stays the active one."""

    @classmethod
    def _probe_(cls) -> list[FovealDevice]:
        return [cls(source) for source in card_sources()]

    def __init__(self, source: CardSource) -> None:
        super().__init__(source.tag)
        self.capabilities = {"REGISTER_RW": True, "CALLABLE": True}
        self.name = source.platform
        self.source = source
        self.timestamp = ""
        self.bitfile_name: str | None = None
        self._open: OpenCard | None = None
        self._image: Image | None = None
        self._units: dict[int, RasterUnit | GeometryUnit] = {}
        self._allocations: WeakValueDictionary[int, Allocation] = WeakValueDictionary()
        self._driver: ref[object] | None = None

    def __repr__(self) -> str:
        return f"<FovealDevice {self.tag}: {self.name}{', co-simulated' if self.source.simulated else ''}>"

    @property
    def opened(self) -> OpenCard:
        """The open card. Raises DeviceBroken before the first image is there."""
        if self._open is None:
            raise DeviceBroken(f"{self.tag} holds no image; load one: pynq.Overlay(path, device=device)")
        return self._open

    @property
    def image(self) -> Image:
        """The image on the card. Raises DeviceBroken before the first one is there."""
        if self._image is None:
            raise DeviceBroken(f"{self.tag} holds no image; load one: pynq.Overlay(path, device=device)")
        return self._image

    def get_bitfile_metadata(self, bitfile_name: str, partial: bool = False) -> ImageMetadata:
        """Raises XclbinError, with the file's name, for an image that cannot be used on this card."""
        board = load_board(self.source.board)
        try:
            metadata = ImageMetadata(Path(bitfile_name))
            check_board(metadata.image, board)
            if not metadata.image.bitstream and not self.source.simulated:
                raise XclbinError(
                    f"it has no bitstream, and {self.tag} is a card; `make xclbin` in boards/{board.key} links one"
                )
        except XclbinError as error:
            raise XclbinError(f"{bitfile_name}: {error}") from error
        return metadata

    def download(self, bitstream: Any, parser: ImageMetadata | None = None) -> None:
        """Load an image. One that is there already is shared: nothing is reset, and buffers stay.

        Raises DeviceBusy, and changes nothing, for another one while a driver has the card.
        """
        path = Path(bitstream.bitfile_name)
        metadata = parser or self.get_bitfile_metadata(str(path))
        if self._open is None or self._image is None or self._image.uuid != metadata.image.uuid:
            self.check_undriven()
            self.release()
            opened = self.source.open(path)
            try:
                identify(opened.card)
            except BaseException:
                opened.card.close()
                raise
            self._open, self._image = opened, metadata.image
            self._units = self._made_units(opened, metadata.image)
        self.post_download(bitstream, metadata)

    def gen_cache(self, bitstream: Any, parser: Any = None) -> None:
        """Nothing: an image is read in no time."""

    def open_context(self, description: dict[str, Any], shared: bool = True) -> int:
        """Index of the instance among the image's."""
        return int(description["cu_index"])

    def read_registers(self, address: int, length: int) -> bytes:
        """`length` bytes from the control port at `address` on, in words. Raises DeviceError where there is none."""
        unit, offset = self._unit_at(address, length)
        return b"".join(WORD.pack(unit.read(offset + n)) for n in range(0, length, WORD.size))

    def write_registers(self, address: int, data: bytes) -> None:
        """Write words to the control port at `address`. Raises DeviceError where there is none."""
        data = bytes(data)
        unit, offset = self._unit_at(address, len(data))
        for n, (value,) in enumerate(WORD.iter_unpack(data)):
            unit.write(offset + n * WORD.size, value)

    def prepare(self, address: int) -> None:
        """Before the start of the kernel whose control port is at `address`."""
        self._unit_at(address, WORD.size)[0].prepare()

    def wait(self, address: int, deadline_s: float) -> GeometryRun | None:
        """Wait for the end of the kernel at `address`, at most so long in the device's own time.

        Gives the run of the geometry kernel. Raises DeviceTimeout or DeviceError.
        """
        return self._unit_at(address, WORD.size)[0].wait(deadline_s)

    @property
    def default_memory(self) -> FovealMemory:
        """Raises DeviceError: which bank a buffer must lie in depends on the arguments that take it."""
        used = ", ".join(tag for tag, desc in getattr(self, "mem_dict", {}).items() if desc["used"])
        raise DeviceError(
            f"{self.tag} has several memories and each kernel argument reaches some of them ({used or 'none loaded'}); "
            "name one: pynq.allocate(..., target=overlay.HBM4)"
        )

    def get_memory(self, desc: dict[str, Any]) -> FovealMemory:
        """The memory that an entry of mem_dict describes."""
        return FovealMemory(self, desc)

    def get_memory_by_idx(self, idx: int) -> FovealMemory:
        """Raises DeviceError when there is none."""
        return self._memory("idx", idx)

    def get_memory_by_name(self, name: str) -> FovealMemory:
        """Raises DeviceError when there is none."""
        return self._memory("tag", name)

    def allocate_in(self, memory: FovealMemory, shape: Any, dtype: Any) -> FovealBuffer:
        """A buffer, zero on the host, undefined on the card. It lies in a bank that reaches what `memory` reaches.

        Raises DeviceError when there is no room, or nothing is connected to `memory`; ValueError for zero bytes.
        """
        size = payload_bytes(shape, dtype)
        if size > memory.size:
            raise DeviceError(
                f"a buffer of {size} bytes does not fit {memory.tag}, which has {memory.size}, whatever the rest of "
                "the card has: split it, or connect its argument to a larger memory"
            )
        bo = Allocation(self.opened.card.allocate(size, self.role_in(memory.tag)), size)
        self._allocations[bo.address] = bo
        return as_array(bo, shape, dtype, self, memory)

    def role_in(self, tag: str) -> str:
        """What buffers in the bank `tag` are for. Raises DeviceError with those banks that are for something."""
        reach = {role: self.banks_for(role) for role in ROLES}
        for role, banks in reach.items():
            if tag in banks:
                return role
        names = ", ".join(dict.fromkeys(bank for banks in reach.values() for bank in banks))
        raise DeviceError(f"no kernel argument reaches {tag}; they reach {names}")

    def banks_for(self, role: str) -> list[str]:
        """Banks that all arguments of a role reach, in the order of the image."""
        instances = {instance.kernel.name: instance.name for instance in self.image.instances}
        tags = [[m.tag for m in self.image.reach(instances[kernel], name)] for kernel, name in ROLES[role]]
        return [tag for tag in tags[0] if all(tag in others for others in tags[1:])]

    def check_argument(self, name: str, buffer: Any) -> int:
        """Device address of an array that is an argument. Raises ValueError for one that is not on this card."""
        bo: Any = getattr(buffer, "bo", None)
        known = any(held is bo for held in self._allocations.values())
        if not (known and bo.live and on_card(buffer)):
            raise ValueError(
                f"argument {name} takes a buffer of pynq.allocate() on {self.tag}, not {type(buffer).__name__} "
                "that is somewhere else, was freed, or is the result of a computation"
            )
        return int(buffer.device_address)

    def flush(self, bo: Allocation, offset: int, ptr: int, size: int) -> None:
        """Copy from the host to the card."""
        bo.flush(offset, size)

    def invalidate(self, bo: Allocation, offset: int, ptr: int, size: int) -> None:
        """Copy from the card to the host."""
        bo.invalidate(offset, size)

    def check_undriven(self) -> None:
        """Raises DeviceBusy while a driver has the card: two would write the same registers and buffers."""
        if self._driver is not None and self._driver() is not None:
            raise DeviceBusy(f"{self.tag} is driven by a device that this process opened; close() that one first")

    def drive(self, driver: object) -> None:
        """The card is the driver's until release(), or while that lives. Raises DeviceBusy where another has it."""
        self.check_undriven()
        self._driver = ref(driver)

    def reset_card(self) -> None:
        """Power-on state: registers at their reset values, every buffer gone. Raises DeviceError."""
        self._forget()
        self.opened.card.reset()
        self._units = self._made_units(self.opened, self.image)

    def release(self) -> None:
        """Close the card. The next download opens it again; buffers are gone."""
        opened, self._open, self._image, self._driver = self._open, None, None, None
        self._forget()
        if opened is not None:
            opened.card.close()

    def _forget(self) -> None:
        for allocation in list(self._allocations.values()):
            allocation.free()
        self._allocations.clear()
        self._units = {}

    def _made_units(self, opened: OpenCard, image: Image) -> dict[int, RasterUnit | GeometryUnit]:
        units: dict[int, RasterUnit | GeometryUnit] = {}
        for instance in image.instances:
            if instance.base is not None and instance.kernel.name == KERNEL:
                units[instance.base] = RasterUnit(opened.card, instance.kernel)
            elif instance.base is not None and instance.kernel.name == GEOMETRY:
                units[instance.base] = GeometryUnit(opened.geometry, instance.kernel, self._find)
        return units

    def _unit_at(self, address: int, length: int) -> tuple[RasterUnit | GeometryUnit, int]:
        for instance in self.image.instances:
            if instance.base in self._units:
                span = next(port.span for port in instance.kernel.ports if port.mode == "slave")
                offset = address - instance.base
                if offset >= 0 and offset + length <= span and not offset % WORD.size and not length % WORD.size:
                    return self._units[instance.base], offset
        raise DeviceError(
            f"no kernel of the image has registers at 0x{address:X} to 0x{address + length:X}, in whole words"
        )

    def _find(self, address: int) -> tuple[Buffer, int]:
        for start, allocation in self._allocations.items():
            if allocation.live and start <= address < start + allocation.size:
                return allocation.memory, address - start
        raise DeviceError(f"no buffer of {self.tag} holds the device address 0x{address:X}")

    def _memory(self, key: str, value: object) -> FovealMemory:
        entries = getattr(self, "mem_dict", {}).values()
        for desc in entries:
            if desc[key] == value:
                return FovealMemory(self, desc)
        raise DeviceError(f"{self.tag} has no memory {value!r}; it has {', '.join(desc['tag'] for desc in entries)}")


def show_devices() -> None:
    """Add the cards to ``pynq.Device.devices`` where PYNQ, which probes once, did so before this import."""
    probed = vars(Device).get("_devices")
    if probed is not None and not any(isinstance(device, FovealDevice) for device in probed):
        probed.extend(FovealDevice._probe_())
