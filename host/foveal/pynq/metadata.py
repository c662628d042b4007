"""What PYNQ's own parser makes of an image, with the registers that kernel.xml cannot name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pynq.pl_server.xclbin_parser import XclBin

from foveal.card import registers
from foveal.card.roles import KERNEL
from foveal.xclbin import read_file, read_image

__all__ = ["ImageMetadata"]

OF_THE_RUNTIME = (registers.GIE, registers.IER, registers.ISR)

ACCESS = {"r": "read-only", "w": "write-only", "rw": "read-write"}


class ImageMetadata(XclBin):
    """An XclBin of PYNQ that is read with suspicion. image: the same, as foveal.xclbin reads it.

    kernel.xml holds the arguments alone. The raster kernel's register map gets its other registers, too, and the
    fields of all, from the register map: ``register_map.STATUS.error``, ``register_map.ID``. GIE, IER and ISR stay
    out: they belong to the runtime.
    """

    def __init__(self, path: Path) -> None:
        """Raises XclbinError for a file that foveal.xclbin refuses."""
        data = read_file(path)
        self.image = read_image(data)  # first: PYNQ's parser follows any count and offset
        super().__init__(str(path), data)
        for instance in self.image.instances:
            if instance.kernel.name == KERNEL and instance.name in self.ip_dict:
                _complete(self.ip_dict[instance.name]["registers"])


def _complete(known: dict[str, Any]) -> None:
    """Add what is missing to PYNQ's description of the raster kernel's registers."""
    taken = {entry["address_offset"] + n for entry in known.values() for n in range(0, entry["size"] // 8, 4)}
    for register in registers.REGISTERS:
        if register.offset not in taken and register.offset not in OF_THE_RUNTIME:
            known[register.name] = {
                "address_offset": register.offset,
                "access": ACCESS[register.access],
                "size": 32,
                "description": register.text,
                "type": "uint",
                "id": None,
            }
        entry = known.get(register.name)
        fields = [field for field in register.fields if field.name != "value"]
        if entry is not None and register.name != "CTRL" and fields:
            entry["fields"] = {
                field.name: {
                    "access": ACCESS["".join(letter for letter in "rw" if letter in field.access) or "rw"],
                    "bit_offset": field.lsb,
                    "bit_width": field.width,
                    "description": field.text,
                }
                for field in fields
            }
