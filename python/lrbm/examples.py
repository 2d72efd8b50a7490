"""Examples as a sequence that scikit-learn can index."""

from __future__ import annotations

import os
from typing import Any, Iterator, Sequence, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from .background import Background
from .database import load


class Examples(Sequence[str]):
    """Labeled examples of a target that share their facts.

    Indexing by a slice, a list or an array of integers or bools selects examples; their facts are
    not copied. An integer gives the atom. Use them as ``X`` of scikit-learn and ``X.y`` as ``y``.

    Parameters
    ----------
    database : Database, or path of a directory
        Facts and examples.
    target : str
        The predicate to learn; by default that with the most positive examples.
    background : Background, or path of a file
        Modes; by default those of the database.
    """

    def __init__(
        self,
        database: Any,
        target: str | None = None,
        background: Background | str | os.PathLike[str] | None = None,
    ) -> None:
        if isinstance(database, (str, os.PathLike)):
            from .database import Database

            database = Database.from_directory(database)
        self._data = load(database, background, target, needs_modes=False)
        self._indices: NDArray[np.intp] = np.arange(len(self._data))
        self._source: tuple[Any, ...] = (Examples, (database, target, background))

    @classmethod
    def _of(cls, data: _core.Data, indices: NDArray[np.intp], source: tuple[Any, ...]) -> "Examples":
        examples = cls.__new__(cls)
        examples._data, examples._indices, examples._source = data, indices, source
        return examples

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: Any) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            # scikit-learn indexes rows of arrays as `X[rows, ...]`.
            if len(key) != 2 or key[1] not in (Ellipsis, slice(None)):
                raise IndexError("examples have rows only: index them by integers")
            key = key[0]
        if isinstance(key, (int, np.integer)):
            return self._data.atoms([int(self._indices[key])])[0]
        if not isinstance(key, slice):
            key = np.asarray(key)
            if key.size == 0:
                key = key.astype(np.intp)
        return Examples._of(self._data, self._indices[key], self._source)

    def __iter__(self) -> Iterator[str]:
        return iter(self.atoms)

    @property
    def atoms(self) -> list[str]:
        """The examples as atoms."""
        return self._data.atoms(self._indices.tolist())

    @property
    def target(self) -> str:
        """The name of the target."""
        return self._data.target[0]

    @property
    def shape(self) -> tuple[int, int]:
        """The number of examples, and of arguments of the target."""
        return len(self), self._data.target[1]

    @property
    def classes(self) -> NDArray[Any]:
        """The classes: False and True, or the names of several."""
        names = self._data.classes
        return np.array([False, True] if names is None else names)

    @property
    def y(self) -> NDArray[Any]:
        """The label of each example."""
        labels = np.asarray(self._data.labels(), dtype=np.intp)
        chosen: NDArray[Any] = self.classes[labels[self._indices]]
        return chosen

    @property
    def sample_weight(self) -> NDArray[np.float64]:
        """The weight of each example in the data."""
        weights = np.asarray(self._data.weights(), dtype=np.float64)
        chosen: NDArray[np.float64] = weights[self._indices]
        return chosen

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (*self._source, self._indices)

    def __repr__(self) -> str:
        return f"<{len(self)} examples of {self.target}/{self.shape[1]}>"


def _restore(build: Any, arguments: tuple[Any, ...], indices: NDArray[np.intp]) -> Examples:
    whole = build(*arguments)
    return Examples._of(whole._data, indices, whole._source)
