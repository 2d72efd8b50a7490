"""The pages README.md and docs/src/python.md, the docstrings, the stubs, the notebook and the generated classes."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
from typing import Any

import pytest

import lrbm
from conftest import ROOT

PAGES = {"README.md": 1, "docs/src/python.md": 10}
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", PAGES)
def test_the_page_prints_what_it_says(name: str, tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    """Runs the blocks in order. `SNAPSHOTS=overwrite` writes what they print into the page."""
    monkeypatch.chdir(tmp_path)
    path = ROOT / name
    page = path.read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)
    names: dict[str, Any] = {}
    printed = ""
    replaced = page
    for language, text in blocks:
        if language == "python":
            assert not printed, "a block prints, and no block of text follows"
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(text, str(path), "exec"), names)
            printed = output.getvalue()
        else:
            if os.environ.get("SNAPSHOTS") == "overwrite":
                replaced = replaced.replace(f"```text\n{text}```", f"```text\n{printed}```", 1)
            else:
                assert printed == text
            printed = ""
    if replaced != page:
        path.write_text(replaced, encoding="utf-8")
    assert sum(language == "python" for language, _ in blocks) >= PAGES[name]


def test_doctests() -> None:
    tried = 0
    for module in pkgutil.iter_modules(lrbm.__path__, "lrbm."):
        found = doctest.testmod(importlib.import_module(module.name))
        assert found.failed == 0
        tried += found.attempted
    assert tried + doctest.testmod(lrbm).attempted > 10


def test_the_classes_are_those_of_the_registry() -> None:
    """Run `python generate_estimators.py` after a parameter changes."""
    sys.path.insert(0, str(ROOT / "python"))
    try:
        import generate_estimators
    finally:
        sys.path.pop(0)
    expected = generate_estimators.text()
    assert pathlib.Path(lrbm.estimators.__file__).read_text(encoding="utf-8") == expected


def test_stubs_and_annotations() -> None:
    pytest.importorskip("mypy")
    config = ROOT / "python/pyproject.toml"
    allowed = ROOT / "python/tests/stubtest-allowed.txt"
    arguments = ["-m", "mypy.stubtest", "lrbm", "--mypy-config-file", str(config), "--allowlist", str(allowed)]
    for command in (arguments, ["-m", "mypy", "--config-file", str(config), "-p", "lrbm"]):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=ROOT / "python/tests")
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_notebook_runs() -> None:
    """Executes the notebook from scratch and compares its outputs; `SNAPSHOTS=overwrite` records them."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    path = ROOT / "python/examples/movies.ipynb"
    notebook = nbformat.read(path, as_version=4)
    recorded = [_outputs(cell) for cell in notebook.cells]
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    if os.environ.get("SNAPSHOTS") == "overwrite":
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, path)
        return
    assert [_outputs(cell) for cell in notebook.cells] == recorded
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert any("text/html" in data and "<table>" in data["text/html"] for data in shown)
    assert any("image/svg+xml" in data for data in shown)


def _outputs(cell: Any) -> list[Any]:
    """Returns what a cell prints or shows: texts, pages and drawings."""
    return [output.get("text", "") or output.get("data", {}) for output in cell.get("outputs", [])]
