"""The review page over real HTTP, and in a real browser: who may decide, what is shown, what is kept."""

import re
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.faults import SpecFault
from memtrial.ledger.review_facts import DraftForReview, ReviewDecision, decisions
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import TheoryItem
from memtrial.memory.markdown import parse
from memtrial.pages.decision_form import LARGEST
from memtrial.pages.desk import DeskFault
from memtrial.pages.draft_desk import DraftDesk
from memtrial.pages.page_lock import page_is_open
from memtrial.pages.page_server import serve_page, served_run
from memtrial.runs.run_folder.folder import alone_in
from tests.support.review_desk import ITEM, Answer, ask, desk_with, draft_of

THREE = tuple(draft_of(ITEM, number) for number in (1, 2, 3))
EDITED = THREE[0].markdown.replace("pull the lever", "press the button")


@pytest.fixture
def desk(tmp_path: Path) -> DraftDesk:
    return desk_with(tmp_path, *THREE)


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DraftDesk, str]]:
    """A desk on which nothing is decided, and the address of its page."""
    desk = desk_with(tmp_path_factory.mktemp("refusing"), *THREE)
    with serve_page(desk) as address:
        yield desk, address


def decided(desk: DraftDesk) -> dict[str, ReviewDecision]:
    """By a ledger opened anew, as another process would."""
    with closing(SqliteLedger.open_read_only(desk.folder / "ledger.sqlite")) as ledger:
        return decisions(ledger)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 403),
        ("/wrong-token/", {}, 403),
        ("/%s", {}, 404),  # the token alone, without its slash
        ("/%sx/", {}, 403),
        ("/%s/ledger.sqlite", {}, 404),
        ("/%s/../../etc/passwd", {}, 404),
        ("/%s/", {"Host": "evil.example"}, 403),
        ("/%s/", {"Host": "localhost.evil.example:80"}, 403),
        ("/%s/", {"Host": ""}, 400),  # which is no HTTP
        ("/%s/end", {}, 200),
    ],
)
def test_only_the_address_that_was_printed_leads_in(
    refusing: tuple[DraftDesk, str], path: str, headers: dict[str, str], status: int
) -> None:
    _, address = refusing
    token = address.rstrip("/").rpartition("/")[2]
    assert address.startswith("http://127.0.0.1:")
    assert len(token) >= 32
    answer = ask(address, path.replace("%s", token), headers=headers)
    assert answer.status == status
    assert status == 200 or (token not in answer.text and "Claim" not in answer.text)
    assert status == 400 or is_guarded(answer)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Content-Length": ""}, 411),
        ({"Content-Length": "-1"}, 400),
        ({"Content-Length": str(LARGEST + 1)}, 413),
        ({"Content-Length": "9" * 20}, 413),
        ({"Content-Length": "9" * 5000}, 400),
    ],
)
def test_a_decision_from_elsewhere_is_none(
    refusing: tuple[DraftDesk, str], headers: dict[str, str], status: int
) -> None:
    desk, address = refusing
    answer = ask(address, THREE[0].id, {"how": "accept"}, headers)
    assert answer.status == status
    assert status == 400 or is_guarded(answer)
    assert not decided(desk)


@pytest.mark.parametrize(
    ("path", "form", "method", "status"),
    [
        (THREE[0].id, {"how": "accept"}, "PUT", 405),
        ("/wrong/" + THREE[0].id, {"how": "accept"}, "POST", 403),
        (THREE[0].id, {"how": "destroy"}, "POST", 400),
        ("no-such-draft", {"how": "accept"}, "POST", 404),
        (THREE[0].id, {"how": "accept"} | {str(n): "" for n in range(99)}, "POST", 400),
        ("end", {}, "POST", 409),
    ],
)
def test_what_the_page_does_not_send_decides_nothing(
    refusing: tuple[DraftDesk, str], path: str, form: dict[str, str], method: str, status: int
) -> None:
    desk, address = refusing
    answer = ask(address, path, form, method=method)
    assert answer.status == status
    assert is_guarded(answer)
    assert not decided(desk)
    assert not desk.finished.is_set()


def is_guarded(answer: Answer) -> bool:
    """Whether a browser keeps nothing of it, loads nothing for it and shows it in no other page."""
    policy = answer.headers["Content-Security-Policy"]
    return (
        "default-src 'none'" in policy
        and "frame-ancestors 'none'" in policy
        and answer.headers["Cache-Control"] == "no-store"
        and answer.headers["X-Content-Type-Options"] == "nosniff"
        and answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    )


