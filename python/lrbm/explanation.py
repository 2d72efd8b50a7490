"""Explanations of predictions, as text and as HTML for notebooks."""

from __future__ import annotations

import json
from html import escape
from typing import Any


class Explanation:
    """Why a model predicts what it predicts for one query.

    ``str`` gives the text, a notebook shows a table of contributions with the drawing of the
    network, and ``data`` has everything as in ``lrbm explain --json``.

    Attributes
    ----------
    data : dict
        The explanation: query, decision, probabilities, contributions, changes of the decision.
    text : str
        The explanation as text.
    svg : str or None
        The network with the true rules marked; None for kinds without one.
    """

    def __init__(self, json_text: str, text: str | None, svg: str | None) -> None:
        self.data: dict[str, Any] = json.loads(json_text)
        self.text: str = text if text is not None else self._plain()
        self.svg = svg

    @property
    def query(self) -> str:
        """The query."""
        return str(self.data["query"])

    @property
    def probability(self) -> float:
        """The probability of the target, or of the predicted one of several classes."""
        if "probability" in self.data:
            return float(self.data["probability"])
        classes = {entry["name"]: entry["probability"] for entry in self.data["classes"]}
        shown = self.data["classes"][1]["name"] if len(classes) == 2 else self.data["decision"]
        return float(classes[shown])

    @property
    def contributions(self) -> list[tuple[float, str]]:
        """What each active rule, clause or walk adds to the log-odds, by decreasing magnitude."""
        if "rules" in self.data:
            return [(rule["adds"], rule["clause"]) for rule in self.data["rules"]]
        if "clauses" in self.data and "prior" in self.data:
            return [(clause["adds"], clause["clause"]) for clause in self.data["clauses"]]
        return [(part["adds"], part["what"]) for part in self.data["parts"]]

    @property
    def bias(self) -> float:
        """The log-odds without any active rule, clause or walk."""
        return float(next(self.data[key] for key in ("before", "prior", "psi_without_parts") if key in self.data))

    def _plain(self) -> str:
        lines = [
            f"{self.query}: {str(self.data['decision']).lower()}, probability of true {self.probability:.6f}",
            f"{self.bias:>+12.4f}  bias",
        ]
        lines += [f"{adds:>+12.4f}  {what}" for adds, what in self.contributions]
        return "\n".join([*lines, f"{self.data['psi']:>+12.4f}  psi, the log-odds", ""])

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Explanation of {self.query}: probability {self.probability:.6f}>"

    def _repr_html_(self) -> str:
        largest = max([abs(self.bias), *(abs(adds) for adds, _ in self.contributions)], default=0.0) or 1.0

        def row(adds: float, what: str, facts: str = "") -> str:
            color = "#2b6cb0" if adds >= 0 else "#c05621"
            width = 100 * abs(adds) / largest
            bar = f'<div style="background:{color};height:0.8em;width:{width:.1f}px"></div>'
            since = f"<br><small>since {escape(facts)}</small>" if facts else ""
            return (
                f'<tr><td style="text-align:right">{adds:+.4f}</td><td style="min-width:104px">{bar}</td>'
                f'<td style="text-align:left"><code>{escape(what)}</code>{since}</td></tr>'
            )

        facts = [", ".join(rule.get("facts", [])) for rule in self.data.get("rules", [])]
        facts += [""] * (len(self.contributions) - len(facts))
        rows = [row(self.bias, "bias, without any rule")]
        rows += [row(adds, what, since) for (adds, what), since in zip(self.contributions, facts)]
        changes = self.data.get("changes", {}).get("found", [])
        words = {"add": "with", "remove": "without"}
        flips = "".join(
            f"<li>{words[change['change']]} <code>{escape(change['fact'])}</code>: "
            f"probability {change['probability']:.6f}</li>"
            for change in changes[:6]
        )
        flips = f"<p>Each of these changes flips the decision:</p><ul>{flips}</ul>" if flips else ""
        title = (
            f"<p><code>{escape(self.query)}</code>: <b>{escape(str(self.data['decision']).lower())}</b>, "
            f"probability {self.probability:.6f}, log-odds {self.data['psi']:+.4f}</p>"
        )
        head = '<tr><th>adds</th><th></th><th style="text-align:left">rule</th></tr>'
        drawing = "" if self.svg is None else fitted(self.svg)
        return f"<div>{title}<table>{head}{''.join(rows)}</table>{flips}{drawing}</div>"


def fitted(svg: str) -> str:
    """Returns a drawing that is scaled down to the width of a notebook's cell."""
    return svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)
