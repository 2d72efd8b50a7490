"""srlearn's module of relational dependency networks."""

from __future__ import annotations

from typing import Any, NoReturn

from .estimators import BoostedRDNClassifier

__all__ = ["BoostedRDNClassifier", "BoostedRDNRegressor"]


class BoostedRDNRegressor:
    """Not available: every model here predicts classes. The name exists so that imports work.

    A regressor would need targets with a number, a loss and a leaf fit of its own.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _no_regression()


def _no_regression() -> NoReturn:
    raise NotImplementedError(
        "lrbm has no BoostedRDNRegressor: its models predict classes, not numbers; "
        "use srlearn for regression, or a classifier on ranges of the number"
    )
