"""Explanations, rules, networks and drawings."""

from __future__ import annotations

import json
import pickle
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import lrbm
from lrbm.estimators import __all__ as NAMES

QUICK = {"n_estimators": 3, "epochs": 3}


def learn(name: str, data: lrbm.Database) -> Any:
    classifier = getattr(lrbm, name)
    known = classifier().get_params()
    settings = {key: value for key, value in QUICK.items() if key in known}
    return classifier(target="workedunder", **settings).fit(data)


class Balanced(HTMLParser):
    """Checks that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
@pytest.mark.parametrize("name", NAMES)
def test_every_kind_explains(name: str, movies: lrbm.Database) -> None:
    model = learn(name, movies)
    query = str(movies.pos[0]).rstrip(".")
    explanation = model.explain(query)
    probability = model.predict_proba(movies)[0]
    assert explanation.probability == pytest.approx(probability, abs=1e-9)
    assert explanation.query.replace(" ", "") == query.replace(" ", "")
    assert explanation.query in str(explanation)
    page = Balanced()
    page.feed(explanation._repr_html_())
    assert not page.open and "table" in page.tags
    if explanation.svg is not None:
        ElementTree.fromstring(explanation.svg)
        total = explanation.bias + sum(adds for adds, _ in explanation.contributions)
        assert total == pytest.approx(explanation.data["psi"], abs=1e-9)
    # The same query about other facts.
    assert model.explain(query, lrbm.Database(facts=movies.facts)).data["psi"] == explanation.data["psi"]
    assert model.explain(query, movies.examples("workedunder")).data["psi"] == explanation.data["psi"]


def test_explanations_are_those_of_the_command_line(program: Any, tmp_path: Any, movies: lrbm.Database) -> None:
    program("datasets", "generate", "movies", "--out", tmp_path / "data")
    model = learn("LRBMBoostClassifier", movies)
    model.to_json(tmp_path / "model.json")
    query = str(movies.pos[1]).rstrip(".")
    arguments = ("explain", "--model", tmp_path / "model.json", "--data", tmp_path / "data", "--query", query)
    explanation = model.explain(query)
    assert explanation.data == json.loads(program(*arguments, "--json"))
    assert str(explanation) == program(*arguments)


def test_names_are_escaped(smokers: lrbm.Database) -> None:
    smokers.facts = [*smokers.facts, 'smokes("<script>").']
    smokers.pos = [*smokers.pos, 'ill("<script>").']
    model = lrbm.LRBMBoostClassifier(target="ill", n_estimators=2).fit(smokers)
    page = model.explain('ill("<script>")')._repr_html_()
    assert "<script" not in page and "&lt;script&gt;" in page


def test_queries_are_checked(movies: lrbm.Database) -> None:
    model = learn("LRBMBoostClassifier", movies)
    with pytest.raises(lrbm.DataError, match="the model predicts workedunder/2"):
        model.explain("likes(ann, bob)")
    with pytest.raises(lrbm.DataError, match="unknown constant `nobody`"):
        model.explain("workedunder(nobody, person5)")
    assert model.explain("workedunder(nobody, person5)", allow_unknown=True).probability < 0.5
    with pytest.raises(ValueError, match="`threshold` must be from 0 to 1"):
        model.explain("workedunder(person5, person7)", threshold=2.0)
    with pytest.raises(ValueError, match="the classes are false, true"):
        model.explain("workedunder(person5, person7)", class_name="maybe")
    restored = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="pass a Database or Examples"):
        restored.explain("workedunder(person5, person7)")


def test_messages_name_no_options_of_the_command_line(movies: lrbm.Database) -> None:
    model = learn("LRBMBoostClassifier", movies)
    with pytest.raises(lrbm.DataError) as unknown:
        model.explain("workedunder(nobody, person1)")
    with pytest.raises(ValueError) as other_class:
        model.explain(str(movies.pos[0]).rstrip("."), class_name="maybe")
    messages = [str(unknown.value), unknown.value.diagnostics[0]["help"], str(other_class.value)]
    assert "allow_unknown=True" in messages[0] and "allow_unknown=True" in messages[1] and "class_name" in messages[2]
    assert not any("--" in message for message in messages), messages


#: Options of the command line in messages of the library, and what is done about them: a word of Python
#: takes their place (`OPTIONS` in errors.rs), or why no message of the package has them.
KNOWN = {
    "--allow-unknown": "replaced",
    "--arity": "replaced",
    "--audit": "no audits are made",
    "--background": "replaced",
    "--class": "replaced",
    "--fold": "replaced",
    "--infer": "replaced",
    "--key": "replaced",
    "--kind": "names the command that writes a file",
    "--mapping": "replaced",
    "--method": "replaced",
    "--mirror": "nothing is fetched",
    "--out": "directories are temporary, and new",
    "--query": "replaced",
    "--set": "parameters are not given as text",
    "--target": "replaced",
    "--top": "replaced",
    "--tries": "replaced",
    "--help": "replaced",
}


def test_options_of_the_command_line_are_known() -> None:
    """A message with an option that is new needs an entry in `OPTIONS`, or a reason here."""
    from conftest import ROOT

    found = set()
    for path in sorted((ROOT / "src").rglob("*.rs")):
        inner = path.relative_to(ROOT / "src").parts
        if inner[0] in ("cli", "experiment", "report", "main.rs") or "tests" in inner or inner[-1] == "tests.rs":
            continue
        for line in path.read_text(encoding="utf-8").split("#[cfg(test)]")[0].splitlines():
            if not line.strip().startswith("//"):
                found |= set(re.findall(r"(?<![-\w])--[a-z][a-z-]*", line))
    assert found == set(KNOWN), found ^ set(KNOWN)
    table = (ROOT / "python/src/errors.rs").read_text(encoding="utf-8").split("const OPTIONS")[1].split("];")[0]
    for option, what in KNOWN.items():
        assert what != "replaced" or option in table, option


def test_texts_name_no_options_of_the_command_line(movies: lrbm.Database) -> None:
    model = lrbm.LRBMBoostClassifier(target="workedunder", n_estimators=5, preset="paper").fit(movies)
    texts = [str(model.explain(str(atom).rstrip("."), top=1, tries=1)) for atom in movies.pos[:20]]
    assert any("`top` shows more" in text for text in texts) and any("raise `tries`" in text for text in texts)
    assert not any("--" in text for text in texts)


def test_networks(movies: lrbm.Database, tmp_path: Any) -> None:
    model = learn("LRBMBoostClassifier", movies)
    network = model.to_network()
    assert np.abs(network.decision_function(movies) - model.decision_function(movies)).max() < 1e-9
    # The paper's conversion is not exact, but ranks these examples alike.
    approximate = model.to_network("paper").predict_proba(movies)
    assert approximate[:250].min() > approximate[250:].max()
    drawing = ElementTree.fromstring(network._repr_svg_())
    assert "max-width:100%" in drawing.get("style", "") and drawing.get("viewBox")
    network.to_json(tmp_path / "network.json")
    restored = lrbm.Network.from_json(tmp_path / "network.json")
    assert restored.predict_proba(movies).tolist() == network.predict_proba(movies).tolist()
    assert pickle.loads(pickle.dumps(network)).describe() == str(network)
    assert "rule" in repr(network)
    with pytest.raises(ValueError, match="unknown conversion method"):
        model.to_network("magic")
    with pytest.raises(ValueError, match="only sums of trees"):
        learn("MLNBoostClassifier", movies).to_network()


@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
@pytest.mark.parametrize("name", NAMES)
def test_every_kind_has_rules(name: str, movies: lrbm.Database) -> None:
    model = learn(name, movies)
    rules = model.rules()
    # Without a library of frames it is a dict of lists.
    assert len(rules["rule"]) >= 1 and list(getattr(rules, "columns", rules))[:2] == ["number", "rule"]
    assert "directedby" in model.feature_importances_
    assert "workedunder" in model.describe()


def test_rules_of_classes_and_frames() -> None:
    pandas = pytest.importorskip("pandas")
    database, target = lrbm.datasets.generate("movies-classes")
    model = lrbm.LRBMBoostClassifier(target=target, n_estimators=2).fit(database)
    rules = model.rules("pandas")
    assert isinstance(rules, pandas.DataFrame)
    assert list(rules.columns) == ["number", "rule", *model.classes_]
    with pytest.raises(ValueError, match="unknown data frame"):
        model.rules("excel")


def test_drawings(movies: lrbm.Database) -> None:
    model = learn("BoostedRDNClassifier", movies)
    ElementTree.fromstring(model.to_svg())
    assert model.to_dot().startswith("digraph")
    assert len(model.estimators_) == 3 and all("workedunder(A, B" in tree for tree in model.estimators_)
