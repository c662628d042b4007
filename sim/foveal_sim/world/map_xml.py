"""OpenDRIVE text as elements that know their line, read so that no file can exhaust the machine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

from foveal.errors import MapError

__all__ = ["MapDocument", "read_xml"]

DEPTH_LIMIT = 64
"""OpenDRIVE nests a dozen elements."""


@dataclass(frozen=True, slots=True)
class MapDocument:
    """root: the <OpenDRIVE> element. lines: where each element begins. file: what messages call it."""

    root: ET.Element
    lines: dict[ET.Element, int]
    file: str

    def at(self, element: ET.Element, message: str) -> str:
        """`message` with file and line."""
        return f"{self.file}, line {self.lines[element]}: {message}"

    def refuse(self, element: ET.Element, message: str) -> NoReturn:
        """Raises MapError with file and line."""
        raise MapError(self.at(element, message))

    def number(self, element: ET.Element, attribute: str, default: float | None = None) -> float:
        """A finite number. Raises MapError for anything else; for none without a `default`."""
        value = element.get(attribute)
        if value is None and default is not None:
            return default
        try:
            number = float(value or "")
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.refuse(element, f"<{element.tag} {attribute}={value or ''!r}> is not a finite number")
        return number

    def integer(self, element: ET.Element, attribute: str) -> int:
        """A whole number, as ids of lanes are. Raises MapError."""
        value = element.get(attribute, "").strip()
        if not (value.isascii() and value.lstrip("+-").isdecimal()):
            self.refuse(element, f"<{element.tag} {attribute}={value!r}> is not a whole number")
        return int(value)


def read_xml(text: str, file: str) -> MapDocument:
    """Raises MapError for what is not XML, declares entities or nests without end."""
    parser = expat.ParserCreate()
    builder = ET.TreeBuilder()
    lines: dict[ET.Element, int] = {}
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH_LIMIT:
            raise MapError(f"{file}, line {parser.CurrentLineNumber}: elements nest deeper than {DEPTH_LIMIT}")
        lines[builder.start(tag, attributes)] = parser.CurrentLineNumber

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def entity(name: str, *_: object) -> None:
        raise MapError(
            f"{file}, line {parser.CurrentLineNumber}: declares the entity {name!r}, which OpenDRIVE has no use for; "
            "remove the declaration"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise MapError(
            f"{file}, line {error.lineno}: not OpenDRIVE, XML error: {expat.ErrorString(error.code)}; "
            "expected an .xodr file"
        ) from None
    document = MapDocument(builder.close(), lines, file)
    if document.root.tag != "OpenDRIVE":
        document.refuse(document.root, f"root element is <{document.root.tag}>, expected <OpenDRIVE>")
    return document
