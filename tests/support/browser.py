"""A real Chromium for tests that look at a page."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def chromium(*flags: str) -> Iterator[Any]:
    """The browser, opened with these flags as well; the test is skipped where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no chromium is installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as p:
        opened = p.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu", *flags])
        yield opened
        opened.close()
