"""Training: errors with positions, warnings, progress, Ctrl-C, and the GIL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import lrbm
from lrbm import _core


def endless(**settings: Any) -> lrbm.LRBMBoostClassifier:
    return lrbm.LRBMBoostClassifier(target="workedunder", n_estimators=1_000_000, **settings)


def test_errors_have_messages_and_positions(smokers: lrbm.Database) -> None:
    smokers.facts = ["smokes(ann).", "friends(ann bob)."]
    with pytest.raises(lrbm.DataError, match="facts:2:") as raised:
        lrbm.LRBMBoostClassifier(target="ill").fit(smokers)
    (diagnostic,) = [entry for entry in raised.value.diagnostics if entry["severity"] == "error"]
    assert (diagnostic["file"], diagnostic["line"]) == ("facts", 2)
    assert diagnostic["column"] >= 1 and diagnostic["code"] and diagnostic["message"]
    assert isinstance(raised.value, ValueError)


def test_errors_are_those_of_the_command_line(program: Any, tmp_path: Any, smokers: lrbm.Database) -> None:
    smokers.neg = [*smokers.neg, "ill(ann)."]
    smokers.write("train", tmp_path)
    (tmp_path / "train_bk.txt").write_text("".join(f"mode: {mode}\n" for mode in smokers.modes), encoding="utf-8")
    with pytest.raises(lrbm.DataError) as raised:
        lrbm.LRBMBoostClassifier(target="ill").fit(lrbm.Database.from_directory(tmp_path))
    with pytest.raises(subprocess.CalledProcessError) as failed:
        program("train", "--data", tmp_path, "--target", "ill", "--out", tmp_path / "model.json")
    assert failed.value.returncode == 2
    assert str(raised.value).strip() in failed.value.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_estimators": 0}, "^`n_estimators` must be a whole number from 1"),
        ({"max_tree_depth": "deep"}, "^`max_tree_depth` must be"),
        ({"neg_pos_ratio": 1.5}, "^`neg_pos_ratio` must be a whole number"),
        ({"redraw_negatives": True}, "redraw_negatives needs neg_pos_ratio"),
        ({"leaf_fit": "closed"}, "leaf_fit.*closed-form"),
        ({"preset": "papers"}, "papers"),
        ({"seed": object()}, "`seed` must be a number, a bool or a string, got object"),
        ({"symmetric": True}, "requires `recursive=True`"),
        ({"target": 3}, "`target` must be the name"),
        ({"background": 3}, "`background` must be a Background"),
        ({"target": "sick"}, "sick"),
    ],
)
def test_invalid_settings(smokers: lrbm.Database, settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        lrbm.LRBMBoostClassifier(**{"target": "ill", **settings}).fit(smokers)


def test_the_target_may_be_that_of_the_examples(smokers: lrbm.Database) -> None:
    expected = lrbm.LRBMBoostClassifier(target="ill").fit(smokers).model_.to_json()
    for target in (None, "None"):
        model = lrbm.LRBMBoostClassifier(target=target).fit(smokers)
        assert model.model_.to_json() == expected and model.target == target
    smokers.neg = [*smokers.neg, "tired(ann)."]
    with pytest.raises(ValueError, match="several predicates, ill/1, tired/1: select one with `target`"):
        lrbm.LRBMBoostClassifier().fit(smokers)


@pytest.mark.filterwarnings("ignore::lrbm.LrbmWarning")
def test_missing_modes_are_an_error(smokers: lrbm.Database, tmp_path: Any) -> None:
    smokers.modes = []
    with pytest.raises(lrbm.DataError, match="^no predicate of the facts has a mode.* give the Database `modes`"):
        lrbm.LRBMBoostClassifier(target="ill").fit(smokers)
    smokers.write("train", tmp_path)
    (tmp_path / "train_bk.txt").write_text("mode: ill(+person).\n", encoding="utf-8")
    with pytest.raises(lrbm.DataError, match="to .*bk.txt, or pass a file of them with `background=`"):
        lrbm.LRBMBoostClassifier(target="ill").fit(lrbm.Database.from_directory(tmp_path))
    with pytest.warns(lrbm.LrbmWarning, match="no background, so(.|\n)*give the Database `modes`, or the classifier"):
        smokers.examples("ill")


@pytest.mark.filterwarnings("error")
def test_capitalized_constants() -> None:
    """A background in which capitalized names are constants counts for predictions as well."""
    names = ["Ann", "Bob", "Cid", "Dan"]
    pos, neg = ([f"ill({name})." for name in part] for part in (names[:2], names[2:]))
    facts = [f"smokes({name})." for name in names[:2]]
    database = lrbm.Database(pos, neg, facts)
    modes = ["ill(+person).", "smokes(+person)."]
    standard = lrbm.Background(modes=modes, use_std_logic_variables=True, use_prolog_variables=False)
    model = lrbm.LRBMBoostClassifier(background=standard).fit(database)
    assert model.predict(database).tolist() == [True, True, False, False]
    assert model.explain("ill(Ann)", database).probability > 0.5
    with pytest.raises(lrbm.LrbmWarning, match="Background.use_std_logic_variables=True"):
        lrbm.LRBMBoostClassifier(background=lrbm.Background(modes=modes)).fit(database)


def test_missing_files_are_errors(tmp_path: Any) -> None:
    with pytest.raises(FileNotFoundError, match="no such directory"):
        lrbm.Database.from_directory(tmp_path / "absent")
    with pytest.raises(FileNotFoundError, match="no file of facts"):
        lrbm.Database.from_directory(tmp_path)
    with pytest.raises(lrbm.DataError, match="absent.txt"):
        lrbm.LRBMBoostClassifier(target="ill").fit(lrbm.Database.from_files(facts=tmp_path / "absent.txt"))


def test_warnings_name_the_caller(smokers: lrbm.Database) -> None:
    smokers.modes = [*smokers.modes, "coughs(+person)."]
    with pytest.warns(lrbm.LrbmWarning, match="coughs/1 has a mode but no facts") as caught:
        lrbm.LRBMBoostClassifier(target="ill", n_estimators=2).fit(smokers)
    assert caught[0].filename == __file__


def test_repeated_examples_are_reported(smokers: lrbm.Database) -> None:
    model = lrbm.LRBMBoostClassifier(target="ill", n_estimators=2).fit(smokers)
    smokers.pos = [*smokers.pos, smokers.pos[0]]
    with pytest.warns(lrbm.LrbmWarning, match="1 repeated examples"):
        assert len(model.predict(smokers)) == 8


def test_progress(movies: lrbm.Database) -> None:
    steps: list[tuple[int, int]] = []
    lrbm.LRBMBoostClassifier(target="workedunder", n_estimators=5).fit(
        movies, progress=lambda done, of: steps.append((done, of))
    )
    assert steps == [(done, 5) for done in range(1, 6)]

    class Bar:
        total, n = 0, 0

        def update(self, steps: int) -> None:
            self.n += steps

    bar = Bar()
    lrbm.RRBMClassifier(target="workedunder", epochs=4).fit(movies, progress=bar)  # type: ignore[arg-type]
    assert bar.n == bar.total > 0


def test_an_exception_of_the_callback_ends_training(movies: lrbm.Database) -> None:
    def stop(done: int, of: int) -> None:
        if done == 3:
            raise RuntimeError("enough")

    model = endless()
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(movies, progress=stop)
    assert not hasattr(model, "model_")


@pytest.mark.skipif(os.name == "nt", reason="signals of other processes")
def test_an_interrupt_ends_training_within_a_second() -> None:
    code = """
