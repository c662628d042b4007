"""A reader of value change dumps, as far as tests of waves need one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Vcd"]


@dataclass(frozen=True)
class Vcd:
    """timescale as written. width: bits by signal, whose name is its scopes and its own joined by dots."""

    path: Path
    timescale: str
    width: dict[str, int]
    code: dict[str, str]

    @classmethod
    def open(cls, path: Path) -> Vcd:
        """Read the header; ValueError where it has no end or a signal stands in no scope."""
        scopes: list[str] = []
        width, code = {}, {}
        timescale = ""
        with path.open() as lines:
            for line in lines:
                match line.split():
                    case ["$timescale", value, "$end"]:
                        timescale = value
                    case ["$scope", _, name, "$end"]:
                        scopes.append(name)
                    case ["$upscope", "$end"]:
                        scopes.pop()
                    case ["$var", _, bits, short, name, *_]:
                        full = ".".join([*scopes, name])
                        width[full], code[full] = int(bits), short
                    case ["$enddefinitions", "$end"]:
                        if scopes or not timescale:
                            raise ValueError(f"{path}: scopes {scopes} stay open, timescale {timescale!r}")
                        return cls(path, timescale, width, code)
        raise ValueError(f"{path}: the header has no end")

    def samples(self, *names: str) -> Iterator[tuple[int, dict[str, int]]]:
        """(time, value by name) for each time at which anything changed; the same dict, changed in place."""
        wanted: dict[str, list[str]] = {}
        for name in names:
            wanted.setdefault(self.code[name], []).append(name)
        values = dict.fromkeys(names, 0)
        now: int | None = None
        with self.path.open() as lines:
            while not next(lines).startswith("$enddefinitions"):
                pass
            for line in map(str.strip, lines):
                if not line:
                    continue
                if line[0] == "#":
                    if now is not None:
                        yield now, values
                    now = int(line[1:])
                    continue
                text, short = line[1:].split() if line[0] == "b" else (line[0], line[1:])
                for name in wanted.get(short, ()):
                    values[name] = int(text, 2)
        if now is not None:
            yield now, values
