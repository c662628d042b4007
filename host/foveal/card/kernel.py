"""What the vendor's tools and XRT know of a kernel: memory ports and arguments, read from its kernel.xml.

The files are written by hw/packaging/kernel_xml.py and shipped beside this module.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib.resources import files

from foveal.errors import DeviceNotFound

__all__ = ["CONTROL", "Argument", "Kernel", "Port", "kernel_names", "kernel_xml", "load_kernel", "read_kernel"]

CONTROL = "s_axi_control"
"""Name of every kernel's AXI4-Lite port."""


@dataclass(frozen=True, slots=True)
class Port:
    """An addressable port. mode: "slave" (control) or "master" (memory). width: data bits. span: addressable bytes."""

    name: str
    mode: str
    width: int
    span: int


@dataclass(frozen=True, slots=True)
class Argument:
    """Argument `index` as XRT counts them: `size` bytes at byte `offset` of the control port.

    port: the memory port of a pointer; of a value, the control port. type: as kernel.xml spells it.
    """

    index: int
    name: str
    port: str
    offset: int
    size: int
    type: str

    @property
    def pointer(self) -> bool:
        """A device address, 64 bits in two registers, low half first."""
        return self.port != CONTROL


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel with its ports and its arguments by index. protocol: hwControlProtocol ("ap_ctrl_hs")."""

    name: str
    protocol: str
    ports: tuple[Port, ...]
    arguments: tuple[Argument, ...]

    def argument(self, name: str) -> Argument:
        """Raises KeyError with the names that there are."""
        for argument in self.arguments:
            if argument.name == name:
                return argument
        names = ", ".join(argument.name for argument in self.arguments)
        raise KeyError(f"kernel {self.name} has no argument {name}; it has {names}")


def kernel_names() -> list[str]:
    """Kernels of an image, sorted."""
    return sorted(entry.name.removesuffix(".xml") for entry in files(__package__).joinpath("kernels").iterdir())


def kernel_xml(name: str) -> str:
    """Text of the kernel.xml of `name`. Raises DeviceNotFound for others."""
    if name not in kernel_names():
        raise DeviceNotFound(f"no kernel {name!r}; described are: {', '.join(kernel_names())}")
    return files(__package__).joinpath("kernels", f"{name}.xml").read_text(encoding="utf-8")


def load_kernel(name: str) -> Kernel:
    """The kernel `name` ("foveal_kernel", "geometry"). Raises DeviceNotFound for others."""
    return read_kernel(kernel_xml(name))


def read_kernel(text: str) -> Kernel:
    """A kernel from the text of its kernel.xml. Raises ValueError when that is not one kernel's description."""
    try:
        kernels = ElementTree.fromstring(text).findall("kernel")
        if len(kernels) != 1:
            raise ValueError(f"it describes {len(kernels)} kernels")
        kernel = kernels[0]
        ports = tuple(
            Port(e.attrib["name"], e.attrib["mode"], int(e.attrib["dataWidth"]), int(e.attrib["range"], 0))
            for e in kernel.findall("ports/port")
        )
        arguments = tuple(
            Argument(
                int(e.attrib["id"]),
                e.attrib["name"],
                e.attrib["port"],
                int(e.attrib["offset"], 0),
                int(e.attrib["size"], 0),
                e.attrib["type"],
            )
            for e in kernel.findall("args/arg")
        )
        return Kernel(kernel.attrib["name"], kernel.attrib["hwControlProtocol"], ports, arguments)
    except ElementTree.ParseError as error:
        raise ValueError(f"kernel.xml is no XML: {error}") from error
    except KeyError as error:
        raise ValueError(f"kernel.xml lacks the attribute {error}") from error