def test_a_decision_is_on_the_disk_before_it_is_acknowledged_and_can_be_corrected(desk: DraftDesk) -> None:
    first, second, third = (draft.id for draft in THREE)
    with serve_page(desk) as address:
        assert ask(address).headers["Location"].endswith(f"/{first}")
        ask(address, first)
        answer = ask(address, first, {"how": "edit", "markdown": EDITED.replace("\n", "\r\n")})
        assert (answer.status, answer.headers["Location"].rpartition("/")[2]) == (303, second)
        kept = decided(desk)[first]
        assert (kept.how, parse(kept.markdown), kept.blind) == ("edit", parse(EDITED), False)
        assert kept.seconds is not None
        assert ask(address, second, {"how": "reject"}).headers["Location"].endswith(third)
        assert ask(address, "end", {}).status == 409
        assert not desk.finished.is_set()
        assert ask(address, third, {"how": "accept"}).headers["Location"].endswith("/end")
        assert decided(desk)[third].seconds is None  # it was never shown
        ask(address, second, {"how": "accept"})
        assert decided(desk)[second].how == "accept"
        assert ask(address, "end", {}).status == 200
        assert desk.finished.wait(10)  # after the answer
    with closing(SqliteLedger.open_read_only(desk.folder / "ledger.sqlite")) as ledger:
        query = "SELECT count(*) FROM facts WHERE name LIKE 'review of %'"
        assert ledger.connection.execute(query).fetchone() == (4,)  # the correction, and what it corrects


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "needed one memory item"),
        (EDITED + "\n" + EDITED.replace("Item 1", "Item 2"), "found 2"),
        ("## Title A\n## Description B\n## Content C", "a theory item is needed"),
        ("## Claim\n## Trigger x\n## Mechanism y\n## Scope z\n## Form heuristic", "under '## Claim'"),
        (THREE[0].markdown, "nothing was changed"),
    ],
)
def test_an_edit_that_cannot_be_kept_is_refused_on_the_page_and_comes_back(
    desk: DraftDesk, text: str, why: str
) -> None:
    with serve_page(desk) as address:
        answer = ask(address, THREE[0].id, {"how": "edit", "markdown": text})
    assert answer.status == 422
    assert why in unescape(answer.text)
    assert f"\n{text}</textarea>" in unescape(answer.text)
    assert not decided(desk)


def test_decisions_are_taken_all_or_none(desk: DraftDesk) -> None:
    good = ReviewDecision(draft=THREE[0].id, how="accept")
    with pytest.raises(DeskFault, match="no draft"):
        desk.decide(good, ReviewDecision(draft="none", how="accept"))
    with pytest.raises(DeskFault, match="only an edit"):
        desk.decide(good, ReviewDecision(draft=THREE[1].id, how="reject", markdown="x"))
    assert not decided(desk)


def test_a_rejection_may_carry_a_reason_and_nothing_else_may(desk: DraftDesk) -> None:
    first, second, _ = (draft.id for draft in THREE)
    with serve_page(desk) as address:
        assert ask(address, first, {"how": "reject", "reason": " There is no <lever>. "}).status == 303
        assert decided(desk)[first].reason == "There is no <lever>."
        assert "rejected</strong>, because: There is no <lever>." in unescape(ask(address, first).text)
        long = ask(address, second, {"how": "reject", "reason": "x" * 2001})
        assert long.status == 422
        assert "x" * 2001 in long.text  # it comes back to be shortened
        assert ask(address, second, {"how": "accept", "reason": "It is good."}).status == 422
    assert list(decided(desk)) == [first]


@pytest.mark.parametrize("path", ["end", THREE[0].id])
def test_a_client_that_leaves_ends_nothing_and_says_nothing(
    desk: DraftDesk, capfd: pytest.CaptureFixture[str], path: str
) -> None:
    with serve_page(desk) as address:
        for _ in range(3):
            leave(address, f"GET {urlsplit(address).path}{path} HTTP/1.1")
        assert ask(address, THREE[0].id).status == 200
    assert capfd.readouterr().err == ""


def test_who_leaves_while_finishing_has_finished(desk: DraftDesk, capfd: pytest.CaptureFixture[str]) -> None:
    desk.decide(*(ReviewDecision(draft=draft.id, how="accept") for draft in THREE))
    with serve_page(desk) as address:
        origin = f"Origin: {address.rpartition('/')[0].rpartition('/')[0]}\r\nContent-Length: 0"
        leave(address, f"POST {urlsplit(address).path}end HTTP/1.1", origin)
        assert desk.finished.wait(10)
    assert capfd.readouterr().err == ""


