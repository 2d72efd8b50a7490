"""Probabilities equal those of the command line bit by bit, for all kinds on three datasets."""

from __future__ import annotations

import csv
import json
import pathlib
from typing import Any, Callable

import numpy as np
import pytest
from sklearn.base import clone

import lrbm

# Class, kind, parameters there and here.
KINDS: list[tuple[type, str, dict[str, Any], dict[str, Any]]] = [
    (lrbm.LRBMBoostClassifier, "lrbm-boost", {"trees": 3}, {"n_estimators": 3}),
    (lrbm.LRBMBoostClassifier, "lrbm-boost", {"trees": 3, "recursive": "true"}, {"n_estimators": 3, "recursive": True}),
    (lrbm.LRBMNoBoostClassifier, "lrbm-noboost", {"max_depth": 4}, {"max_tree_depth": 4}),
    (lrbm.ExplainableLRBMClassifier, "lrbm-explainable", {"trees": 3}, {"n_estimators": 3}),
    (
        lrbm.BoostedRDNClassifier,
        "rdn-boost",
        {"trees": 3, "node_size": 1, "max_depth": 3, "train_negatives": 2, "redraw_negatives": "true", "seed": 5},
        {"n_estimators": 3, "node_size": 1, "max_tree_depth": 3, "neg_pos_ratio": 2, "seed": 5},
    ),
    (
        lrbm.BoostedRDNClassifier,
        "rdn-boost",
        {"trees": 3, "max_depth": 3, "node_size": 2},
        {"n_estimators": 3, "neg_pos_ratio": None},
    ),
    (lrbm.MLNBoostClassifier, "mln-boost", {"trees": 2}, {"n_estimators": 2}),
    (lrbm.RelationalProbabilityTreeClassifier, "rpt", {}, {}),
    (lrbm.ProgolClassifier, "progol", {"clause_length": 3}, {"clause_length": 3}),
    (lrbm.RRBMClassifier, "rrbm-c", {"epochs": 3, "walk_length": 3}, {"epochs": 3, "walk_length": 3}),
    (
        lrbm.RRBMClassifier,
        "rrbm-e",
        {"epochs": 3, "walk_length": 3},
        {"inputs": "existence", "epochs": 3, "walk_length": 3},
    ),
    (lrbm.LRNNClassifier, "lrnn", {"epochs": 3, "clause_length": 3}, {"epochs": 3, "clause_length": 3}),
]
NAMED = ("recursive", "redraw_negatives")
IDS = ["-".join([kind, *(name for name in NAMED if name in there)]) for _, kind, there, _ in KINDS]


def predicted(program: Callable[..., str], model: pathlib.Path, *data: object) -> list[tuple[str, float, float]]:
    scores = model.with_suffix(".csv")
    program("predict", "--model", model, *data, "--out", scores)
    with open(scores, newline="", encoding="utf-8") as file:
        return [(row["example"], float(row["psi"]), float(row["probability"])) for row in csv.DictReader(file)]


# Some have warnings, which the command line is told not to print.
@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
@pytest.mark.parametrize("domain", ["movies", "university", "documents"])
@pytest.mark.parametrize(("classifier", "kind", "there", "here"), KINDS, ids=IDS)
def test_directories(
    program: Callable[..., str],
    tmp_path: pathlib.Path,
    domain: str,
    classifier: type,
    kind: str,
    there: dict[str, Any],
    here: dict[str, Any],
) -> None:
    program("datasets", "generate", domain, "--out", tmp_path / "data")
    database = lrbm.Database.from_directory(tmp_path / "data")
    target = lrbm.datasets.generate(domain)[1]
    settings = [part for key, value in there.items() for part in ("--set", f"{key}={value}")]
    arity = ["--arity", "binary"] if kind.startswith("rrbm") else []
    model = tmp_path / "model.json"
    program("train", "--data", tmp_path / "data", "--target", target, "--kind", kind, *settings, *arity, "--out", model)
    expected = predicted(program, model, "--data", tmp_path / "data")

    learned = classifier(target=target, **here).fit(database)
    assert learned.model_.to_json() == model.read_text(encoding="utf-8")
    assert learned.predict_proba(database).tolist() == [probability for _, _, probability in expected]
    assert learned.decision_function(database).tolist() == [psi for _, psi, _ in expected]

    # Examples give the same, also in another order. They lack facts of the target to be recursive.
    examples = database.examples(target)
    assert examples.atoms == [atom for atom, _, _ in expected]
    shuffled = np.random.default_rng(1).permutation(len(examples))
    probabilities = learned.predict_proba(examples[shuffled])[:, 1]
    assert probabilities.tolist() == [expected[index][2] for index in shuffled]

    # A file of either is one of the other.
    learned.to_json(tmp_path / "ours.json")
    assert predicted(program, tmp_path / "ours.json", "--data", tmp_path / "data") == expected
    restored = classifier().from_json(model)
    assert restored.predict_proba(database).tolist() == [probability for _, _, probability in expected]
    if "parameters" in json.loads(learned.model_.to_json()):
        # Files have the parameters of training, with those that are omitted at their default.
        assert clone(restored).fit(database).model_.to_json() == learned.model_.to_json()


def test_classes(program: Callable[..., str], tmp_path: pathlib.Path) -> None:
    program("datasets", "generate", "movies-classes", "--out", tmp_path / "data")
    database = lrbm.Database.from_directory(tmp_path / "data")
    model = tmp_path / "model.json"
    program(
        "train", "--data", tmp_path / "data", "--target", "collaborated", "--set", "trees=3", "--out", model
    )
    scores = tmp_path / "scores.csv"
    program("predict", "--model", model, "--data", tmp_path / "data", "--out", scores)
    with open(scores, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    learned = lrbm.LRBMBoostClassifier(target="collaborated", n_estimators=3).fit(database)
    assert len(learned.classes_) == 4
    expected = [[float(row[f"probability_{k}"]) for k in range(4)] for row in rows]
    assert learned.predict_proba(database).tolist() == expected
    assert learned.predict(database).tolist() == [row["decision"] for row in rows]
    examples = database.examples("collaborated")
    assert examples.y.tolist() == [row["class"] for row in rows]


@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
@pytest.mark.parametrize("dataset", ["imdb", "uwcse"])
def test_folds(program: Callable[..., str], tmp_path: pathlib.Path, dataset: str, monkeypatch: Any) -> None:
    from conftest import ROOT

    monkeypatch.chdir(ROOT)
    model = tmp_path / "model.json"
    try:
        train, test = lrbm.datasets.load_fold(dataset, 2)
    except ValueError as error:
        pytest.skip(f"{dataset} is not fetched: {error}")
    fold = ("--data", dataset, "--fold", 2)
    program("train", *fold, "--set", "trees=5", "--set", "seed=7", "--out", model)
    expected = predicted(program, model, *fold)
    learned = lrbm.LRBMBoostClassifier(n_estimators=5, seed=7).fit(train)
    assert learned.predict_proba(test)[:, 1].tolist() == [probability for _, _, probability in expected]
