"""Data frames in and out."""

from __future__ import annotations

import datetime
import math
from typing import Any, Callable

import numpy as np
import pytest

import lrbm
from lrbm import _core

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

PEOPLE = {
    "id": [1, 2, 3, 4, 5, 6],
    "ill": [True, True, True, False, False, False],
    "smokes": [True, True, None, False, None, False],
    "job": ["cook", "cook", "miner of a very long name", None, "clerk", "clerk"],
    "born": [datetime.date(1970, 1, 2), None, datetime.date(1980, 5, 1), None, None, datetime.date(1969, 12, 31)],
    "height": [1.5, math.nan, 1.7, None, 1.8, 1.9],
}
FRIENDS = {"person": [1, 2, 3, 4], "other_person": [2, 3, 4, 5]}


def polars(table: dict[str, list[Any]]) -> Any:
    return pl.DataFrame(table, strict=False)


def pandas(table: dict[str, list[Any]]) -> Any:
    return pd.DataFrame({name: pd.Series(values, dtype=None).convert_dtypes() for name, values in table.items()})


def arrow(table: dict[str, list[Any]]) -> Any:
    return pa.table(table)


def chunks(table: dict[str, list[Any]]) -> Any:
    """A stream of several batches, with an offset in each."""
    whole = pa.table(table)
    return pa.concat_tables([whole.slice(0, 2), whole.slice(2, 1), whole.slice(3)])


def without_dates(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    return {name: values for name, values in table.items() if name != "born"}


class WithoutArrow:
    """A pandas frame without pyarrow."""

    def __init__(self, table: dict[str, list[Any]]) -> None:
        self.frame = pd.DataFrame({name: pd.Series(values).convert_dtypes() for name, values in table.items()})
        self.columns = self.frame.columns

    def __arrow_c_stream__(self) -> Any:
        raise ImportError("pyarrow is missing")

    def __getitem__(self, column: str) -> Any:
        return self.frame[column]


@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
@pytest.mark.parametrize("make", [pandas, arrow, chunks, WithoutArrow, dict])
def test_every_kind_of_frame_gives_the_same_facts(make: Callable[..., Any]) -> None:
    people, friends = without_dates(PEOPLE), FRIENDS
    expected, found = (
        lrbm.import_frames({"person": kind(people), "friends": kind(friends)}, target="person.ill")
        for kind in (polars, make)
    )
    assert found.mapping == expected.mapping
    for name in ("pos", "neg", "facts", "modes"):
        assert getattr(found.database, name) == getattr(expected.database, name)
    assert found.target == "ill" and len(found.database.pos) == len(found.database.neg) == 3
    assert {"person_smokes(person1).", "friends(person1,person2)."} <= set(found.database.facts)


def test_types_of_arrow() -> None:
    columns: dict[str, Any] = {
        "small": pa.array([1, None, 3], pa.int8()),
        "unsigned": pa.array([1, 2, None], pa.uint32()),
        "single": pa.array([1.5, None, math.inf], pa.float32()),
        "large": pa.array(["a", None, "ü" * 30], pa.large_string()),
        "view": pa.array(["short", None, "a text beyond twelve bytes"], pa.string_view()),
        "category": pa.array(["x", "y", "x"]).dictionary_encode(),
        "moment": pa.array([datetime.datetime(1970, 1, 2, 12), None, None], pa.timestamp("us")),
        "nothing": pa.nulls(3),
        "list": pa.array([[1], [2], None]),
        "flag": pa.array([True, None, False]),
    }
    read = _core.Columns.from_arrow("t", pa.table(columns).__arrow_c_stream__())
    kinds = dict(read.columns())
    assert len(read) == 3
    assert kinds["small"] == kinds["unsigned"] and kinds["large"] == kinds["view"] == kinds["category"]
    assert "Arrow type" in kinds["list"]


def test_texts_of_arrow_are_complete() -> None:
    names = ["a", "a text beyond twelve bytes", "ünïcödé", "", "quoted \"text\""]
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        table = pa.table({"who": pa.array([*names, None], kind), "good": [True, False, True, True, False, True]})
        found = lrbm.import_frames({"t": table.slice(1)}, MAPPING)
        sentences = [*found.database.pos, *found.database.neg]
        assert len(sentences) == 4
        assert any("a text beyond twelve bytes" in sentence for sentence in found.database.neg)
        assert any("ünïcödé" in sentence for sentence in found.database.pos)


MAPPING = """
[target]
predicate = "good"
table = "t"
args = [{ column = "who", type = "name" }]
label = "good"
"""


def test_questions_and_errors() -> None:
    with pytest.raises(ValueError, match="leave questions open"):
        lrbm.import_frames({"friends": polars(FRIENDS)}, target="enemies")
    with pytest.raises(ValueError, match="unknown table `t`"):
        lrbm.import_frames({"friends": polars(FRIENDS)}, MAPPING)
    with pytest.raises(TypeError, match="expected a data frame"):
        lrbm.import_frames({"friends": 3})
    with pytest.raises(ValueError, match="it has 1 rows, the first column 2"):
        lrbm.import_frames({"t": {"a": [1, 2], "b": [1]}})
    with pytest.raises(TypeError, match="expected bools, integers"):
        lrbm.import_frames({"t": {"a": [object()]}})


@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
def test_models_are_learned_from_frames() -> None:
    rng = np.random.default_rng(2)
    smokes = rng.random(200) < 0.4
    people = pl.DataFrame({"id": np.arange(200), "ill": smokes, "smokes": smokes})
    database = lrbm.Database.from_frames({"people": people}, target="people.ill")
    model = lrbm.LRBMBoostClassifier(target="ill", n_estimators=5).fit(database)
    assert (model.predict(database) == np.array([True] * smokes.sum() + [False] * (~smokes).sum())).all()


def test_runs(program: Any, tmp_path: Any) -> None:
    spec = tmp_path / "tiny.toml"
    spec.write_text(
        'name = "tiny"\nabout = "two jobs"\nseed = 1\nfolds = 2\ndatasets = ["movies"]\n'
        '[[model]]\nname = "A"\nkind = "rpt"\n',
        encoding="utf-8",
    )
    program("run", spec, "--out", tmp_path / "run")
    for frame, kind in (("polars", pl.DataFrame), ("pandas", pd.DataFrame)):
        read = lrbm.read_run(tmp_path / "run", frame=frame)
        assert isinstance(read, kind) and len(read) == 2
        assert {"dataset", "model", "fold", "auc_roc"} <= set(read.columns)
        predictions = lrbm.read_run(tmp_path / "run", "predictions", frame)
        assert isinstance(predictions, kind) and len(predictions) == 750
        assert set(predictions["job"]) == {f"movies/A/default/fold{fold}-seed1" for fold in (1, 2)}
    with pytest.raises(FileNotFoundError, match="no such directory"):
        lrbm.read_run(tmp_path / "absent")
    with pytest.raises(ValueError, match="unknown table"):
        lrbm.read_run(tmp_path / "run", "scores")
