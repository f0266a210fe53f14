"""The pages on which results are looked at, as a Starlette application; only the desks of a run write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from secrets import token_urlsafe
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from memtrial.pages.desk_page import PlacedDesk
from memtrial.pages.page_address import PageAddress
from memtrial.pages.page_app import guard_routes, respond, route_desk
from memtrial.pages.view.compared_runs import read_pair
from memtrial.pages.view.evolution_page import lay_evolution
from memtrial.pages.view.grid_query import PER_PAGE, QueryFault, read_page, read_query
from memtrial.pages.view.item_reading import read_items
from memtrial.pages.view.opened_run import RunReader
from memtrial.pages.view.run_desks import find_desk, list_desks
from memtrial.pages.view.run_grid import answers_of, lay_grid, lay_matrix
from memtrial.pages.view.run_shelf import RunShelf
from memtrial.pages.view.trial_reading import read_task, read_trial
from memtrial.pages.view.view_pages import PageFacts, render_view
from memtrial.runs.run_folder.folder import going_on

MOST_COMPARED = 300
"""Tasks on a page of two runs."""
OPENING_S = 0.25
"""A run that is not open after so long shows that it is being read, and the page asks again."""


def build_view_app(shelf: RunShelf, address: PageAddress, by: str = "") -> ASGIApp:
    """The pages of these runs, for whoever knows the address; `by` is who decides at their desks."""
    pages = ViewPages(shelf, f"/{address.token}/", by)
    routes = [
        Route("/", pages.show_shelf),
        Route("/run/{name}/", pages.show_run),
        Route("/compare", pages.compare_two),
        Route("/run/{name}/task", pages.show_task),
        Route("/run/{name}/items", pages.list_items),
        Route("/run/{name}/items/{number}", pages.show_items),
        Route("/run/{name}/course", pages.show_course),
        Route("/run/{name}/trial/{key}", pages.show_trial),
        Mount("/run/{name}/desk/{desk}", routes=route_desk(pages.find_desk)),
    ]
    return guard_routes([Mount(f"/{address.token}", routes=routes)], address)


@dataclass(frozen=True, slots=True)
class ViewPages:
    """What is answered; in threads, as it waits for the disk.

    Args:
        root: the path of the first page.
        by: who decides at the desks of the runs; empty: nobody is named.
    """

    shelf: RunShelf
    root: str
    by: str = ""

    def show_shelf(self, _: Request) -> Response:
        """The runs of the folder; of a single run its page."""
        if single := self.shelf.single:
            return RedirectResponse(f"{self.root}run/{quote(single, safe='')}/", HTTPStatus.SEE_OTHER)
        rows = self.shelf.rows()
        running = any(row.running for row in rows)
        shown = {"rows": rows, "running": running, "place": str(self.shelf.place)}
        return self._page("shelf", "Runs", shown | {"all": len(self.shelf.folders())})

    def show_run(self, request: Request) -> Response:
        """The matrix of a run, and its tasks; of an evolution what it says."""
        name = request.path_params["name"]
        if (folder := self.shelf.evolution(name)) is not None:
            return self._page("evolution", name, {"page": lay_evolution(folder), "running": going_on(folder)})

        def read(reader: RunReader, facts: PageFacts) -> str:
            query, report = read_query(request.query_params), reader.report
            shown = {"matrix": lay_matrix(reader), "grid": lay_grid(reader, query), "report": report}
            shown |= {"answers": answers_of(report.results), "desks": tuple(list_desks(reader, self.by))}
            return render_view("run", facts, shown)

        return self._of_run(request, read)

    def show_task(self, request: Request) -> Response:
        """One task: two of its trials side by side."""
        return self._of_run(
            request,
            lambda reader, facts: render_view(
                "task", facts, {"task": read_task(reader, request.query_params)}
            ),
        )

    def show_trial(self, request: Request) -> Response:
        """All of one trial."""
        key = request.path_params["key"]
        return self._of_run(
            request, lambda reader, facts: render_view("trial", facts, {"trial": read_trial(reader, key)})
        )

    def list_items(self, request: Request) -> Response:
        """What was condensed, a page of it."""

        def read(reader: RunReader, facts: PageFacts) -> str:
            page = read_page(request.query_params.get("page", "1"))
            rows = reader.index.condensed(PER_PAGE, PER_PAGE * (page - 1))
            return render_view("items", facts, {"rows": rows, "page": page, "per_page": PER_PAGE})

        return self._of_run(request, read)

    def show_items(self, request: Request) -> Response:
        """The items of one task, with what the gates found."""
        number = request.path_params["number"]
        return self._of_run(
            request, lambda reader, facts: render_view("item", facts, {"items": read_items(reader, number)})
        )

    def show_course(self, request: Request) -> Response:
        """Requests, faults and cost over time."""

        def read(reader: RunReader, facts: PageFacts) -> str:
            index, mask = reader.index, reader.mask
            causes = [(mask.of(arm), cause, count) for arm, cause, count in index.causes()]
            shown = {"course": index.course(), "causes": causes, "sessions": index.ledger.sessions()}
            return render_view("course", facts, shown)

        return self._of_run(request, read)

    def find_desk(self, request: Request) -> PlacedDesk:
        """The desk that an address names; HTTPException: there is none, or none may be shown now."""
        run, name = self.shelf.run(request.path_params["name"]), request.path_params["desk"]
        placed = None if run is None else run.ask(lambda reader: find_desk(reader, name, self.by))
        if placed is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "no such desk, or none that is open now")
        return placed

    def compare_two(self, request: Request) -> Response:
        """One cell of two runs, task by task."""
        words = {word: request.query_params.get(word, "") for word in ("first", "second", "cell")}
        first, second = self.shelf.run(words["first"]), self.shelf.run(words["second"])
        if first is None or (words["second"] and second is None):
            return self._fault("No such run", "There is no such run.")
        if not (first.is_open(OPENING_S) and (second is None or second.is_open(OPENING_S))):
            return self._page("opening", words["first"], {"running": True})
        try:
            pair = read_pair((words["first"], first), (words["second"], second), words["cell"] or "1")
        except QueryFault as fault:
            return self._fault(words["first"], str(fault))
        shown = {"pair": pair, "names": tuple(self.shelf.runs()), "most": MOST_COMPARED}
        return self._page("compare", words["first"], shown)

    def _of_run(self, request: Request, render: Callable[[RunReader, PageFacts], str]) -> Response:
        name = request.path_params["name"]
        run, nonce = self.shelf.run(name), token_urlsafe(16)
        if run is None:
            return self._fault("No such run", "There is no such run.")

        def answer(reader: RunReader) -> Response:
            facts = PageFacts(nonce, self.root, name, bool(self.shelf.single), reader)
            return respond(render(reader, facts), nonce)

        if not run.is_open(OPENING_S):
            return self._page("opening", name, {"running": True})
        try:
            return run.ask(answer)
        except QueryFault as fault:
            return self._fault(name, str(fault))

    def _fault(self, name: str, says: str) -> Response:
        return self._page("fault", name, {"says": says}, HTTPStatus.NOT_FOUND)

    def _page(
        self, page: str, name: str, shown: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        nonce = token_urlsafe(16)
        facts = PageFacts(nonce, self.root, name, bool(self.shelf.single))
        return respond(render_view(page, facts, shown), nonce, status)
