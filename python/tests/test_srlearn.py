"""The doctests of the installed srlearn package, with its name replaced at test time."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
import types
import warnings
from typing import Any, Iterator

import pytest

import lrbm
import lrbm.background
import lrbm.database
import lrbm.rdn
from conftest import ROOT

srlearn = pytest.importorskip("srlearn")

#: Doctests that cannot pass, and why.
CANNOT = {
    "srlearn.rdn.BoostedRDNRegressor": "a NotImplementedError: there is no regression here; and the files of its data are not installed",
    "srlearn.example_data": "a module of data that srlearn deprecates; the doctest prints an ellipsis it does not enable",
    "srlearn.datasets._toy_father": "it names a variable that it does not define",
    "srlearn.datasets._toy_father.load_toy_father": "the doctest prints an ellipsis that it does not enable",
    "srlearn.datasets._toy_cancer.load_toy_cancer": "the doctest prints an ellipsis that it does not enable",
    "srlearn.system_manager.FileSystem": "there are no directories of a Java program to manage",
    "srlearn.system_manager.reset": "all its examples are skipped by srlearn",
    "srlearn.boostsrl.test._float_split": "a private parser of the output of the Java program, on an undefined name",
}

MODULES = ["background", "database", "rdn", "base", "example_data", "system_manager", "boostsrl", "plotting"]
MODULES += ["datasets._toy_cancer", "datasets._toy_father"]


def _doctests() -> Iterator[doctest.DocTest]:
    finder = doctest.DocTestFinder()
    for name in MODULES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = importlib.import_module(f"srlearn.{name}")
        for found in finder.find(module):
            if found.examples:
                yield found


FOUND = list(_doctests())


def _databases(load: Any) -> Any:
    """Returns a loader of srlearn's data as databases of ours: the data stay where they are."""

    def loader() -> tuple[lrbm.Database, ...]:
        return tuple(lrbm.Database(data.pos, data.neg, data.facts, data.modes) for data in load())

    return loader


@pytest.fixture()
def replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adds the data of srlearn as a module of ours."""
    datasets = types.ModuleType("lrbm.datasets")
    for name in ("load_toy_cancer", "load_toy_father"):
        setattr(datasets, name, _databases(getattr(importlib.import_module("srlearn.datasets"), name)))
    monkeypatch.setitem(sys.modules, "lrbm.datasets", datasets)


@pytest.mark.parametrize("found", [test for test in FOUND if test.name not in CANNOT], ids=lambda test: test.name)
def test_doctest(found: doctest.DocTest, replaced: None) -> None:
    examples = [
        doctest.Example(
            example.source.replace("srlearn", "lrbm"), example.want, options=example.options, lineno=example.lineno
        )
        for example in found.examples
    ]
    assert any("lrbm" in example.source for example in examples)
    test = doctest.DocTest(examples, {}, found.name, found.filename, found.lineno, None)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)


def test_those_that_cannot_are_listed() -> None:
    names = {test.name for test in FOUND}
    assert set(CANNOT) <= names, set(CANNOT) - names
    assert len(names - set(CANNOT)) >= 5


def test_results_of_its_own_tests(replaced: None) -> None:
    """What srlearn's tests expect of the toy data: estimators, importances, predictions, files."""
    train, test = sys.modules["lrbm.datasets"].load_toy_cancer()  # type: ignore[attr-defined]
    model = lrbm.BoostedRDNClassifier(background=lrbm.Background(modes=train.modes), target="cancer").fit(train)
    assert len(model.estimators_) == 10
    assert model.feature_importances_.most_common(1)[0] == ("smokes", 10)
    assert model.predict(test).tolist() == [1, 1, 1, 0, 0]


def test_databases_of_srlearn_are_accepted() -> None:
    """Anything with pos, neg and facts is a database."""
    train, test = importlib.import_module("srlearn.datasets").load_toy_cancer()
    model = lrbm.LRBMBoostClassifier(background=lrbm.Background(modes=train.modes), target="cancer").fit(train)
    assert model.predict(test).tolist() == [True, True, True, False, False]


def test_regression_is_an_error_that_says_so() -> None:
    from lrbm.rdn import BoostedRDNRegressor

    with pytest.raises(NotImplementedError, match="models predict classes, not numbers; use srlearn"):
        BoostedRDNRegressor(background=lrbm.Background(), target="medv", n_estimators=5)


def test_backgrounds_are_written_alike() -> None:
    for settings in (
        {},
        {"modes": ["p(+a)."], "number_of_clauses": 8, "line_search": True, "recursion": True},
        {"ranges": {"color": ["red", "blue"]}, "bridgers": ["q/2"], "ok_if_unknown": ["r/1"]},
        {"use_std_logic_variables": True, "use_prolog_variables": False, "load_all_libraries": True},
    ):
        assert str(lrbm.Background(**settings)) == str(srlearn.Background(**settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("n_estimators", [0, -1, None, bool, 1.5, "None"])
def test_invalid_parameters_are_value_or_type_errors(n_estimators: Any, smokers: lrbm.Database) -> None:
    model = lrbm.BoostedRDNClassifier(target="ill", n_estimators=n_estimators)
    if n_estimators is None:
        model.fit(smokers)
        return
    with pytest.raises((ValueError, TypeError), match="n_estimators"):
        model.fit(smokers)


def test_the_recorded_comparison_is_that_of_its_runs() -> None:
    """`results/srlearn.md` is the page of `results/srlearn.csv`."""
    command = [sys.executable, str(ROOT / "scripts/compare_srlearn"), "--recorded", str(ROOT / "results/srlearn.csv")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert printed == (ROOT / "results/srlearn.md").read_text(encoding="utf-8")
