"""`sample_weight`: the same models as weights in files."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import lrbm
from lrbm.estimators import __all__ as NAMES

#: Kinds without weights; a test of every kind fails if one is missing here, or does not belong here.
IGNORED = {"MLNBoostClassifier", "RelationalProbabilityTreeClassifier"}


def weighted(sentences: list[str], weights: Any) -> list[str]:
    return [f"weight: {float(weight)!r} {sentence}" for sentence, weight in zip(sentences, weights)]


def learner(name: str) -> Any:
    classifier = getattr(lrbm, name)
    quick = {key: 3 for key in ("n_estimators", "epochs") if key in classifier().get_params()}
    return classifier(target="workedunder", **quick)


@pytest.fixture(scope="module")
def weights() -> Any:
    drawn = np.random.default_rng(4).uniform(0.1, 3.0, 1000)
    drawn[::7] = 0.0
    return drawn


@pytest.mark.filterwarnings("ignore:.*search-budget:lrbm.LrbmWarning")
@pytest.mark.parametrize("name", NAMES)
def test_weights_are_those_of_files(name: str, movies: lrbm.Database, weights: Any) -> None:
    count = len(movies.pos)
    pos, neg = weighted(movies.pos, weights[:count]), weighted(movies.neg, weights[count:])
    files = lrbm.Database(pos, neg, movies.facts, movies.modes)
    model = learner(name)
    if name in IGNORED:
        with pytest.warns(lrbm.LrbmWarning, match="have a weight other than 1, which .* ignores"):
            ignored = model.fit(movies, sample_weight=weights).model_.to_json()
        assert ignored == model.fit(movies).model_.to_json()
        return
    expected = model.fit(files).model_.to_json()
    assert model.fit(movies, sample_weight=weights).model_.to_json() == expected
    assert model.fit(movies).model_.to_json() != expected
    # Examples in another order; other weights replace those of a file.
    X = files.examples("workedunder")
    assert (X.sample_weight == weights).all() and (movies.examples("workedunder").sample_weight == 1).all()
    shuffled = np.random.default_rng(1).permutation(len(X))
    assert model.fit(movies.examples("workedunder")[shuffled], None, weights[shuffled]).model_.to_json() == expected
    even = model.fit(X, sample_weight=1.0).model_.to_json()
    assert even == model.fit(movies).model_.to_json()


def test_distillation_uses_weights(movies: lrbm.Database, weights: Any) -> None:
    ensemble = learner("LRBMBoostClassifier").fit(movies, sample_weight=weights)
    distilled = lrbm.ExplainableLRBMClassifier(n_estimators=3).distill(ensemble, movies, sample_weight=weights)
    whole = learner("ExplainableLRBMClassifier").fit(movies, sample_weight=weights)
    assert distilled.predict_proba(movies).tolist() == whole.predict_proba(movies).tolist()


def test_weights_follow_the_folds_of_scikit_learn() -> None:
    database, target = lrbm.datasets.generate("university")
    X = database.examples(target)
    weights = np.where(X.y, 2.0, 0.5)
    seen: list[int] = []

    class Recorder(lrbm.LRBMBoostClassifier):
        def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **rest: Any) -> Any:
            assert (sample_weight == np.where(y, 2.0, 0.5)).all()
            seen.append(len(sample_weight))
            return super().fit(X, y, sample_weight, **rest)

        __init__ = lrbm.LRBMBoostClassifier.__init__

    # `params` was called `fit_params` before scikit-learn 1.4.
    known = inspect.signature(cross_val_score).parameters
    given = {"params" if "params" in known else "fit_params": {"sample_weight": weights}}
    scores = cross_val_score(Recorder(n_estimators=2), X, X.y, cv=3, **given)
    assert len(scores) == 3 and sum(seen) == 2 * len(X)
    search = GridSearchCV(Recorder(), {"n_estimators": [1, 2]}, cv=2)
    search.fit(X, X.y, sample_weight=weights)
    direct = lrbm.LRBMBoostClassifier(**search.best_params_).fit(X, X.y, weights)
    assert search.best_estimator_.model_.to_json() == direct.model_.to_json()
    assert 0.0 <= direct.score(X, X.y, sample_weight=weights) <= 1.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], "`sample_weight` has 2 values for 8 examples"),
        ([1.0] * 7 + [-1.0], "between 0 and 1000, got -1 for example 7"),
        ([float("nan")] + [1.0] * 7, "between 0 and 1000, got NaN for example 0"),
        ([1001.0] + [1.0] * 7, "between 0 and 1000, got 1001 for example 0"),
        ([[1.0]] * 8, "got an array of shape"),
        ([0.0] * 8, "all have the weight 0"),
        (["heavy"] * 8, "could not convert"),
    ],
)
def test_invalid_weights(smokers: lrbm.Database, given: Any, message: str) -> None:
    model = lrbm.LRBMBoostClassifier(target="ill")
    for X in (smokers, smokers.examples("ill")):
        with pytest.raises(ValueError, match=message):
            model.fit(X, sample_weight=given)
