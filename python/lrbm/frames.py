"""Data frames as facts and examples, and results as data frames."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pathlib
from dataclasses import dataclass
from typing import Any, Mapping

from . import _core
from ._warnings import warn
from .database import Database

_LIBRARIES = ("polars", "pandas")


@dataclass
class ImportedFrames:
    """Facts and examples of tables, with the mapping that made them."""

    database: Database
    #: The target predicate.
    target: str
    #: The mapping in TOML: edit it and pass it again to change names, types or modes.
    mapping: str


def import_frames(
    tables: Mapping[str, Any],
    mapping: str | None = None,
    *,
    target: str | None = None,
    keys: Mapping[str, str | None] | None = None,
) -> ImportedFrames:
    """Turns data frames into facts and examples, as ``lrbm datasets import`` does for files.

    Parameters
    ----------
    tables : dict of name to table
        Polars or pandas frames, Arrow tables, anything with ``__arrow_c_stream__``, or dicts of
        lists.
    mapping : str
        The mapping in TOML, or the path of a file; by default it is inferred.
    target : str
        For an inferred mapping: the target, as ``"table"`` or ``"table.column"``.
    keys : dict of table to column
        For an inferred mapping: the key column of a table, or None if its rows have no key.
    """
    if mapping is not None and "\n" not in mapping and os.path.isfile(mapping):
        mapping = pathlib.Path(mapping).read_text(encoding="utf-8")
    columns = [_columns(name, table) for name, table in tables.items()]
    facts, pos, neg, modes, predicate, time, notes, used = _core.import_tables(columns, mapping, target, dict(keys or {}))
    warn(notes)
    database = Database(pos.splitlines(), neg.splitlines(), facts.splitlines(), modes)
    database.time = time
    return ImportedFrames(database, predicate, used)


def _columns(name: str, table: Any) -> _core.Columns:
    if hasattr(table, "__arrow_c_stream__"):
        try:
            return _core.Columns.from_arrow(name, table.__arrow_c_stream__())
        except ImportError:
            # A pandas frame needs pyarrow for it; its columns can be read one by one.
            pass
    if isinstance(table, Mapping):
        return _core.Columns.from_lists(name, {str(column): list(values) for column, values in table.items()})
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        lists = {str(column): _list(table[column]) for column in table.columns}
        return _core.Columns.from_lists(name, lists)
    raise TypeError(
        f"table `{name}`: expected a data frame, an Arrow table or a dict of lists, got {type(table).__name__}"
    )


def _list(column: Any) -> list[Any]:
    dtype = str(getattr(column, "dtype", ""))
    if dtype.startswith("datetime64"):
        column = column.astype("string")
    values = column.tolist()
    missing = column.isna().tolist() if hasattr(column, "isna") else [False] * len(values)
    return [None if absent else value for value, absent in zip(values, missing)]


def _library(frame: str | None) -> Any:
    """Returns polars or pandas; None if neither is installed and none is asked for."""
    if frame is not None and frame not in _LIBRARIES:
        raise ValueError(f"unknown data frame `{frame}`; expected one of {', '.join(_LIBRARIES)}")
    for name in _LIBRARIES if frame is None else (frame,):
        if frame is not None or importlib.util.find_spec(name) is not None:
            return importlib.import_module(name)
    return None


def make_frame(columns: dict[str, list[Any]], frame: str | None = None) -> Any:
    """Returns columns as a frame of polars or pandas; without either, the dict of lists."""
    library = _library(frame)
    return columns if library is None else library.DataFrame(columns)


def read_run(path: str | os.PathLike[str], table: str = "metrics", frame: str | None = None) -> Any:
    """Reads a table of a run directory of ``lrbm run`` with the user's polars or pandas.

    Parameters
    ----------
    path : path
        The run directory, such as ``results/runs/quick``.
    table : str
        ``"metrics"``, one row for each job; or ``"predictions"``, one row for each test example of
        each job, with the job's directory as ``job``.
    frame : str
        ``"polars"`` or ``"pandas"``; by default the one that is installed.
    """
    root = pathlib.Path(path)
    if table not in ("metrics", "predictions"):
        raise ValueError(f"unknown table `{table}`; expected one of metrics, predictions")
    if not root.is_dir():
        raise FileNotFoundError(f"{root}: no such directory; pass the directory that `lrbm run` wrote")
    library = _library(frame)
    if library is None:
        raise ImportError("read_run needs polars, or pandas with pyarrow: install one of them")
    if table == "metrics":
        file = root / "metrics.parquet"
        if not file.is_file():
            raise FileNotFoundError(f"{file}: no such file; `lrbm run` writes it when its jobs end")
        return library.read_parquet(file)
    files = sorted(root.glob("jobs/**/predictions.parquet"))
    if not files:
        raise FileNotFoundError(f"{root}: no predictions; `lrbm run` writes those of each job when it ends")
    jobs = [file.parent.relative_to(root / "jobs").as_posix() for file in files]
    if library.__name__ == "polars":
        name = library.lit
        read = [library.read_parquet(file).with_columns(job=name(job)) for file, job in zip(files, jobs)]
    else:
        read = [library.read_parquet(file).assign(job=job) for file, job in zip(files, jobs)]
    return library.concat(read)
