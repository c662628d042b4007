"""Which files of hw/rtl a module is made of; what builds and proofs use as the key of their caches."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["RTL", "hierarchy", "modules"]

RTL = Path(__file__).resolve().parent / "rtl"


def modules() -> list[str]:
    """Names of all modules, sorted; a module's file is named after it."""
    return sorted(path.stem for path in RTL.glob("*.v"))


def hierarchy(files: list[Path], folder: Path = RTL) -> list[Path]:
    """`files` and every file of `folder` that they name, directly or not, as a module or an include."""
    library = {path.stem: path for path in sorted(folder.glob("*.v"))}
    headers = {path.name: path for path in sorted(folder.glob("*.vh"))}
    found: dict[Path, None] = {}
    pending = list(files)
    while pending:
        path = pending.pop()
        if path in found:
            continue
        found[path] = None
        text = path.read_text()
        pending += [library[word] for word in set(re.findall(r"[A-Za-z_]\w*", text)) if word in library]
        pending += [headers[name] for name in re.findall(r'`include\s+"([^"]+)"', text) if name in headers]
    return sorted(found)
