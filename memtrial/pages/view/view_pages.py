"""The templates of the view: every text is escaped, and no script or style runs but the page's own."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlencode

from jinja2 import Template

from memtrial.console.escape import one_line
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.failures.failure_columns import MODES
from memtrial.pages.page_templates import open_templates
from memtrial.pages.view.grid_query import OUTCOMES
from memtrial.pages.view.opened_run import RunReader
from memtrial.pages.view.trial_reading import MASKED
from memtrial.views.numbers import dollars

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What every page shows around its own part; `reader` is None where no run is open."""

    nonce: str
    root: str
    name: str
    single: bool
    reader: RunReader | None = None

    @property
    def run_root(self) -> str:
        """The path of the run's page."""
        return f"{self.root}run/{quote(self.name, safe='')}/"

    def task_address(
        self, backbone: str, task: str, arm: str = "", condition: str = "", repeat: int | None = None
    ) -> str:
        """The path of a task's page, with one of its trials in front."""
        words = {"backbone": backbone, "task": task, "arm": arm, "condition": condition}
        given = {word: value for word, value in words.items() if value}
        return f"{self.run_root}task?{urlencode(given | ({} if repeat is None else {'repeat': repeat}))}"

    def of_run(self, name: str) -> "PageFacts":
        """The same of another run, which is not open."""
        return replace(self, name=name, reader=None)

    @property
    def compare_address(self) -> str:
        """The path of the page that shows the run beside another one."""
        return f"{self.root}compare?{urlencode({'first': self.name})}"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(sep=" ", timespec="seconds").removesuffix("+00:00")


def render_view(page: str, facts: PageFacts, values: Mapping[str, object]) -> str:
    """One page of the view by the name of its template, with what it shows by name."""
    return _template(page).render({"facts": facts} | dict(values))


@cache
def _template(page: str) -> Template:
    environment = open_templates(HERE, HERE.parent)
    environment.filters |= {"one_line": one_line, "dollars": dollars, "moment": _moment}
    environment.globals |= {"OUTCOMES": OUTCOMES, "MASKED": MASKED, "MODES": MODES, "how_many": how_many}
    return environment.get_template(f"{page}_view.html.jinja")
