"""Writes lrbm/estimators.py: a classifier for each kind of model, from the registry of parameters.

Run it with the package installed after a parameter changes; a test compares the file.
"""

from __future__ import annotations

import pathlib
import sys
import textwrap
from typing import Any

if __name__ == "__main__":
    # The sources beside this file have no extension module, and would hide the installed package.
    sys.path.pop(0)

from lrbm import _core

# Names of srlearn for parameters that it has.
SRLEARN = {"trees": "n_estimators", "max_depth": "max_tree_depth", "train_negatives": "neg_pos_ratio"}

# Class, kinds, and what is added to the description.
CLASSES = [
    ("LRBMBoostClassifier", ["lrbm-boost"], ""),
    ("LRBMNoBoostClassifier", ["lrbm-noboost"], ""),
    ("ExplainableLRBMClassifier", ["lrbm-explainable"], "``distill`` fits the tree to a given ensemble."),
    ("BoostedRDNClassifier", ["rdn-boost"], "The first parameters and their defaults are those of srlearn."),
    ("MLNBoostClassifier", ["mln-boost"], ""),
    ("RelationalProbabilityTreeClassifier", ["rpt"], ""),
    ("ProgolClassifier", ["progol"], ""),
    ("RRBMClassifier", ["rrbm-c", "rrbm-e"], "Longer predicates are made binary (``arity``)."),
    ("LRNNClassifier", ["lrnn"], "``template`` replaces learned clauses."),
]

# Parameters of one class beside those of its kind: name, annotation, default, help.
EXTRA = {
    "RRBMClassifier": [
        ("inputs", "str", '"counts"', 'Inputs: "counts" of walks (rrbm-c), or their "existence" (rrbm-e)'),
        ("arity", "str", '"binary"', 'Arity of predicates: "binary" or "original"'),
    ],
    "LRNNClassifier": [
        ("template", "str | os.PathLike[str] | None", "None", "Rules to learn the weights of: a text, or a path"),
    ],
}

HEADER = '''"""The classifiers, one for each kind of model.

Written by generate_estimators.py from the registry of parameters; do not edit.
"""

from __future__ import annotations

import os

from .background import Background
from .base import RelationalClassifier
from .special import Distilled, NetworkFile, SrlearnForm, Template, WalkInputs

'''

BASES = {
    "ExplainableLRBMClassifier": "Distilled",
    "BoostedRDNClassifier": "SrlearnForm",
    "ProgolClassifier": "NetworkFile",
    "RRBMClassifier": "WalkInputs",
    "LRNNClassifier": "Template",
}


def wrapped(text: str, indent: str) -> str:
    return textwrap.fill(text, 96, initial_indent=indent, subsequent_indent=indent, break_long_words=False)


def shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def of_class(name: str, kinds: list[dict[str, Any]], note: str) -> str:
    parameters: dict[str, dict[str, Any]] = {}
    for kind in kinds:
        for parameter in kind["parameters"]:
            parameters.setdefault(parameter["name"], parameter)
    about = kinds[0]["about"] if len(kinds) == 1 else "restricted Boltzmann machine over random walks"
    about = about[0].upper() + about[1:]
    own = EXTRA.get(name, [])
    signature = ["background: Background | str | os.PathLike[str] | None = None"]
    docs = ["background : Background or path", "    Modes and settings; by default those of the Database."]
    assigned = ["background", "target"]
    rest = dict(parameters)
    if name == "BoostedRDNClassifier":
        signature += [
            'target: str | None = "None"',
            "n_estimators: int = 10",
            "node_size: int = 2",
            "max_tree_depth: int = 3",
            "neg_pos_ratio: int | float = 2",
            'solver: str | None = "BoostSRL"',
            "*",
        ]
        docs += [
            "target : str",
            "    Predicate to learn; by default that of the examples, if they have one predicate.",
            "n_estimators : int",
            "    Number of boosting rounds.",
            "node_size : int",
            "    Maximum number of literals in a test.",
            "max_tree_depth : int",
            "    Maximum number of tests on a path to a leaf.",
            "neg_pos_ratio : int",
            "    Maximum number of negatives per positive that trees are grown on, drawn at random.",
            "solver : str",
            "    Ignored: srlearn's choice of a Java program. There is one solver here, and it is not one of them.",
        ]
        assigned += ["n_estimators", "node_size", "max_tree_depth", "neg_pos_ratio", "solver"]
        for taken in ("trees", "node_size", "max_depth", "train_negatives"):
            del rest[taken]
    else:
        signature += ["*", "target: str | None = None"]
        docs += ["target : str", "    Predicate to learn; by default that of the examples, if they have one predicate."]
    for extra, annotation, default, help_text in own:
        signature.append(f"{extra}: {annotation} = {default}")
        docs += [f"{extra} : {annotation}", wrapped(help_text + ".", "    ")]
        assigned.append(extra)
    for parameter in rest.values():
        here = SRLEARN.get(parameter["name"], parameter["name"])
        signature.append(f"{here}: {parameter['type']} | None = None")
        docs.append(f"{here} : {parameter['type']}")
        help_text = parameter["help"].replace("train_negatives", SRLEARN["train_negatives"])
        default = shown(parameter["default"])
        if name == "BoostedRDNClassifier" and here == "redraw_negatives":
            default = "True if negatives are drawn, as srlearn does"
        docs.append(wrapped(f"{help_text} ({parameter['accepts']}) [default: {default}].", "    "))
        assigned.append(here)
    if "node_size" in parameters:
        signature.append("preset: str | None = None")
        docs += ["preset : str", '    Preset of the candidate tests: "paper", "lookahead", "extended" or "auto", chosen on training examples.']
        assigned.append("preset")
    if "recursive" in parameters:
        signature.append("symmetric: bool = False")
        docs += ["symmetric : bool", "    With recursive=True: treat p(a,b) and p(b,a) as equivalent."]
        assigned.append("symmetric")
    names = {SRLEARN.get(key, key): key for key in parameters}
    base = f"{BASES[name]}, RelationalClassifier" if name in BASES else "RelationalClassifier"
    lines = [f"class {name}({base}):"]
    lines.append(f'    """{about}.')
    if note:
        lines += ["", f"    {note}"]
    lines += ["", "    Parameters", "    ----------"]
    lines += [textwrap.indent(doc, "    ") for doc in docs]
    lines += ['    """', "", f'    _kind = "{kinds[0]["name"]}"', "    _parameters = {"]
    lines += [f'        "{here}": "{key}",' for here, key in names.items()]
    lines += ["    }", "", "    def __init__(", "        self,"]
    lines += [f"        {part}," for part in signature]
    lines += ["    ) -> None:"]
    lines += [f"        self.{attribute} = {attribute}" for attribute in assigned]
    return "\n".join(lines) + "\n"


def text() -> str:
    kinds = {kind["name"]: kind for kind in _core.kinds()}
    classes = [of_class(name, [kinds[kind] for kind in names], note) for name, names, note in CLASSES]
    every = ",\n".join(f'    "{name}"' for name, _, _ in CLASSES)
    return HEADER + "\n" + "\n\n".join(classes) + f"\n\n__all__ = [\n{every},\n]\n"


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "lrbm/estimators.py"
    path.write_text(text(), encoding="utf-8")
