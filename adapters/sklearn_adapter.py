#!/usr/bin/env python3
"""Runs logistic regression or gradient boosting of scikit-learn over random-walk counts as a model of an lrbm experiment.

Install: `pip install scikit-learn==1.9.1`.

    run = ["python3", "{spec_dir}/../adapters/sklearn_adapter.py", "--model", "logistic"]
    features = "random-walks"

Works in the current directory, which holds `features/train.csv`, `features/test.csv` and `job.json` as described in docs/src/external.md, and writes
`scores.csv` (probabilities), `model.json` (coefficients, or importances, by feature) and `info.json`. Parameters in `params`, with the
values that are passed by default: for logistic regression C=1.0, max_iter=1000; for gradient boosting trees=100, learning_rate=0.1, max_depth=3,
min_samples_leaf=1; for both log=true, which takes log(1 + count). Logistic regression standardizes the features. All else is left to the package.
"""

import argparse
import csv
import importlib.metadata
import json
import os
import sys
import time
from pathlib import Path

CONTRACT = 1
UNSUPPORTED = 77
PARAMETERS = {
    "logistic": {"C": 1.0, "max_iter": 1000, "log": True},
    "boosting": {"trees": 100, "learning_rate": 0.1, "max_depth": 3, "min_samples_leaf": 1, "log": True},
}


class Failure(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def main():
    args = arguments()
    try:
        if args.version:
            print(f"scikit-learn {package_version()}")
        else:
            run(args)
    except Failure as failure:
        print(f"sklearn_adapter: {failure}", file=sys.stderr)
        sys.exit(failure.code)
    except (OSError, ValueError, KeyError) as error:
        print(f"sklearn_adapter: {type(error).__name__}: {error}; is this the directory of a job?", file=sys.stderr)
        sys.exit(1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=list(PARAMETERS), default="logistic", help="the learner [default: logistic]")
    parser.add_argument("--version", action="store_true", help="print the version of the package")
    return parser.parse_args()


def package_version():
    try:
        return importlib.metadata.version("scikit-learn")
    except importlib.metadata.PackageNotFoundError:
        raise Failure("the package scikit-learn is missing: install it with `pip install scikit-learn==1.9.1`") from None


def run(args):
    job = json.loads(Path("job.json").read_text())
    if job.get("contract") != CONTRACT:
        raise Failure(f"job.json has contract version {job.get('contract')}; this adapter is made for version {CONTRACT}")
    params = parameters(job["params"], PARAMETERS[args.model])
    info = {"scikit-learn": package_version()}
    # Read by the linear algebra below numpy when it is imported.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(job.get("threads") or 1)
    names, _, features, labels = read_features(Path("features/train.csv"), params["log"], labeled=True)
    test_names, queries, test, _ = read_features(Path("features/test.csv"), params["log"], labeled=False)
    if names != test_names:
        raise Failure("features/train.csv and features/test.csv have different columns")
    if len(set(labels)) < 2:
        raise Failure("the training examples are all of one class", UNSUPPORTED)
    began = time.monotonic()
    if names:
        learner = learner_of(args.model, params, job["seed"])
        probabilities, weights = fit(learner, features, labels, test)
    else:
        # Without a feature, the share of positives is all that can be learned.
        probabilities, weights = [sum(labels) / len(labels)] * len(queries), []
    info |= {"features": len(names), "seconds": round(time.monotonic() - began, 3)}
    with open("scores.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["example", "probability"])
        table.writerows([query, repr(float(value))] for query, value in zip(queries, probabilities))
    Path("model.json").write_text(json.dumps({"model": args.model, "weights": dict(zip(names, weights))}, indent=1) + "\n")
    Path("info.json").write_text(json.dumps(info, indent=1) + "\n")


def parameters(given, defaults):
    for name, value in given.items():
        if name not in defaults:
            raise Failure(f"unknown parameter `{name}`; expected some of {', '.join(defaults)}")
        kind = type(defaults[name])
        right = isinstance(value, bool) == (kind is bool) and isinstance(value, (int, float) if kind is float else kind)
        if not right or (kind is not bool and value <= 0):
            wanted = {bool: "true or false", int: "an integer of at least 1", float: "a number above 0"}[kind]
            raise Failure(f"parameter `{name}` must be {wanted}, got {value!r}")
    return {**defaults, **given}


def read_features(path, log, labeled):
    """Returns names of features, examples, counts and labels."""
    import numpy

    if not path.exists():
        raise Failure(f'{path} is missing: write `features = "random-walks"` in the spec')
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    first = 2 if labeled else 1
    if rows[0][:first] != ["example", "label"][:first]:
        raise Failure(f"{path} must begin with the columns {', '.join(['example', 'label'][:first])}, got {', '.join(rows[0][:first])}")
    counts = numpy.array([[float(value) for value in row[first:]] for row in rows[1:]]).reshape(len(rows) - 1, len(rows[0]) - first)
    labels = [int(row[1]) for row in rows[1:]] if labeled else None
    return rows[0][first:], [row[0] for row in rows[1:]], numpy.log1p(counts) if log else counts, labels


def learner_of(model, params, seed):
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if model == "logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(C=params["C"], max_iter=params["max_iter"]))
    return GradientBoostingClassifier(
        n_estimators=params["trees"],
        learning_rate=params["learning_rate"],
        max_depth=params["max_depth"],
        min_samples_leaf=params["min_samples_leaf"],
        random_state=seed % 2**32,
    )


def fit(learner, features, labels, test):
    """Returns the probabilities of the test rows, and a weight for each feature."""
    learner.fit(features, labels)
    probabilities = learner.predict_proba(test)[:, 1] if len(test) else []
    last = learner[-1] if hasattr(learner, "steps") else learner
    weights = last.coef_[0] if hasattr(last, "coef_") else last.feature_importances_
    return probabilities, [float(weight) for weight in weights]


if __name__ == "__main__":
    main()
