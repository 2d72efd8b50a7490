"""Background knowledge: modes, and settings in BoostSRL's notation."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Collection, Mapping, Sequence

# Settings with their notation, in the order in which they are written. A setting that is false or
# None is left out.
_SETTINGS = {
    "number_of_clauses": "setParam: numOfClauses={}.",
    "number_of_cycles": "setParam: numOfCycles={}.",
    "line_search": "setParam: lineSearch={}.",
    "recursion": "setParam: recursion={}.",
    "use_std_logic_variables": "useStdLogicVariables: {}.",
    "use_prolog_variables": "usePrologVariables: {}.",
    "load_all_libraries": "setParam: loadAllLibraries = {}.",
    "load_all_basic_modes": "setParam: loadAllBasicModes = {}.",
    "node_size": "setParam: nodeSize={}.",
    "max_tree_depth": "setParam: maxTreeDepth={}.",
}
_DEFAULTS = {
    "number_of_clauses": 100,
    "number_of_cycles": 100,
    "use_prolog_variables": True,
    "node_size": 2,
    "max_tree_depth": 3,
}
# Settings without a meaning for the learners; at their default they need no warning.
_UNUSED = ("number_of_cycles", "use_prolog_variables")
_COUNTS = ("number_of_clauses", "number_of_cycles", "node_size", "max_tree_depth")
_FLAGS = tuple(name for name in _SETTINGS if name not in _COUNTS)


class Background:
    """Modes and settings, with srlearn's parameters.

    Only ``modes``, ``ranges``, ``number_of_clauses`` and, set by classifiers, ``node_size`` and
    ``max_tree_depth`` influence learning; the other settings are accepted, written by ``str`` and
    reported as unused by the reader.

    Parameters
    ----------
    modes : list of str
        The language bias: ``"friends(+person,-person)."``.
    ok_if_unknown, bridgers : list of str
        Predicates such as ``"smokes/1"``; unused.
    ranges : dict of str to list of str
        Values of a type.
    number_of_clauses : int
        Maximum number of tests in a tree.
    number_of_cycles, line_search, recursion, use_std_logic_variables, use_prolog_variables, \
load_all_libraries, load_all_basic_modes
        Unused.

    Examples
    --------
    >>> from lrbm import Background
    >>> print(Background(modes=["ill(+person).", "smokes(+person)."]))
    setParam: numOfClauses=100.
    setParam: numOfCycles=100.
    usePrologVariables: true.
    setParam: nodeSize=2.
    setParam: maxTreeDepth=3.
    mode: ill(+person).
    mode: smokes(+person).
    <BLANKLINE>
    """

    def __init__(
        self,
        *,
        modes: list[str] | None = None,
        ok_if_unknown: list[str] | None = None,
        bridgers: list[str] | None = None,
        ranges: dict[str, list[str]] | None = None,
        number_of_clauses: int = 100,
        number_of_cycles: int = 100,
        recursion: bool = False,
        line_search: bool = False,
        use_std_logic_variables: bool = False,
        use_prolog_variables: bool = True,
        load_all_libraries: bool = False,
        load_all_basic_modes: bool = False,
    ) -> None:
        self.modes = modes
        self.ok_if_unknown = ok_if_unknown
        self.bridgers = bridgers
        self.ranges = ranges
        self.number_of_clauses = number_of_clauses
        self.number_of_cycles = number_of_cycles
        self.recursion = recursion
        self.line_search = line_search
        self.use_std_logic_variables = use_std_logic_variables
        self.use_prolog_variables = use_prolog_variables
        self.load_all_libraries = load_all_libraries
        self.load_all_basic_modes = load_all_basic_modes
        self.node_size = 2
        self.max_tree_depth = 3
        self._check()

    def _check(self) -> None:
        for name, kind in (("modes", list), ("ok_if_unknown", list), ("bridgers", list), ("ranges", dict)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise ValueError(f"`{name}` must be a {kind.__name__} or None, got {value!r}")
        for name in _COUNTS:
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"`{name}` must be an int of at least 1, got {value!r}")
        for name in _FLAGS:
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"`{name}` must be True or False, got {getattr(self, name)!r}")
        if self.use_std_logic_variables == self.use_prolog_variables:
            raise ValueError("exactly one of `use_std_logic_variables` and `use_prolog_variables` must be True")

    def _lines(self, settings: Mapping[str, Any], without: Collection[str]) -> list[str]:
        lines = []
        for name, notation in _SETTINGS.items():
            value = settings.get(name, getattr(self, name))
            if value is False or value is None or name in without and value == _DEFAULTS[name]:
                continue
            lines.append(notation.format(str(value).lower()))
        lines += [f"mode: {mode}" for mode in self.modes or []]
        lines += [f"okIfUnknown: {name}." for name in self.ok_if_unknown or []]
        lines += [f"bridger: {name}." for name in self.bridgers or []]
        lines += [f"range: {name}={{{', '.join(values)}}}." for name, values in (self.ranges or {}).items()]
        return lines

    def to_text(self, settings: Mapping[str, Any] | None = None, *, without_defaults: Collection[str] = ()) -> str:
        """Returns the text of a background file.

        ``settings`` replaces settings by name; ``without_defaults`` names those that are left out if
        they have srlearn's default.
        """
        return "".join(f"{line}\n" for line in self._lines(settings or {}, without_defaults))

    def write(self, filename: str = "train", location: str | os.PathLike[str] = pathlib.Path("train")) -> None:
        """Writes ``{filename}_bk.txt`` into a directory."""
        pathlib.Path(location, f"{filename}_bk.txt").write_text(str(self), encoding="utf-8")

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Background) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


def background_part(
    background: Background | str | os.PathLike[str] | None, modes: Sequence[str], keep_defaults: bool
) -> tuple[str, str | None] | None:
    """Returns the background as the extension module takes it: a text, or the path of a file."""
    if isinstance(background, Background):
        # With srlearn's defaults, those that the learners know count; without, their own do.
        return "background", background.to_text(without_defaults=_UNUSED if keep_defaults else tuple(_DEFAULTS))
    if background is not None:
        if not isinstance(background, (str, os.PathLike)):
            raise ValueError(f"`background` must be a Background, a path or None, got {background!r}")
        return os.fspath(background), None
    if modes:
        lines = (mode if mode.lstrip().startswith("mode:") else f"mode: {mode}" for mode in modes)
        return "modes", "".join(f"{line}\n" for line in lines)
    return None
