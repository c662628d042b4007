"""The part of a document that a command writes: what stands between ``<!-- mark -->`` and ``<!-- end -->``."""

from __future__ import annotations

from pathlib import Path

__all__ = ["replace_part"]


def replace_part(path: Path, mark: str, text: str) -> None:
    """Put `text` between the marks; ValueError where the document has no such part."""
    opening, closing = f"<!-- {mark} -->\n", "<!-- end -->"
    head, found, rest = path.read_text(encoding="utf-8").partition(opening)
    _, ended, tail = rest.partition(closing)
    if not (found and ended):
        raise ValueError(f"{path} has no part {opening.strip()} ... {closing}")
    path.write_text(f"{head}{opening}{text.rstrip()}\n{closing}{tail}", encoding="utf-8")
