"""Compares BoostedRDNClassifier with that of srlearn, in one process on the same folds.

Usage: python compare_srlearn.py [--folds N] [--cache DIRECTORY] [DATASET...]. srlearn 0.5.5 needs
NumPy below 1.23, for example with Python 3.10 and scikit-learn 1.1, and Java. Prints a Markdown table: means over the folds of the areas on the test examples, and the seconds of
processor time of training and prediction, with those of the Java program.
"""

from __future__ import annotations

import argparse
import pathlib
import resource
import sys
import warnings
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

import lrbm

TARGETS = {"imdb": "workedunder", "uwcse": "advisedby"}


def read(directory: pathlib.Path) -> dict[str, list[str]]:
    def lines(name: str) -> list[str]:
        return (directory / f"{directory.name}_{name}.txt").read_text(encoding="utf-8").splitlines()

    modes = [line.removeprefix("mode:").strip() for line in lines("bk") if line.startswith("mode:")]
    return {"pos": lines("pos"), "neg": lines("neg"), "facts": lines("facts"), "modes": modes}


def seconds() -> float:
    """Returns the processor time of this process and of those it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def measure(package: Any, classifier: type, target: str, sides: list[dict[str, list[str]]]) -> tuple[float, ...]:
    databases = []
    for side in sides:
        database = package.Database()
        for name, sentences in side.items():
            setattr(database, name, sentences)
        databases.append(database)
    train, test = databases
    started = seconds()
    model = classifier(background=package.Background(modes=train.modes), target=target, solver="BoostSRL")
    model.fit(train)
    trained = seconds()
    probabilities = model.predict_proba(test)
    predicted = seconds()
    # Positives come first in both packages; both may drop repeated examples.
    positives = len(set(test.pos))
    labels = np.arange(len(probabilities)) < positives
    areas = roc_auc_score(labels, probabilities), average_precision_score(labels, probabilities)
    return (*areas, trained - started, predicted - trained)


def main() -> None:
    import srlearn
    import srlearn.rdn
    from sklearn.base import BaseEstimator

    class WithTags(srlearn.rdn.BoostedRDNClassifier):  # type: ignore[misc]
        """Recent versions of scikit-learn need tags to tell whether a model is fitted."""

        def __sklearn_tags__(self) -> Any:
            return BaseEstimator().__sklearn_tags__()

    parser = argparse.ArgumentParser(description="Compares BoostedRDNClassifier with that of srlearn.")
    parser.add_argument("--folds", type=int, help="number of folds [default: all]")
    parser.add_argument("--cache", type=pathlib.Path, default="datasets/cache", help="directory of fetched datasets")
    parser.add_argument("datasets", nargs="*", default=list(TARGETS), metavar="DATASET")
    given = parser.parse_args()
    cache = given.cache
    warnings.simplefilter("ignore")
    print("| dataset | package | AUC-ROC | AUC-PR | train (s) | predict (s) |\n|---|---|---|---|---|---|")
    for dataset in given.datasets:
        folds = sorted((cache / dataset / "base").glob("fold*"))[: given.folds]
        if not folds:
            sys.exit(f"{cache / dataset}: no folds; fetch them with `lrbm datasets fetch {dataset}`")
        for package, classifier in (
            (lrbm, lrbm.BoostedRDNClassifier),
            (srlearn, WithTags),
        ):
            rows = [
                measure(package, classifier, TARGETS[dataset], [read(fold / side) for side in ("train", "test")])
                for fold in folds
            ]
            means = np.mean(rows, axis=0)
            print(
                f"| {dataset} | {package.__name__} {package.__version__} | {means[0]:.3f} | {means[1]:.3f} "
                f"| {means[2]:.3f} | {means[3]:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
