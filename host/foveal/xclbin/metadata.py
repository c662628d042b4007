"""EMBEDDED_METADATA: the XML from which hosts learn kernels, arguments and instances."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass

from foveal.card.board import Board
from foveal.card.kernel import CONTROL, Argument, Kernel, Port, kernel_xml
from foveal.errors import XclbinError

__all__ = ["Instance", "read_metadata", "write_metadata"]

INSTANCE_RANGE = 0x10000
"""Bytes of address space that one instance gets."""

LARGEST = 16 << 20
"""Bytes; the XML of an image with dozens of kernels has some hundred thousand."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A kernel on the card. base: byte address of its control port, None where hosts reach none."""

    name: str
    kernel: Kernel
    base: int | None


def write_metadata(board: Board, bases: Sequence[int]) -> bytes:
    """The kernels of `board`'s image as one project; bases: address of each one's control port."""
    shell = board.platform.split("_")
    project = ElementTree.Element("project", name=f"foveal_{board.key}")
    platform = ElementTree.SubElement(
        project, "platform", vendor=shell[0], boardid=shell[1], name="_".join(shell[2:]), featureRomTime="0"
    )
    device = ElementTree.SubElement(platform, "device", name="fpga0", fpgaDevice=board.part)
    clock = f"{board.clock_hz.value / 1e6:g}MHz"
    core = ElementTree.SubElement(
        device, "core", name="OCL_REGION_0", target="hw_emu", type="clc_region", clockFreq=clock,
        numComputeUnits=str(len(board.kernels)),
    )  # fmt: skip
    for placement, base in zip(board.kernels, bases, strict=True):
        source = ElementTree.fromstring(kernel_xml(placement.kernel)).find("kernel")
        assert source is not None
        kernel = ElementTree.SubElement(core, "kernel", source.attrib)
        kernel.extend(source.findall("ports/port"))
        kernel.extend(source.findall("args/arg"))
        instance = ElementTree.SubElement(kernel, "instance", name=placement.instance)
        ElementTree.SubElement(instance, "addrRemap", base=f"0x{base:X}", range=f"0x{INSTANCE_RANGE:X}", port=CONTROL)
    for element in project.iter():  # what the source files were indented with
        element.tail = "\n"
        element.text = "\n" if len(element) else None
    return ElementTree.tostring(project, encoding="UTF-8", xml_declaration=True)


def read_metadata(data: bytes) -> tuple[Instance, ...]:
    """All instances of all kernels. Raises XclbinError for XML that is none, or lacks what hosts need.

    Document types are refused: no such file needs one, and entities that name each other grow without end.
    """
    if len(data) > LARGEST or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise XclbinError("its metadata declares a document type, or is larger than any image needs")
    try:
        root = ElementTree.fromstring(data.rstrip(b"\0"))
        cores = root.findall("platform/device/core/kernel")
        return tuple(instance for element in cores for instance in _instances(element))
    except (ElementTree.ParseError, UnicodeError, LookupError, ValueError) as error:
        what = f"the attribute {error} is missing" if isinstance(error, KeyError) else str(error)
        raise XclbinError(f"its metadata cannot be read: {what}") from error


def _instances(element: ElementTree.Element) -> list[Instance]:
    kernel = Kernel(
        element.attrib["name"],
        element.attrib.get("hwControlProtocol", "ap_ctrl_hs"),
        tuple(_port(port) for port in element.findall("port")),
        tuple(_argument(argument) for argument in element.findall("arg")),
    )
    found = []
    for instance in element.findall("instance"):
        remap = instance.find("addrRemap")
        base = remap.attrib.get("base", "") if remap is not None else ""
        found.append(Instance(instance.attrib["name"], kernel, _number(base) if base.startswith("0x") else None))
    return found


def _port(element: ElementTree.Element) -> Port:
    attribute = element.attrib
    return Port(attribute["name"], attribute["mode"], _number(attribute["dataWidth"]), _number(attribute["range"]))


def _argument(element: ElementTree.Element) -> Argument:
    attribute = element.attrib
    index, offset, size = (_number(attribute[name]) for name in ("id", "offset", "size"))
    return Argument(index, attribute["name"], attribute["port"], offset, size, attribute["type"])


def _number(text: str) -> int:
    value = int(text, 0)
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{text} is no number of 64 bits")
    return value
