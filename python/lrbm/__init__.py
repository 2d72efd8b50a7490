"""Boosted relational models, with the interface of srlearn and scikit-learn.

>>> import lrbm
>>> movies, target = lrbm.datasets.generate("movies")
>>> model = lrbm.LRBMBoostClassifier(target=target, n_estimators=5).fit(movies)
>>> len(model.predict_proba(movies))
1000
"""

from . import datasets, estimators
from ._core import DataError, __version__
from ._warnings import LrbmWarning
from .background import Background
from .base import Network, RelationalClassifier
from .database import Database
from .estimators import (
    BoostedRDNClassifier,
    ExplainableLRBMClassifier,
    LRBMBoostClassifier,
    LRBMNoBoostClassifier,
    LRNNClassifier,
    MLNBoostClassifier,
    ProgolClassifier,
    RelationalProbabilityTreeClassifier,
    RRBMClassifier,
)
from .examples import Examples
from .explanation import Explanation
from .frames import ImportedFrames, import_frames, read_run

__all__ = [
    "Background",
    "BoostedRDNClassifier",
    "DataError",
    "Database",
    "Examples",
    "ExplainableLRBMClassifier",
    "Explanation",
    "ImportedFrames",
    "LRBMBoostClassifier",
    "LRBMNoBoostClassifier",
    "LRNNClassifier",
    "LrbmWarning",
    "MLNBoostClassifier",
    "Network",
    "ProgolClassifier",
    "RRBMClassifier",
    "RelationalClassifier",
    "RelationalProbabilityTreeClassifier",
    "__version__",
    "datasets",
    "estimators",
    "import_frames",
    "read_run",
]
