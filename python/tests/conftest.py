"""Fixtures: the command line program, and data."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Callable

import pytest

import lrbm

ROOT = pathlib.Path(__file__).parents[2]


def _program() -> str | None:
    given = os.environ.get("LRBM_PROGRAM")
    return given or shutil.which("lrbm")


@pytest.fixture(scope="session")
def program() -> Callable[..., str]:
    """Runs the command line program and returns what it prints."""
    path = _program()
    if path is None:
        pytest.skip("the program lrbm is missing: set LRBM_PROGRAM to its path")

    def run(*arguments: object) -> str:
        command = [path, "--quiet", *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout

    return run


@pytest.fixture(scope="session")
def movies() -> lrbm.Database:
    return lrbm.datasets.generate("movies")[0]


@pytest.fixture()
def smokers() -> lrbm.Database:
    """Who smokes, or has a friend who does, is ill."""
    names = ["ann", "bob", "cid", "dan", "eva", "fay", "gil", "hal"]
    facts = [f"smokes({name})." for name in names[:3]]
    facts += [f"friends({one},{other})." for one, other in zip(names, names[1:])]
    ill = names[:4]
    well = names[4:]
    modes = ["ill(+person).", "smokes(+person).", "friends(+person,-person).", "friends(-person,+person)."]
    return lrbm.Database([f"ill({name})." for name in ill], [f"ill({name})." for name in well], facts, modes)
