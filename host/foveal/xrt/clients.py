"""Which processes use a card, as the kernel driver counts them."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["other_clients"]


def other_clients(bdf: str, root: Path = Path("/sys/bus/pci/devices")) -> list[int]:
    """Process ids, but our own, of the contexts that xocl's file kdsstat lists; none where there is no such file."""
    try:
        text = (root / bdf / "kdsstat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    listed = text.partition("client pid:")[2]
    return sorted({int(word) for word in re.findall(r"\d+", listed)} - {os.getpid()})
