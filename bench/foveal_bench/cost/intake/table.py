"""Tables from CSV, YAML or JSON files, checked against the columns that are wanted."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from foveal.errors import FovealError

from foveal_bench.cost.intake.cells import NULLS, CellError, Notation, read_numbers
from foveal_bench.cost.intake.periods import instant
from foveal_bench.cost.intake.text_yaml import load_text_yaml

__all__ = ["Column", "Table", "read_table", "table_of_text"]

DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class Column:
    """A wanted column. kind: text (kept as written), number, or time. null: a cell may have no value."""

    name: str
    kind: str = "text"
    required: bool = True
    null: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """rows: column -> value; `notes` say what was ignored or dropped; numbers[i] is the line or entry of rows[i]."""

    rows: list[dict[str, Any]]
    numbers: list[int]
    notes: list[str] = field(default_factory=list)


def read_table(path: Path, columns: Iterable[Column], **options: Any) -> Table:
    """The table in a file, by its ending .csv, .tsv, .yaml, .yml or .json; options as `table_of_text` takes them.

    Raises FovealError with the file's name; a cell that cannot be used is named by row and column.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise FovealError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FovealError(f"{path} is not UTF-8 text; save it as CSV UTF-8") from error
    try:
        return table_of_text(text, columns, structured=path.suffix.lower() in (".yaml", ".yml", ".json"), **options)
    except FovealError as error:
        raise FovealError(f"{path}: {error}") from error


def table_of_text(
    text: str,
    columns: Iterable[Column],
    *,
    structured: bool = False,
    header: bool = True,
    notation: Notation | None = None,
    zone: str | None = None,
    key: tuple[str, ...] = (),
) -> Table:
    """Rows of `text` with the values of `columns`.

    structured: YAML or JSON, a list of mappings. header: the first line names the columns; else they stand in the order
    wanted. zone: of times without one. key: columns that name a row; a row that is there twice is dropped with a note,
    two different rows of one name are refused.
    """
    wanted = list(columns)
    local = False
    if structured:
        names, cells, numbers = _structured(text)
    else:
        names, cells, numbers, local = _separated(text, wanted, header)
    places = {column.name: _place(column, names) for column in wanted}
    known = {place for place in places.values() if place is not None}
    notes = [f"column {name} is ignored" for at, name in enumerate(names) if at not in known]
    values = {
        column.name: _values(column, places[column.name], cells, numbers, notation or Notation(), zone, local)
        for column in wanted
    }
    rows = [{column.name: values[column.name][at] for column in wanted} for at in range(len(cells))]
    return _unique(Table(rows, numbers, notes), key)


def _structured(text: str) -> tuple[list[str], list[list[str | None]], list[int]]:
    try:
        raw = load_text_yaml(text)
    except yaml.YAMLError as error:
        raise FovealError(f"it is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(raw, list) or not all(isinstance(entry, dict) for entry in raw):
        raise FovealError("it is not a list of rows")
    names: list[str] = list(dict.fromkeys(str(name) for entry in raw for name in entry))
    for number, entry in enumerate(raw, 1):
        for name, value in entry.items():
            if not isinstance(value, str):
                raise CellError(number, str(name), "it is not one value")
    return names, [[entry.get(name) for name in names] for entry in raw], list(range(1, len(raw) + 1))


def _separated(
    text: str, wanted: list[Column], header: bool
) -> tuple[list[str], list[list[str | None]], list[int], bool]:
    if "\0" in text:
        raise FovealError("it holds null bytes; save it as CSV UTF-8")
    delimiter = _delimiter(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[tuple[int, list[str]]] = []
    try:
        for line in reader:
            if any(cell.strip() for cell in line):
                lines.append((reader.line_num, line))
    except csv.Error as error:
        raise FovealError(f"line {reader.line_num}: {error}") from None
    if not lines:
        raise FovealError("it is empty")
    names = [cell.strip() for cell in lines.pop(0)[1]] if header else [column.name for column in wanted]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise FovealError(f"column {twice[0]!r} is there twice")
    for number, line in lines:
        if len(line) != len(names):
            raise FovealError(f"row {number} has {len(line)} cells, {len(names)} are expected")
    return names, [list(line) for _, line in lines], [number for number, _ in lines], delimiter == ";"


def _delimiter(text: str) -> str:
    """The one that the first line has most of."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return max(DELIMITERS, key=first.count)


def _place(column: Column, names: list[str]) -> int | None:
    places = [at for at, name in enumerate(names) if name.casefold() == column.name.casefold()]
    if len(places) > 1:
        raise FovealError(f"column {column.name!r} is there twice")
    if not places and column.required:
        raise FovealError(f"column {column.name!r} is missing; there are {', '.join(names)}")
    return places[0] if places else None


def _values(
    column: Column,
    place: int | None,
    rows: list[list[str | None]],
    numbers: list[int],
    notation: Notation,
    zone: str | None,
    local: bool,
) -> list[Any]:
    cells = [None if place is None else row[place] for row in rows]
    empty = [cell is None or cell.strip().lower() in NULLS for cell in cells]
    if not column.null and column.required:
        for number, missing in zip(numbers, empty, strict=True):
            if missing:
                raise CellError(number, column.name, "a value is needed")
    if column.kind == "text":
        return [None if missing else cell for cell, missing in zip(cells, empty, strict=True)]
    if column.kind == "number":
        return list(read_numbers(cells, column.name, notation, rows=numbers, local=local))
    values: list[Any] = []
    for cell, missing, number in zip(cells, empty, numbers, strict=True):
        try:
            values.append(None if missing else instant(str(cell).strip(), zone=zone))
        except ValueError as error:
            raise CellError(number, column.name, str(error)) from None
    return values


def _unique(table: Table, key: tuple[str, ...]) -> Table:
    if not key:
        return table
    seen: dict[tuple[Any, ...], int] = {}
    kept = Table([], [], list(table.notes))
    for row, number in zip(table.rows, table.numbers, strict=True):
        name = tuple(row[column] for column in key)
        if name in seen:
            first = seen[name]
            if table.rows[table.numbers.index(first)] != row:
                shown = ", ".join(str(part) for part in name)
                raise FovealError(f"rows {first} and {number} are both {shown}, and differ")
            kept.notes.append(f"row {number} repeats row {first} and is dropped")
            continue
        seen[name] = number
        kept.rows.append(row)
        kept.numbers.append(number)
    return kept