def leave(address: str, request: str, header: str = "Accept: */*") -> None:
    """Ask, and reset the connection at once."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.sendall(f"{request}\r\nHost: {parts.netloc}\r\n{header}\r\n\r\n".encode())


def test_who_visits_decides_beside_a_page_or_alone_but_not_while_the_run_goes_on(desk: DraftDesk) -> None:
    visiting = replace(desk, visiting=True)
    with alone_in(desk.folder):
        with served_run(desk):
            assert page_is_open(desk.folder)
            visiting.decide(ReviewDecision(draft=THREE[0].id, how="accept"))
        assert not page_is_open(desk.folder)
        with pytest.raises(SpecFault, match="another run is going on"):
            visiting.decide(ReviewDecision(draft=THREE[1].id, how="accept"))
        assert list(decided(desk)) == [THREE[0].id]
    visiting.decide(ReviewDecision(draft=THREE[1].id, how="accept"))
    assert list(decided(desk)) == [THREE[0].id, THREE[1].id]


def test_what_was_taken_back_waits_again_and_stays_in_the_ledger(desk: DraftDesk) -> None:
    ann, first = replace(desk, by="ann"), THREE[0].id
    with serve_page(ann) as address:
        assert "undo" not in ask(address, first).text
        assert ask(address, first, {"how": "undo"}).status == 422
        for how in ("accept", "reject"):
            ask(address, first, {"how": how})
        assert "undo" in ask(address, first).text
        assert ask(address, first, {"how": "undo"}).headers["Location"].endswith(first)
        assert not decided(desk)
        ask(address, first, {"how": "reject"})
    replace(desk, by="bo").decide(ReviewDecision(draft=first, how="accept", by="bo"))
    ann.undo(first)
    assert [entry.by for entry in decided(desk).values()] == ["bo"]
    with pytest.raises(DeskFault, match="under your name"):
        ann.undo(first)
    with closing(SqliteLedger.open_read_only(desk.folder / "ledger.sqlite")) as ledger:
        assert len(ledger.facts_with(f"review of {first} ")) == 4


def test_decisions_of_many_at_once_are_all_kept(desk: DraftDesk) -> None:
    desks = [replace(desk) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda one: one.decide(ReviewDecision(draft=THREE[0].id, how="accept")), desks))
    with closing(SqliteLedger.open_read_only(desk.folder / "ledger.sqlite")) as ledger:
        query = "SELECT count(*) FROM facts WHERE name LIKE 'review of %'"
        assert ledger.connection.execute(query).fetchone() == (8,)


def test_blind_hides_what_the_gates_found_and_is_noted(tmp_path: Path) -> None:
    with serve_page(desk_with(tmp_path, THREE[0])) as address:
        assert "A truism." in ask(address, THREE[0].id).text
    blind = DraftDesk(tmp_path, True)
    with serve_page(blind) as address:
        assert "A truism." not in ask(address, THREE[0].id).text
        ask(address, THREE[0].id, {"how": "accept"})
    assert decided(blind)[THREE[0].id].blind


BAD = '<script>document.title="owned"</script><img src=x onerror="document.title=1"></textarea>&lt;{{ 7*7 }}'
TURNED = "\u202eesrever \u2066 \x00 \x1b[2J \ufffe עברית"
HOSTILE = TheoryItem(f"{BAD} {TURNED}", BAD, "m" * 1_000_000, f"\u202e{BAD}", "heuristic")
ODD = Trajectory("t0", "t0", BAD, "failure", (Step(BAD, TURNED, "o" * 1_000_000),), BAD)


def hostile(folder: Path, item: TheoryItem = HOSTILE) -> tuple[DraftDesk, DraftForReview]:
    draft = draft_of(item, findings=(THREE[0].findings[0].model_copy(update={"quote": BAD, "reason": BAD}),))
    return desk_with(folder, draft, trace=ODD), draft


def test_a_hostile_item_is_text_and_nothing_else(tmp_path: Path) -> None:
    desk, draft = hostile(tmp_path)
    with serve_page(desk) as address:
        answer = ask(address, draft.id)
        assert is_guarded(answer)
        policy = answer.headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        (nonce,) = set(re.findall("nonce-([^']+)'", policy))
        assert answer.text.count(f'nonce="{nonce}"') == 2  # of its style and its script
        assert nonce not in ask(address, draft.id).headers["Content-Security-Policy"]
        assert answer.headers["Referrer-Policy"] == "same-origin"
        tags = re.findall(r"<(script|img)\b[^>]*>", answer.text)
        assert tags == ["script"]  # the page's own
        assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\ufffe]", answer.text)
        assert answer.text.count("m" * 1_000_000) == 1
        assert len(answer.text) < 1_100_000  # what is only read is cut
        assert ask(address, draft.id, {"how": "accept"}).status == 303
    assert decided(desk)[draft.id].how == "accept"
