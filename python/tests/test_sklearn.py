"""scikit-learn: cloning, parameters, pickles, searches, and its own checks."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import lrbm
from lrbm.estimators import __all__ as NAMES

CLASSIFIERS = [getattr(lrbm, name) for name in NAMES]


@pytest.fixture(scope="module")
def university() -> lrbm.Examples:
    database, target = lrbm.datasets.generate("university")
    return database.examples(target)


def test_examples_share_their_facts(university: lrbm.Examples) -> None:
    half = university[np.arange(0, len(university), 2)]
    assert len(half) == (len(university) + 1) // 2 and half._data is university._data
    assert half.atoms == university.atoms[::2] and half.y.tolist() == university.y[::2].tolist()
    assert university[university.y].y.all() and not university[~university.y].y.any()
    assert university[3:5].atoms == [university[3], university[4]]
    assert len(university[[]]) == 0
    assert university[-1] == university.atoms[-1]
    with pytest.raises(IndexError):
        university[len(university)]
    restored = pickle.loads(pickle.dumps(half))
    assert restored.atoms == half.atoms and restored.y.tolist() == half.y.tolist()


def test_subsets_are_learned_from_alone(university: lrbm.Examples) -> None:
    """A fold of examples gives the model of a database with these examples."""
    database, target = lrbm.datasets.generate("university")
    rng = np.random.default_rng(3)
    kept = np.sort(rng.choice(len(university), 60, replace=False))
    pos = [database.pos[i] for i in kept if i < len(database.pos)]
    neg = [database.neg[i - len(database.pos)] for i in kept if i >= len(database.pos)]
    small = lrbm.Database(pos, neg, database.facts, database.modes)
    of_database = lrbm.LRBMBoostClassifier(target=target, n_estimators=4).fit(small)
    of_examples = lrbm.LRBMBoostClassifier(n_estimators=4).fit(university[kept])
    assert of_database.predict_proba(database).tolist() == of_examples.predict_proba(database).tolist()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_clone_and_parameters(classifier: type) -> None:
    model = classifier(target="p", seed=3)
    assert is_classifier(model)
    copy = clone(model)
    assert copy is not model and copy.get_params() == model.get_params()
    copy.set_params(seed=4)
    assert copy.seed == 4 and model.seed == 3
    with pytest.raises(ValueError, match="Invalid parameter"):
        copy.set_params(sed=4)
    with pytest.raises(NotFittedError):
        model.predict(lrbm.Database())


@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_pickles(classifier: type, movies: lrbm.Database) -> None:
    quick = {key: 2 for key in ("n_estimators", "epochs") if key in classifier().get_params()}
    model = classifier(target="workedunder", **quick).fit(movies)
    restored = pickle.loads(pickle.dumps(model))
    assert restored.predict_proba(movies).tolist() == model.predict_proba(movies).tolist()
    assert restored.classes_.tolist() == [False, True]
    assert restored.get_params() == model.get_params()


def test_cross_validation(university: lrbm.Examples) -> None:
    model = lrbm.LRBMBoostClassifier(n_estimators=5)
    areas = cross_val_score(model, university, university.y, cv=3, scoring="roc_auc")
    assert areas.shape == (3,) and (areas > 0.9).all()
    probabilities = cross_val_predict(model, university, university.y, cv=3, method="predict_proba")
    assert probabilities.shape == (len(university), 2)
    assert np.allclose(probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_grid_search(university: lrbm.Examples, jobs: int) -> None:
    grid = {"n_estimators": [1, 4], "node_size": [1, 2]}
    folds = StratifiedKFold(3, shuffle=True, random_state=1)
    search = GridSearchCV(lrbm.LRBMBoostClassifier(), grid, cv=folds, scoring="neg_log_loss", n_jobs=jobs)
    search.fit(university, university.y)
    assert search.best_params_["n_estimators"] == 4
    assert search.best_estimator_.predict(university).shape == (len(university),)


def test_pipelines(university: lrbm.Examples) -> None:
    pipeline = make_pipeline("passthrough", lrbm.RelationalProbabilityTreeClassifier())
    assert pipeline.fit(university, university.y).score(university, university.y) > 0.8


def test_examples_of_another_target_are_an_error(movies: lrbm.Database, university: lrbm.Examples) -> None:
    model = lrbm.LRBMBoostClassifier(target="workedunder", n_estimators=2).fit(movies)
    for method in (model.predict_proba, model.predict, model.decision_function):
        with pytest.raises(lrbm.DataError, match="predicts workedunder/2, and the examples are of advisedby/2") as raised:
            method(university)
        assert raised.value.diagnostics == []
    with pytest.raises(lrbm.DataError, match="the examples are of advisedby/2"):
        model.explain("workedunder(person5, person7)", university)
    modes = ["shape(+thing,#kind!1).", "big(+thing)."]

    def things(*kinds: str) -> lrbm.Examples:
        pos = [f"shape(t{number},{kind})." for number, kind in enumerate(kinds * 4)]
        return lrbm.Database(pos, [], ["big(t0).", "big(t1)."], modes).examples("shape")

    shapes = lrbm.LRBMBoostClassifier(n_estimators=2).fit(things("cone", "cube", "ring"))
    assert shapes.predict_proba(things("cone", "ring")).shape == (8, 3)
    with pytest.raises(lrbm.DataError, match="there are examples of class disk"):
        shapes.predict_proba(things("cone", "disk"))


@pytest.mark.filterwarnings("ignore:.*repeated examples:lrbm.LrbmWarning")
def test_scores_need_no_labels(university: lrbm.Examples) -> None:
    """Accuracies by default compare with the labels of the data."""
    model = lrbm.LRBMBoostClassifier(n_estimators=1, max_leaves=2).fit(university[::5])
    right = model.predict(university) == university.y
    assert 0.5 < model.score(university) == model.score(university, university.y) == right.mean() < 1.0
    weights = np.where(right, 0.0, 1.0)
    assert model.score(university, sample_weight=weights) == 0.0
    database, _ = lrbm.datasets.generate("university")
    database.pos = [*database.pos, database.pos[0]]
    assert model.score(database) == model.score(university)
    shapes, target = lrbm.datasets.generate("movies-classes")
    several = lrbm.LRBMBoostClassifier(target=target, n_estimators=2).fit(shapes)
    assert several.score(shapes) == (several.predict(shapes) == shapes.examples(target).y).mean()


def test_other_labels(university: lrbm.Examples) -> None:
    model = lrbm.LRBMBoostClassifier(n_estimators=2)
    own = model.fit(university).decision_function(university)
    assert (model.fit(university, university.y.astype(int)).decision_function(university) == own).all()
    assert (model.fit(university, ~university.y).decision_function(university) != own).any()
    with pytest.raises(ValueError, match="labels"):
        model.fit(university, university.y[:-1])
    with pytest.raises(ValueError, match="True and False"):
        model.fit(university, np.arange(len(university)))


#: Checks that need no array of numbers.
APPLICABLE = {
    "check_do_not_raise_errors_in_init_or_set_param",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimators_unfitted",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
}

#: Checks that fit an array of numbers and expect another error for it than a TypeError that asks for
#: a Database or Examples. Every other check that fails does so with this error.
OTHER_ERROR = {
    "check_classifiers_one_label": "of one class nothing can be learned, and an array is no input",
    "check_classifiers_one_label_sample_weights": "an array is no input; weights 0 of a class have an error of their own",
    "check_classifiers_regression_target": "an array is no input, whatever the labels",
    "check_classifiers_train": "an array is no input, whatever the number of labels",
    "check_estimator_sparse_array": "neither dense nor sparse arrays are inputs",
    "check_estimator_sparse_matrix": "neither dense nor sparse arrays are inputs",
    "check_estimator_sparse_tag": "neither dense nor sparse arrays are inputs",
    "check_estimators_empty_data_messages": "an array is no input, also without rows",
    "check_estimators_nan_inf": "facts have no missing or infinite numbers",
    "check_positive_only_tag_during_fit": "an array is no input, also of positive numbers",
    "check_supervised_y_no_nan": "an array is no input, whatever the labels",
}


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_check_estimator(classifier: type) -> None:
    from sklearn.utils.estimator_checks import check_estimator

    if "on_fail" not in inspect.signature(check_estimator).parameters:
        pytest.skip("scikit-learn before 1.6 stops at the first check that fails")

    class Checked(classifier):  # type: ignore[misc]
        """The classifier, as if it took arrays: otherwise nothing is checked."""

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.input_tags.two_d_array = True
            tags.no_validation = False
            return tags

    results = check_estimator(Checked(), on_skip=None, on_fail=None)
    passed = {result["check_name"] for result in results if result["status"] == "passed"}
    assert APPLICABLE <= {name.removesuffix("s") for name in passed} | passed, APPLICABLE - passed
    for result in results:
        if result["status"] == "failed" and result["check_name"] not in OTHER_ERROR:
            assert "expected a Database or Examples" in str(result["exception"]), result["check_name"]


def test_arrays_are_an_error_that_says_what_to_pass() -> None:
    with pytest.raises(TypeError, match="expected a Database or Examples, got ndarray: .* not a matrix"):
        lrbm.LRBMBoostClassifier(target="p").fit(np.zeros((3, 2)))
    frame = pytest.importorskip("pandas").DataFrame({"a": [1]})
    with pytest.raises(TypeError, match="got DataFrame: .*lrbm.import_frames"):
        lrbm.LRBMBoostClassifier(target="p").fit(frame)
