"""The worlds that a spec may name, with their settings. A new one is a class and a line of `Environment`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from memtrial.plugins.plugin_names import PLUGIN, is_plugin
from memtrial.runs.spec.sections import SpecPart
from memtrial.worlds.single_turn.question import AnswerKind
from memtrial.worlds.workshop.task_families import (
    FEWEST_CONTROLS,
    MOST_CONTROLS,
    STANDARD_DIFFICULTY,
    Difficulty,
)


class WorkshopSpec(SpecPart):
    """The built-in world (memtrial/worlds/workshop): hidden rules of machines, made to calibrate.

    Args:
        controls: listed on every panel; 14, and 4 on a quarter of the panels, unless given.
        tries: turns in which controls may be tried; 4 unless given.
        dusty: share of the controls that the scene calls dusty, and that never work; half unless given.
    """

    world: Literal["workshop"]
    train: int = Field(96, ge=1, le=100_000)
    test: int = Field(120, ge=1, le=100_000)
    families: int = Field(12, ge=8, le=12)
    controls: int | None = Field(None, ge=FEWEST_CONTROLS, le=MOST_CONTROLS)
    tries: int | None = Field(None, ge=1, le=100)
    dusty: float | None = Field(None, ge=0, le=1)

    @property
    def difficulty(self) -> Difficulty:
        """How hard the machines are, with the world's own measure where none is given."""
        standard = STANDARD_DIFFICULTY
        dusty = standard.dusty if self.dusty is None else self.dusty
        return Difficulty(self.controls, self.tries or standard.tries, dusty)


class ScienceWorldSpec(SpecPart):
    """The real benchmark (environments/scienceworld); `train` and `test` are variations of each task."""

    world: Literal["scienceworld"]
    tasks: tuple[str, ...] = ("find-non-living-thing",)
    train: int = Field(10, ge=1)
    test: int = Field(10, ge=1)
    step_limit: int = Field(30, ge=1, le=1000)
    simplifications: Literal["easy", ""] = "easy"
    held_out: Literal["test", "dev"] = "test"


class GivenSpec(SpecPart):
    """Tasks of your own, which your agent scores itself (memtrial/worlds/given): a row a task.

    Args:
        tasks: JSON lines, Parquet, CSV, or the folder of a data set; a row has its text under `query`,
            `prompt`, `input`, `question` or `task`, and may have an `id`, a `family` and a `template`.
    """

    world: Literal["given"]
    tasks: Path | None = None


class SingleTurnSpec(SpecPart):
    """Questions with one answer: yours, or invented ones (memtrial/worlds/single_turn).

    Args:
        questions: a file or folder of JSON lines, JSON, CSV or Parquet, laid out as AIME, MATH, GPQA,
            MMLU-Pro, GSM8K or HotpotQA; invented questions, which calibrate, unless given.
        kind: how answers are read and compared; what each row suggests unless given.
        train, test: how many of each split; of a set that has fewer than 96 and 120 all, unless given.
    """

    world: Literal["single_turn"]
    questions: Path | None = None
    kind: AnswerKind | None = None
    train: int | None = Field(None, ge=1, le=100_000)
    test: int | None = Field(None, ge=1, le=100_000)


class ScenariosSpec(SpecPart):
    """Five kinds of simulated work with planted causes of failure (memtrial/worlds/scenarios)."""

    world: Literal["scenarios"]
    train: int = Field(40, ge=1, le=100_000)
    test: int = Field(60, ge=1, le=100_000)


class PluginWorldSpec(SpecPart):
    """Your own world: `path/to/module.py:Object`, called with `settings` as arguments."""

    world: str = Field(pattern=PLUGIN)
    settings: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _own_keys_are_settings(cls, raw: Any) -> Any:
        own = (
            sorted(str(key) for key in raw if key not in cls.model_fields) if isinstance(raw, Mapping) else []
        )
        if own:
            raise ValueError(
                "a world of your own is called with what stands below `settings`, and has no other keys; got"
                f" {', '.join(own)}: write settings: {{{own[0]}: …}}"
            )
        return raw


def _world(raw: Any) -> str:
    """Which kind of world an environment names."""
    name = raw.get("world") if isinstance(raw, dict) else getattr(raw, "world", None)
    return "plugin" if isinstance(name, str) and is_plugin(name) else str(name)


Environment = Annotated[
    Annotated[WorkshopSpec, Tag("workshop")]
    | Annotated[ScienceWorldSpec, Tag("scienceworld")]
    | Annotated[GivenSpec, Tag("given")]
    | Annotated[SingleTurnSpec, Tag("single_turn")]
    | Annotated[ScenariosSpec, Tag("scenarios")]
    | Annotated[PluginWorldSpec, Tag("plugin")],
    Discriminator(_world),
]
TAGS: tuple[str, ...] = tuple(get_args(kind)[1].tag for kind in get_args(get_args(Environment)[0]))
"""Pydantic's names for the members in the path of an error; they are no keys of the spec."""
WORLDS = ", ".join(tag for tag in TAGS if tag != "plugin") + " or path/to/module.py:Object"
