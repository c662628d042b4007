"""Kernel source: files of this package with their includes put in, and a hash of the result."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["KernelSource", "expand", "kernel_source"]

_INCLUDE = re.compile(r'^#include "([\w.]+)"$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class KernelSource:
    """text: complete OpenCL C, no includes left. digest: the first 16 hex digits of its SHA-256."""

    text: str
    digest: str


def expand(name: str, texts: dict[str, str]) -> str:
    """`texts[name]` with each `#include "other"` line replaced by that text, in place and recursively.

    Compilers' caches do not notice a changed include file; they notice a changed text. Raises KeyError for a file that
    is not there and ValueError for one that includes itself.
    """
    return _expand(name, texts, ())


def kernel_source(kernel_set: str) -> KernelSource:
    """The source of "cpu" or "gpu"."""
    folder = files("foveal.opencl") / "kernels"
    texts = {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.name.endswith(".cl")}
    text = expand(f"{kernel_set}.cl", texts)
    return KernelSource(text, hashlib.sha256(text.encode()).hexdigest()[:16])


def _expand(name: str, texts: dict[str, str], above: tuple[str, ...]) -> str:
    if name in above:
        raise ValueError(f"{name} includes itself by way of {' -> '.join(above)}")
    return _INCLUDE.sub(lambda match: _expand(match.group(1), texts, (*above, name)), texts[name])
