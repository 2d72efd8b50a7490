"""What single kinds of classifiers add to the common base."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Mapping

from sklearn.utils.validation import check_is_fitted

from .background import Background
from .base import ProgressCallback, RelationalClassifier


class SrlearnForm:
    """The printed form and the settings of srlearn's classifier."""

    _srlearn_defaults = True

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = super()._settings()  # type: ignore[misc]
        drawn = settings["neg_pos_ratio"] not in (None, "all")
        if settings["redraw_negatives"] is None and drawn:
            # The Java program of srlearn draws negatives for each tree.
            settings["redraw_negatives"] = True
        return settings

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        params: Mapping[str, Any] = self.get_params(deep=False)  # type: ignore[attr-defined]
        background = params["background"]
        if isinstance(background, Background):
            # srlearn prints the size of trees as settings of the background.
            sizes = {name: params[name] for name in ("node_size", "max_tree_depth")}
            background = background.to_text(sizes)
        always = ("background", "n_estimators", "neg_pos_ratio", "solver", "target")
        printed = {name: repr(params[name]) for name in always}
        printed["background"] = background if isinstance(background, str) else repr(background)
        hidden = ("node_size", "max_tree_depth", "symmetric")
        changed = {
            name: repr(value)
            for name, value in params.items()
            if name not in always and name not in hidden and value is not None
        }
        listed = ", ".join(f"{name}={value}" for name, value in sorted({**printed, **changed}.items()))
        return f"{type(self).__name__}({listed})"


class Distilled:
    """Distillation of a given ensemble."""

    def distill(
        self,
        ensemble: RelationalClassifier,
        X: Any,
        sample_weight: Any = None,
        *,
        progress: ProgressCallback | None = None,
    ) -> Any:
        """Fits one tree to the predictions of a fitted ensemble on the examples of ``X``.

        ``sample_weight`` and ``progress`` are those of ``fit``.
        """
        check_is_fitted(ensemble, "model_")
        return self._fit(X, None, sample_weight, progress, ensemble.model_)  # type: ignore[attr-defined]


class NetworkFile:
    """Models that are networks, whose files do not name the kind and the parameters."""

    def _check_kind(self, kind: str | None, file_name: Any) -> None:
        if kind is not None:
            raise ValueError(f"{os.fspath(file_name)}: a model of kind {kind}; {type(self).__name__} reads networks")


class WalkInputs:
    """The choice of the inputs of an RBM over random walks."""

    inputs: str

    def _kind_name(self) -> str:
        kinds = {"counts": "rrbm-c", "existence": "rrbm-e"}
        if self.inputs not in kinds:
            raise ValueError(f"`inputs` must be \"counts\" or \"existence\", got {self.inputs!r}")
        return kinds[self.inputs]

    def _check_kind(self, kind: str | None, file_name: Any) -> None:
        inputs = {"rrbm-c": "counts", "rrbm-e": "existence"}
        if kind not in inputs:
            raise ValueError(
                f"{os.fspath(file_name)}: a model of kind {kind or 'network'}; {type(self).__name__} reads rrbm-c and rrbm-e"
            )
        self.inputs = inputs[kind]


class Template:
    """The rules of a template."""

    template: str | os.PathLike[str] | None

    @property
    def _template_text(self) -> str | None:
        if self.template is None:
            return None
        if isinstance(self.template, str) and ":-" in self.template:
            return self.template
        return pathlib.Path(self.template).read_text(encoding="utf-8")