import time, lrbm
movies, target = lrbm.datasets.generate("movies")
try:
    print("ready", flush=True)
    lrbm.LRBMBoostClassifier(target=target, n_estimators=1_000_000, subsample=0.5).fit(movies)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    assert process.poll() is None
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    elapsed = time.monotonic() - sent
    process.wait(timeout=30)
    print(f"interrupted after {elapsed:.3f} s")
    assert elapsed < 10, "a busy machine may take longer than a second, but not this long"


@pytest.mark.skipif(os.name == "nt", reason="signals of other processes")
def test_an_interrupt_ends_loading(tmp_path: Any) -> None:
    """Loading polls for cancellation too: it ends before the file is read."""
    facts = tmp_path / "facts.txt"
    facts.write_text("".join(f"friends(p{number}, p{number + 1}).\n" for number in range(3_000_000)), encoding="utf-8")
    code = f"""
import time, lrbm
database = lrbm.Database(["ill(p1)."], ["ill(p2)."], {str(facts)!r}, ["ill(+p).", "friends(+p,-p)."])
print("ready", flush=True)
try:
    database.examples("ill")
    print("loaded", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    process.wait(timeout=30)


def test_the_gil_is_released(movies: lrbm.Database) -> None:
    """Another thread counts while a model is learned, and ends the training."""
    counted, stopped = 0, False

    def count() -> None:
        nonlocal counted, stopped
        while counted < 1000:
            counted += 1
            time.sleep(0)
        stopped = True

    def check(done: int, of: int) -> None:
        if stopped:
            raise RuntimeError("counted")

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(RuntimeError, match="counted"):
        endless(subsample=0.5).fit(movies, progress=check)
    thread.join()
    assert counted == 1000


def test_distillation(movies: lrbm.Database) -> None:
    ensemble = lrbm.LRBMBoostClassifier(target="workedunder", n_estimators=5).fit(movies)
    distilled = lrbm.ExplainableLRBMClassifier(n_estimators=5).distill(ensemble, movies)
    whole = lrbm.ExplainableLRBMClassifier(target="workedunder", n_estimators=5).fit(movies)
    assert len(distilled.estimators_) == 1 and distilled.target is None
    assert distilled.predict_proba(movies).tolist() == whole.predict_proba(movies).tolist()


def test_templates(smokers: lrbm.Database, tmp_path: Any) -> None:
    rules = "ill(A) :- smokes(A).\nill(A) :- friends(B, A), smokes(B).\n"
    path = tmp_path / "rules.txt"
    path.write_text(rules, encoding="utf-8")
    of_text, of_file = (lrbm.LRNNClassifier(target="ill", template=given, epochs=5).fit(smokers) for given in (rules, path))
    assert of_text.predict_proba(smokers).tolist() == of_file.predict_proba(smokers).tolist()
    assert of_text.feature_importances_ == {"smokes": 2, "friends": 1}


def test_presets(movies: lrbm.Database) -> None:
    paper, lookahead = (
        lrbm.LRBMBoostClassifier(target="workedunder", n_estimators=2, preset=preset).fit(movies)
        for preset in ("paper", "lookahead")
    )
    assert paper.model_.to_json() != lookahead.model_.to_json()


# The command line is told not to print warnings.
@pytest.mark.filterwarnings("ignore:.*candidate-budget:lrbm.LrbmWarning")
@pytest.mark.parametrize("name", ["LRBMBoostClassifier", "BoostedRDNClassifier", "ExplainableLRBMClassifier"])
def test_the_preset_auto_is_that_of_the_command_line(program: Any, tmp_path: Any, name: str) -> None:
    classifier = getattr(lrbm, name)
    program("datasets", "generate", "university", "--out", tmp_path / "data")
    database = lrbm.Database.from_directory(tmp_path / "data")
    target, model = lrbm.datasets.generate("university")[1], tmp_path / "model.json"
    settings = {"trees": 3, "max_depth": 3, "train_negatives": 2, "redraw_negatives": "true"}
    there = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    kind = ("--kind", classifier._kind, "--preset", "auto")
    program("train", "--data", tmp_path / "data", "--target", target, *kind, *there, "--out", model)
    here = {"n_estimators": 3, "max_tree_depth": 3, "neg_pos_ratio": 2, "redraw_negatives": True}
    if classifier is lrbm.BoostedRDNClassifier:
        here["node_size"] = None  # srlearn's default would replace that of the presets.
    learned = classifier(target=target, preset="auto", **here).fit(database)
    assert learned.model_.to_json() == model.read_text(encoding="utf-8")
    # The choice is deterministic, and its parameters are those of one of the presets.
    presets = ("lookahead", "extended", "paper")
    single = [classifier(target=target, preset=preset, **here).fit(database) for preset in presets]
    assert any((one.predict_proba(database) == learned.predict_proba(database)).all() for one in single)


def test_kinds_without_presets_have_no_auto() -> None:
    with pytest.raises(TypeError, match="preset"):
        lrbm.RRBMClassifier(preset="auto")  # type: ignore[call-arg]


def test_settings_of_the_background(movies: lrbm.Database) -> None:
    """Only settings that differ from srlearn's defaults replace those of the learner."""
    default = lrbm.LRBMBoostClassifier(target="workedunder").fit(movies)
    same = lrbm.LRBMBoostClassifier(background=lrbm.Background(modes=movies.modes), target="workedunder").fit(movies)
    assert same.model_.to_json() == default.model_.to_json()
    small = lrbm.Background(modes=movies.modes, number_of_clauses=1)
    stumps = lrbm.LRBMBoostClassifier(background=small, target="workedunder").fit(movies)
    assert '"max_leaves": 2' in stumps.model_.to_json()
    overridden = lrbm.LRBMBoostClassifier(background=small, target="workedunder", max_leaves=4).fit(movies)
    assert overridden.model_.to_json() == default.model_.to_json()


def test_the_version_is_that_of_the_crate() -> None:
    from conftest import ROOT

    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    assert f'version = "{lrbm.__version__}"' in manifest.split("[lib]")[0]
    assert lrbm.__version__ == _core.__version__
