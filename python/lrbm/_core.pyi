"""The extension module. Its members are not part of the interface."""

import os
from typing import Any, Callable, Mapping, Sequence, final

__all__ = [
    "Data",
    "find_files",
    "generate",
    "DataError",
    "kinds",
    "Model",
    "Columns",
    "import_tables",
    "fit",
    "__version__",
]

__version__: str

_Part = tuple[str | os.PathLike[str], str | None] | None
_Time = tuple[str, Sequence[str]] | None
_Path = str | os.PathLike[str]

class DataError(ValueError):
    diagnostics: list[dict[str, Any]]

@final
class Data:
    @staticmethod
    def load(
        pos: _Part,
        neg: _Part,
        facts: _Part,
        background: _Part,
        target: str | None,
        needs_modes: bool,
        time: _Time,
    ) -> Data: ...
    @staticmethod
    def prepare(
        model: Model, pos: _Part, neg: _Part, facts: _Part, background: _Part, query: bool, time: _Time
    ) -> Data: ...
    @staticmethod
    def fold(id: str, fold: int, seed: int, store: _Path | None) -> tuple[Data, Data]: ...
    def __len__(self) -> int: ...
    @property
    def target(self) -> tuple[str, int]: ...
    @property
    def classes(self) -> list[str] | None: ...
    @property
    def duplicates(self) -> int: ...
    @property
    def other_targets(self) -> list[str]: ...
    def labels(self) -> list[int]: ...
    def weights(self) -> list[float]: ...
    def atoms(self, indices: Sequence[int]) -> list[str]: ...
    def warnings(self) -> list[str]: ...

@final
class Model:
    @staticmethod
    def from_json(text: str) -> Model: ...
    def to_json(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...
    def describe(self) -> str: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def target(self) -> tuple[str, int]: ...
    @property
    def classes(self) -> list[str] | None: ...
    @property
    def size(self) -> str: ...
    def score(
        self, data: Data, indices: Sequence[int] | None
    ) -> tuple[list[list[float]], list[list[float]], list[str]]: ...
    def to_network(self, method: str, merge: bool) -> Model: ...
    def rules(self) -> list[tuple[str, list[float]]]: ...
    def predicate_counts(self) -> list[tuple[str, int]]: ...
    def to_svg(self) -> str: ...
    def to_dot(self) -> str: ...
    def explain(
        self,
        data: Data,
        query: str,
        class_name: str | None,
        threshold: float,
        tries: int | None,
        allow_unknown: bool,
        top: int,
    ) -> tuple[str, str | None, str | None, list[str]]: ...

@final
class Columns:
    @staticmethod
    def from_arrow(name: str, capsule: Any) -> Columns: ...
    @staticmethod
    def from_lists(name: str, columns: dict[str, list[Any]]) -> Columns: ...
    def __len__(self) -> int: ...
    def columns(self) -> list[tuple[str, str]]: ...

def find_files(directory: _Path) -> list[str | None]: ...
def generate(domain: str, directory: _Path) -> str: ...
def kinds() -> list[dict[str, Any]]: ...
def import_tables(
    tables: Sequence[Columns],
    mapping: str | None,
    target: str | None,
    keys: Mapping[str, str | None],
) -> tuple[str, str, str, list[str], str, tuple[str, list[str]] | None, list[str], str]: ...
def fit(
    data: Data,
    indices: Sequence[int] | None,
    labels: Sequence[int] | None,
    weights: Sequence[float] | None,
    kind: str,
    params: Sequence[tuple[str, Any]],
    preset: str | None,
    binary: bool,
    symmetric: bool,
    ensemble: Model | None,
    rules: str | None,
    progress: Callable[[int, int], object] | None,
) -> tuple[Model, list[str]]: ...
