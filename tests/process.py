"""A run as a process of its own: begun, killed, begun again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "COLUMNS": "100", "OMP_NUM_THREADS": "1"}


def begin(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None, prefix: Sequence[str] = ()
) -> subprocess.Popen[str]:
    """`loadbearing run spec.yaml --out out`, begun in a folder that holds the spec."""
    command = [*prefix, sys.executable, "-m", "runs", "run", "spec.yaml", "--out", "out", *arguments]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=HERE | {"HOME": str(folder)} | dict(environment or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str], within_s: float = 120.0) -> tuple[int, str, str]:
    """Exit code, output and errors of a process that ends by itself."""
    try:
        out, err = process.communicate(timeout=within_s)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    assert "Traceback" not in err, err
    return process.returncode, out, err


def carry_out(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """One command from its begin to its end."""
    return ended(begin(folder, *arguments, environment=environment))


def kill(process: subprocess.Popen[str]) -> bool:
    """End it as a power cut would. Whether it was still running."""
    running = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return running
