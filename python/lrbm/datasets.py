"""Generated domains, and published datasets that `lrbm datasets fetch` has fetched."""

from __future__ import annotations

import os
import pathlib
import tempfile

import numpy as np

from . import _core
from ._warnings import warn
from .database import Database
from .examples import Examples

#: Seed of folds and drawn negatives of the shipped experiments.
SEED = 20_200_120


def generate(domain: str) -> tuple[Database, str]:
    """Returns a generated domain, such as ``"movies"``, and its target.

    Examples
    --------
    >>> from lrbm.datasets import generate
    >>> movies, target = generate("movies")
    >>> len(movies.pos), target
    (250, 'workedunder')
    """
    with tempfile.TemporaryDirectory() as directory:
        target = _core.generate(domain, directory)
        names = ("pos", "neg", "facts", "bk")
        texts = [pathlib.Path(directory, f"train_{name}.txt").read_text(encoding="utf-8") for name in names]
    pos, neg, facts, background = (text.splitlines() for text in texts)
    modes = [line.removeprefix("mode:").strip() for line in background if line.startswith("mode:")]
    return Database(pos, neg, facts, modes), target


def load_fold(
    dataset: str, fold: int = 1, *, seed: int = SEED, store: str | os.PathLike[str] | None = None
) -> tuple[Examples, Examples]:
    """Returns the training and the test examples of a fold, from 1, with drawn negatives.

    ``dataset`` is an id of ``lrbm datasets list`` or a directory; ``store`` is the directory of
    fetched datasets, by default that of the command line.
    """
    sides = _core.Data.fold(dataset, fold, seed, store)
    warn(sides[0].warnings())
    arguments = (dataset, fold, seed, None if store is None else os.fspath(store))
    train, test = (
        Examples._of(data, np.arange(len(data)), (_side, (*arguments, side))) for side, data in enumerate(sides)
    )
    return train, test


def _side(dataset: str, fold: int, seed: int, store: str | None, side: int) -> Examples:
    return load_fold(dataset, fold, seed=seed, store=store)[side]
