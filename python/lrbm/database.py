"""Facts and labeled examples.

Examples
--------
>>> from lrbm import Database
>>> db = Database()
>>> db.add_pos("ill(ann).")
>>> db.add_neg("ill(bob).")
>>> db.add_fact("smokes(ann).")
>>> db
Positive Examples:
['ill(ann).']
Negative Examples:
['ill(bob).']
Facts:
['smokes(ann).']
"""

from __future__ import annotations

import os
import pathlib
import shutil
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from . import _core
from ._warnings import warn
from .background import Background, background_part

if TYPE_CHECKING:
    from .examples import Examples

#: Sentences, or the path of a file of them.
Sentences = Union[Sequence[str], str, "os.PathLike[str]"]


class Database:
    """Facts with positive and negative examples: lists of strings, or paths of files.

    Attributes
    ----------
    pos, neg, facts : list of str, or path
        Sentences such as ``"friends(ann, bob)."``; a string or path names a file of them.
    modes : list of str
        Modes, used by classifiers without a background.
    background : Background, path or None
        Modes and settings, used by classifiers without a background of their own.
    time : tuple of str and list of str, or None
        The predicate that gives an entity its time, and the predicates whose facts have the time of
        their first argument: an example sees only facts up to its time.
    """

    def __init__(
        self,
        pos: Sentences | None = None,
        neg: Sentences | None = None,
        facts: Sentences | None = None,
        modes: Sequence[str] | None = None,
    ) -> None:
        self.pos: Any = [] if pos is None else pos
        self.neg: Any = [] if neg is None else neg
        self.facts: Any = [] if facts is None else facts
        self.modes: list[str] = list(modes or [])
        self.background: Background | str | os.PathLike[str] | None = None
        self.time: tuple[str, list[str]] | None = None

    @staticmethod
    def from_files(
        pos: str | os.PathLike[str] = "pos.pl",
        neg: str | os.PathLike[str] = "neg.pl",
        facts: str | os.PathLike[str] = "facts.pl",
        lazy_load: bool = True,
    ) -> "Database":
        """Returns a database of files, which are read when it is used; at once if not lazy."""
        if lazy_load:
            return Database(pos, neg, facts)
        read = (pathlib.Path(path).read_text(encoding="utf-8").splitlines() for path in (pos, neg, facts))
        return Database(*read)

    @staticmethod
    def from_directory(directory: str | os.PathLike[str]) -> "Database":
        """Returns a database of a directory in BoostSRL's layout, with its background file."""
        if not os.path.isdir(directory):
            raise FileNotFoundError(
                f"{os.fspath(directory)}: no such directory; pass the directory with the pos, neg and facts files"
            )
        pos, neg, facts, background = _core.find_files(directory)
        if facts is None:
            raise FileNotFoundError(f"{os.fspath(directory)}: no file of facts, such as facts.txt or train_facts.txt")
        database = Database(pos, neg, facts)
        database.background = background
        return database

    @staticmethod
    def from_frames(
        tables: Mapping[str, Any],
        mapping: str | None = None,
        *,
        target: str | None = None,
        keys: Mapping[str, str | None] | None = None,
    ) -> "Database":
        """Returns the facts and examples of data frames; see :func:`lrbm.import_frames`."""
        from .frames import import_frames

        return import_frames(tables, mapping, target=target, keys=keys).database

    def add_pos(self, example: str) -> None:
        """Appends a positive example."""
        self._list("pos").append(example)

    def add_neg(self, example: str) -> None:
        """Appends a negative example."""
        self._list("neg").append(example)

    def add_fact(self, fact: str) -> None:
        """Appends a fact."""
        self._list("facts").append(fact)

    def _list(self, name: str) -> list[str]:
        sentences = getattr(self, name)
        if not isinstance(sentences, list):
            raise TypeError(f"`{name}` is not a list of strings: load the files with lazy_load=False")
        return sentences

    def examples(self, target: str | None = None, background: Background | str | None = None) -> "Examples":
        """Returns the examples of a target, for scikit-learn."""
        from .examples import Examples

        return Examples(self, target, background)

    def write(self, filename: str = "train", location: str | os.PathLike[str] = pathlib.Path("train")) -> None:
        """Writes ``{filename}_pos.txt``, ``_neg.txt`` and ``_facts.txt`` into a directory."""
        for name in ("pos", "neg", "facts"):
            sentences, path = getattr(self, name), pathlib.Path(location, f"{filename}_{name}.txt")
            if isinstance(sentences, (str, os.PathLike)):
                shutil.copyfile(sentences, path)
            else:
                path.write_text("".join(f"{sentence}\n" for sentence in sentences), encoding="utf-8")

    def __repr__(self) -> str:
        return f"Positive Examples:\n{self.pos}\nNegative Examples:\n{self.neg}\nFacts:\n{self.facts}"


def _part(name: str, sentences: Any) -> tuple[str, str | None] | None:
    if sentences is None:
        return None
    if isinstance(sentences, (str, os.PathLike)):
        return os.fspath(sentences), None
    return name, "".join(f"{sentence}\n" for sentence in sentences)


def check_database(database: Any) -> None:
    """Checks that something has facts."""
    if getattr(database, "facts", None) is None:
        instead = "relational data are facts and examples, not a matrix"
        if hasattr(database, "columns"):
            instead = "turn data frames into a Database with `lrbm.import_frames`"
        raise TypeError(f"expected a Database or Examples, got {type(database).__name__}: {instead}")


def parts(database: Any, background: Any, keep_defaults: bool) -> dict[str, Any]:
    """Returns the parts of anything with ``pos``, ``neg`` and ``facts`` for the extension module."""
    check_database(database)
    found = {name: getattr(database, name, None) for name in ("pos", "neg", "facts")}
    if background is None:
        background = getattr(database, "background", None)
    read = {name: _part(name, sentences) for name, sentences in found.items()}
    read["background"] = background_part(background, getattr(database, "modes", None) or (), keep_defaults)
    return {**read, "time": getattr(database, "time", None)}


def load(
    database: Any,
    background: Any,
    target: str | None,
    *,
    keep_defaults: bool = False,
    needs_modes: bool = True,
    one_target: bool = False,
) -> _core.Data:
    """Loads a database and issues the warnings about it.

    With ``one_target``, a target that is not given must be the only predicate of the examples.
    """
    given = parts(database, background, keep_defaults)
    data = _core.Data.load(target=target, needs_modes=needs_modes, **given)
    if one_target and target is None and data.other_targets:
        names = ", ".join(["/".join(map(str, data.target)), *data.other_targets])
        raise ValueError(f"the examples have several predicates, {names}: select one with `target`")
    warn(data.warnings())
    return data
