"""Warnings of the package."""

from __future__ import annotations

import os
import sys
import types
import warnings
from typing import Iterable


class LrbmWarning(UserWarning):
    """A warning about data or training: something is probably not as intended."""


def warn(messages: Iterable[str]) -> None:
    """Issues warnings at the first caller outside the package."""
    here = os.path.dirname(__file__)
    frame: types.FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, LrbmWarning, stacklevel=level)
