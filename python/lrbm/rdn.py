"""srlearn's module of relational dependency networks."""

from .estimators import BoostedRDNClassifier

__all__ = ["BoostedRDNClassifier"]
