"""Frame records on disk: written in parts while a run goes on, joined into `frames.parquet` at its end.

A run that is killed keeps every part that was written; `load` reads parts and joined file alike.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import TracebackType

import pandas as pd
from foveal.errors import FovealError

__all__ = ["JOINED", "RecordStore", "load"]

JOINED = "frames.parquet"
PARTS = "frames.part"


class RecordStore:
    """Appends frame records (flat dicts) below `folder`; a part every `rows_per_part` rows.

    Raises FovealError when the folder cannot be written (read-only, disk full); rows written before are kept.
    """

    def __init__(self, folder: Path, rows_per_part: int = 32) -> None:
        self._folder = folder
        self._rows_per_part = rows_per_part
        self._pending: list[dict[str, object]] = []
        self._parts = 0
        self.rows = 0
        try:
            if (folder / PARTS).is_dir():  # left by a run that was killed
                shutil.rmtree(folder / PARTS)
            (folder / PARTS).mkdir(parents=True)
            (folder / JOINED).unlink(missing_ok=True)
        except OSError as error:
            raise FovealError(
                f"cannot write to {folder}: {error.strerror}; choose another folder with --out"
            ) from error

    def append(self, record: dict[str, object]) -> None:
        self._pending.append(record)
        self.rows += 1
        if len(self._pending) >= self._rows_per_part:
            self.flush()

    def flush(self) -> None:
        """Write what is pending as one part (atomic)."""
        if self._pending:
            _write(pd.DataFrame(self._pending), self._folder / PARTS / f"{self._parts:06d}.parquet")
            self._parts += 1
            self._pending.clear()

    def __enter__(self) -> RecordStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()
        if self.rows:
            _write(load(self._folder), self._folder / JOINED)
        shutil.rmtree(self._folder / PARTS, ignore_errors=True)


def _write(table: pd.DataFrame, path: Path) -> None:
    unfinished = path.with_suffix(".unfinished")
    try:
        table.to_parquet(unfinished, index=False)
        os.replace(unfinished, path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise FovealError(
            f"cannot write {path}: {error.strerror or error}; the parts written before are kept"
        ) from error


def load(folder: Path) -> pd.DataFrame:
    """All records below `folder`. Raises FovealError when there are none or a file is damaged."""
    joined = folder / JOINED
    paths = [joined] if joined.exists() else sorted((folder / PARTS).glob("*.parquet"))
    if not paths:
        raise FovealError(f"no frame records in {folder}; run `foveal bench --out {folder}` first")
    tables = []
    for path in paths:
        try:
            tables.append(pd.read_parquet(path))
        except (OSError, ValueError) as error:
            raise FovealError(f"{path} is damaged: {error}") from error
    return pd.concat(tables, ignore_index=True)
