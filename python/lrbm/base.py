"""What all classifiers have in common."""

from __future__ import annotations

import json
import os
import pathlib
from collections import Counter
from typing import Any, Callable, ClassVar, Mapping

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._warnings import warn
from .background import Background
from .database import check_database, load, parts
from .examples import Examples
from .explanation import Explanation, fitted
from .frames import make_frame

#: Called with the number of steps done and of all steps; or a tqdm bar.
ProgressCallback = Callable[[int, int], object]


class _Predictor:
    """Predictions and explanations of a model."""

    model_: _core.Model
    _training: _core.Data | None = None

    def _check_fitted(self) -> None:
        """Checks that there is a model."""

    def _data(self, X: Any, *, query: bool = False) -> tuple[_core.Data, list[int] | None]:
        """Returns the data of examples or of a database, and the indices of the examples."""
        if isinstance(X, Examples):
            return X._data, X._indices.tolist()
        given = parts(X, None, False)
        background = getattr(self, "background", None)
        if isinstance(background, Background) and background.use_std_logic_variables:
            # Facts are written as those of training; the modes are those of the model.
            name, text = given["background"] or ("background", "")
            given["background"] = name, text if text is None else f"useStdLogicVariables: true.\n{text}"
        data = _core.Data.prepare(self.model_, query=query, **given)
        warn(data.warnings())
        if data.duplicates and not query:
            warn([f"{data.duplicates} repeated examples are predicted once: there are {len(data)} predictions"])
        return data, None

    def _scores(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns log-odds and probabilities: a row for the target, or for each class."""
        self._check_fitted()
        data, indices = self._data(X)
        odds, probabilities, warnings = self.model_.score(data, indices)
        warn(warnings)
        return np.asarray(odds, dtype=np.float64), np.asarray(probabilities, dtype=np.float64)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Returns the log-odds of the target; with several classes, a column for each."""
        odds, _ = self._scores(X)
        return odds[0] if self.model_.classes is None else odds.T

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Returns probabilities.

        For a Database, as in srlearn, the probability of the target for each example: positives,
        then negatives. For Examples, as in scikit-learn, a row for each example and a column for
        each class. With several classes, both give a column for each.
        """
        _, probabilities = self._scores(X)
        if self.model_.classes is not None:
            return probabilities.T
        positive = probabilities[0]
        return np.column_stack([1.0 - positive, positive]) if isinstance(X, Examples) else positive

    def predict(self, X: Any) -> NDArray[Any]:
        """Returns True where the probability of the target is above 0.5, or the likeliest class."""
        odds, probabilities = self._scores(X)
        names = self.model_.classes
        if names is None:
            above: NDArray[Any] = probabilities[0] > 0.5
            return above
        likeliest: NDArray[Any] = np.array(names)[odds.argmax(axis=0)]
        return likeliest

    def explain(
        self,
        query: str,
        X: Any = None,
        *,
        class_name: str | None = None,
        threshold: float = 0.5,
        tries: int | None = None,
        allow_unknown: bool = False,
        top: int = 10,
    ) -> Explanation:
        """Explains the prediction for a query such as ``"smokes(ann)"``.

        Parameters
        ----------
        query : str
            An atom of the target.
        X : Database or Examples
            The facts; by default those of training.
        class_name : str
            Of several classes, the one to explain; by default the predicted one.
        threshold : float
            Probability above which the target is predicted to be true.
        tries : int
            Number of single-fact changes to try, to find those that reverse the decision.
        allow_unknown : bool
            Allow constants that the data do not mention.
        top : int
            Number of rules in the text.
        """
        self._check_fitted()
        if X is not None:
            data, _ = self._data(X, query=True)
        elif self._training is not None:
            data = self._training
        else:
            raise ValueError("the facts of training are not stored with the model: pass a Database or Examples")
        found = self.model_.explain(data, query, class_name, threshold, tries, allow_unknown, top)
        warn(found[3])
        return Explanation(*found[:3])

    def rules(self, frame: str | None = None) -> Any:
        """Returns the rules as a data frame, the strongest first for trees and networks.

        ``adds`` is what a rule that becomes true adds to the log-odds; ``weight`` is the weight of a
        clause or template rule. With several classes there is a column for each class. ``frame`` is
        ``"polars"`` or ``"pandas"``; by default the one that is installed, or else a dict of lists.
        """
        self._check_fitted()
        found = self.model_.rules()
        columns: dict[str, list[Any]] = {
            "number": list(range(1, len(found) + 1)),
            "rule": [clause for clause, _ in found],
        }
        names = self.model_.classes
        network = self.model_.kind not in ("mln-boost", "rrbm-c", "rrbm-e", "lrnn")
        if network and names is not None and len(names) > 2:
            columns.update({name: [weights[k] for _, weights in found] for k, name in enumerate(names)})
        elif all(weights for _, weights in found):
            columns["adds" if network else "weight"] = [weights[0] for _, weights in found]
        return make_frame(columns, frame)

    def describe(self) -> str:
        """Returns the model as weighted clauses."""
        self._check_fitted()
        return self.model_.describe()

    def to_dot(self) -> str:
        """Returns the trees or the network in Graphviz's language."""
        self._check_fitted()
        return self.model_.to_dot()

    def to_svg(self) -> str:
        """Returns a drawing of the network: predicates, rules and classes."""
        self._check_fitted()
        return self.model_.to_svg()

    def to_json(self, file_name: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command line reads as well."""
        self._check_fitted()
        pathlib.Path(file_name).write_text(self.model_.to_json(), encoding="utf-8")

    @property
    def feature_importances_(self) -> Counter[str]:
        """How often the tests or rules mention each predicate."""
        self._check_fitted()
        return Counter(dict(self.model_.predicate_counts()))


class Network(_Predictor):
    """One lifted restricted Boltzmann machine; see :meth:`RelationalClassifier.to_network`."""

    def __init__(self, model: _core.Model, training: _core.Data | None = None) -> None:
        self.model_ = model
        self._training = training

    @staticmethod
    def from_json(file_name: str | os.PathLike[str]) -> "Network":
        """Reads a network from a model file."""
        model = _core.Model.from_json(pathlib.Path(file_name).read_text(encoding="utf-8"))
        return Network(model.to_network("exact", False))

    def __reduce__(self) -> tuple[Any, ...]:
        return Network, (self.model_,)

    def __str__(self) -> str:
        return self.describe()

    def __repr__(self) -> str:
        return f"<Network for {self.model_.target[0]}/{self.model_.target[1]}: {self.model_.size}>"

    def _repr_svg_(self) -> str:
        return fitted(self.to_svg())


class RelationalClassifier(_Predictor, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the classifiers, one for each kind of model.

    ``fit`` takes a :class:`lrbm.Database` or, as scikit-learn does, :class:`lrbm.Examples`.
    Parameters that are None have the value of the preset, of the background's settings, or the
    default of the learner, in this order.

    Attributes
    ----------
    model_ : the learned model
    classes_ : array of False and True, or of the names of several classes
    estimators_ : list of str, the trees as clauses
    feature_importances_ : Counter of predicates
    """

    #: The kind of model.
    _kind: ClassVar[str] = ""
    #: The parameters of the kind by their names here.
    _parameters: ClassVar[Mapping[str, str]] = {}
    #: Whether settings of a background count that have srlearn's defaults.
    _srlearn_defaults: ClassVar[bool] = False

    background: Background | str | os.PathLike[str] | None
    target: str | None
    classes_: NDArray[Any]

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, progress: ProgressCallback | None = None
    ) -> Any:
        """Learns a model.

        Parameters
        ----------
        X : Database or Examples
            Facts and examples.
        y : array, optional
            Labels of Examples; by default their own.
        sample_weight : array, optional
            Weight of each example, from 0 to 1000; by default those of the data, which are 1 unless
            a file says otherwise. For a Database in the order of its predictions: positives, then
            negatives. Kinds that do not use weights issue a warning.
        progress : callable or tqdm bar, optional
            Called with the number of steps done and of all steps. An exception ends training.
        """
        return self._fit(X, y, sample_weight, progress, None)

    def _fit(self, X: Any, y: Any, sample_weight: Any, progress: Any, ensemble: _core.Model | None) -> Any:
        params = self._settings()
        given = [(self._parameters[name], value) for name, value in params.items() if value is not None]
        target = None if self.target in (None, "None") else self.target
        if target is None and ensemble is not None:
            target = ensemble.target[0]
        if target is not None and not isinstance(target, str):
            raise ValueError(f"`target` must be the name of a predicate, got {target!r}")
        rules = getattr(self, "_template_text", None)
        if isinstance(X, Examples):
            data, indices = X._data, X._indices.tolist()
            if target is not None and target != X.target:
                raise ValueError(f"`target` is {target}, but the examples are of {X.target}")
        else:
            check_database(X)
            if y is not None:
                raise ValueError("a Database has its labels: pass Examples to give other ones as `y`")
            free = rules is not None or ensemble is not None or params.get("recursive") is True
            data = load(
                X,
                self.background,
                target,
                keep_defaults=self._srlearn_defaults,
                needs_modes=not free,
                one_target=True,
            )
            indices = None
        weights = None
        if sample_weight is not None:
            weights = _weights(sample_weight, len(data) if indices is None else len(indices))
        names = data.classes
        classes = np.array([False, True] if names is None else names)
        model, warnings = _core.fit(
            data=data,
            indices=indices,
            labels=None if y is None else _encode(y, classes),
            weights=weights,
            kind=self._kind_name(),
            params=given,
            preset=getattr(self, "preset", None),
            binary=getattr(self, "arity", None) == "binary",
            symmetric=bool(getattr(self, "symmetric", None)),
            ensemble=ensemble,
            rules=rules,
            progress=_callback(progress),
        )
        warn(warnings)
        self.model_ = model
        self.classes_ = classes
        self._training = data
        return self

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Returns the accuracy: the share of examples, by weight, that ``predict`` is right about.

        ``y`` has the labels of ``X``, by default its own.
        """
        self._check_fitted()
        if y is None:
            data, indices = self._data(X)
            labels = np.asarray(data.labels(), dtype=np.intp)
            names = data.classes
            y = np.array([False, True] if names is None else names)[labels if indices is None else labels[indices]]
        return float(super().score(X, y, sample_weight))

    def _check_fitted(self) -> None:
        check_is_fitted(self, "model_")

    def _kind_name(self) -> str:
        return self._kind

    def _settings(self) -> dict[str, Any]:
        """Returns the parameters by their names here."""
        return {name: getattr(self, name) for name in self._parameters}

    @property
    def estimators_(self) -> list[str]:
        """The trees as clauses, for kinds that grow trees."""
        self._check_fitted()
        _, *trees = self.model_.describe().split("\n% tree ")
        return [f"% tree {tree}".rstrip() + "\n" for tree in trees]

    def to_network(self, method: str = "exact", *, merge: bool | None = None) -> Network:
        """Converts the trees to one lifted RBM: exactly, or as in the paper (``"paper"``).

        ``merge`` adds up equivalent rules; by default for exact networks, whose predictions it does
        not change.
        """
        self._check_fitted()
        return Network(self.model_.to_network(method, method == "exact" if merge is None else merge), self._training)

    def from_json(self, file_name: str | os.PathLike[str]) -> Any:
        """Reads a model file of this kind with its parameters; returns the classifier."""
        text = pathlib.Path(file_name).read_text(encoding="utf-8")
        model = _core.Model.from_json(text)
        header = json.loads(text)
        kind = model.kind
        self._check_kind(kind, file_name)
        values: dict[str, Any] = {}
        if "parameters" in header:
            # A parameter that the file omits has the default of the learner.
            stored = header["parameters"]
            values = {name: stored.get(key) for name, key in self._parameters.items()}
            if "redraw_negatives" in values and values["redraw_negatives"] is None:
                values["redraw_negatives"] = False
        if "seed" in self._parameters and "seed" in header:
            values["seed"] = header["seed"]
        self.set_params(target=model.target[0], **values)
        self.model_ = model
        names = model.classes
        self.classes_ = np.array([False, True] if names is None else names)
        self._training = None
        return self

    def _check_kind(self, kind: str | None, file_name: Any) -> None:
        if kind != self._kind:
            raise ValueError(
                f"{os.fspath(file_name)}: a model of kind {kind or 'network'}; {type(self).__name__} reads {self._kind}"
            )

    def __getstate__(self) -> dict[str, Any]:
        # The facts of training are not part of the model.
        state = dict(super().__getstate__())
        state.pop("_training", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Rows of `X` are atoms, whose facts are beside them.
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


def _encode(y: Any, classes: NDArray[Any]) -> list[int]:
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"`y` must be one label for each example, got an array of shape {labels.shape}")
    if classes.dtype == bool:
        if not np.isin(labels, [0, 1]).all():
            raise ValueError(f"labels of a target without classes are True and False, got {np.unique(labels)}")
        return list(labels.astype(int).tolist())
    position = {name: k for k, name in enumerate(classes.tolist())}
    unknown = sorted({str(label) for label in labels.tolist()} - set(position))
    if unknown:
        raise ValueError(f"unknown classes {', '.join(unknown)}; expected {', '.join(position)}")
    return [position[label] for label in labels.tolist()]


def _weights(sample_weight: Any, count: int) -> list[float]:
    """Returns a weight for each example; a number is that of all, as in scikit-learn."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(count, weights)
    if weights.ndim != 1:
        raise ValueError(f"`sample_weight` must be one weight for each example, got an array of shape {weights.shape}")
    return list(weights.tolist())


def _callback(progress: Any) -> ProgressCallback | None:
    """Returns a callback for a bar that counts the steps since its last update, as tqdm does."""
    if progress is None or not hasattr(progress, "update"):
        return progress  # type: ignore[no-any-return]
    shown = 0

    def update(done: int, of: int) -> None:
        nonlocal shown
        progress.total = of
        progress.update(done - shown)
        shown = done

    return update
