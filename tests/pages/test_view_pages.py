"""The pages on which runs are looked at, over real HTTP: who gets in, what is shown, and what is not."""

import fcntl
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import quote, urlencode, urljoin, urlsplit

import pytest

from memtrial.ledger.open_ledger import open_ledger, open_ledger_to_read
from memtrial.views.evidence.mode_rates import failed_pairs
from memtrial.views.results.run_results import results
from tests.pages.test_review_page import is_guarded
from tests.support.review_desk import ask
from tests.support.verb_ledger import CELLS, DAMAGED, PLAN, begun, play, said, trial
from tests.support.viewed_run import locked_run, plain_run, read_page, viewed, walk_pages, wicked_run

READER = "simulated/reader"
KINDS = ("/task?", "/trial/", "/items/", "/course", "/compare?")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A folder with two runs, one of them twice, and a file that is no run."""
    place = tmp_path_factory.mktemp("runs")
    plain_run(place / "plain")
    plain_run(place / "a run, other", tasks=1)
    (place / "broken").mkdir()
    (place / "broken" / "ledger.sqlite").write_bytes(b"no database")
    (place / "latest").symlink_to("plain")
    with viewed(place) as shown:
        yield shown


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 403),
        ("/wrong/run/plain/", {}, 403),
        ("/%s", {}, 404),
        ("/%s/", {"Host": "evil.example"}, 403),
        ("/%s/run/plain/", {"Host": "localhost"}, 403),
        ("/%s/run/plain/", {"Origin": "http://evil.example"}, 403),
        ("/%s/run/plain/", {"Origin": "null"}, 403),
        ("/%s/run/..%%2f..%%2fetc/", {}, 404),
        ("/%s/run/latest/", {}, 404),
        ("/%s/run/plain/ledger.sqlite", {}, 404),
        ("/%s/run/plain/", {}, 200),
    ],
)
def test_only_the_address_leads_in(address: str, path: str, headers: dict[str, str], status: int) -> None:
    token = urlsplit(address).path.strip("/")
    answer = ask(address, path.replace("%s", token).replace("%%", "%"), headers=headers)
    assert answer.status == status
    assert is_guarded(answer)
    assert status == 200 or "control" not in answer.text


def test_nothing_can_be_sent(address: str) -> None:
    assert ask(address, "run/plain/", {"how": "accept"}).status == 405
    assert ask(address, "run/plain/", {"how": "accept"}, {"Origin": "http://evil.example"}).status == 403


def test_every_link_of_every_page_leads_to_a_page(address: str) -> None:
    pages = walk_pages(address)
    kinds = {
        kind
        for kind in ("/task?", "/trial/", "/items/", "/course", "/compare?", "sort=lost")
        for path in pages
        if kind in path
    }
    assert len(kinds) == 6
    for path, (answer, parts) in pages.items():
        broken = "/run/broken/" in path
        assert answer.status == (500 if broken else 200), path
        assert path.startswith(urlsplit(address).path)
        assert is_guarded(answer)
        if not broken:
            tags = [tag for tag, _ in parts.elements]
            assert (tags.count("h1"), tags.count("main"), tags.count("title")) == (1, 1, 1), path
            assert parts.links[0] == ("#content", "Skip to the content")
            tables = tags.count("table")
            assert tags.count("caption") == tables


def test_from_a_verdict_to_a_damaged_prompt_in_three_clicks(address: str) -> None:
    where = urlsplit(address).path + "run/plain/"
    answer, page = read_page(address, where)
    for words in (("no verdict",), ("task=t1", "condition=filler"), ("/trial/",)):
        href = next(
            href for href, text in page.links if all(word in text or word in href for word in words)
            and ("filler" in href or "/trial/" in href)
        )  # fmt: skip
        where = urljoin(where, href.partition("#")[0])
        answer, page = read_page(address, where)
    assert f"Rules.\n<mark>{DAMAGED}</mark>" in unescape(answer.text)


def test_the_grid_is_what_the_address_asks_for(address: str) -> None:
    def tasks(**words: str) -> list[str]:
        query = urlencode({"backbone": READER} | words)
        _, page = read_page(address, f"run/plain/?{query}")
        return [text for href, text in page.links if "/task?" in href and text.startswith("t")]

    assert tasks() == ["t0", "t1", "t2"]
    assert tasks(arm="control", condition="intact", outcome="error") == ["t0"]
    assert tasks(arm="control", condition="filler", outcome="gained") == []
    assert tasks(outcome="gained", sort="gained") == ["t1", "t2", "t0"]
    assert tasks(fired="no") == tasks(family="nobody's") == []


def test_failures_are_found_by_how_they_were_coded(tmp_path: Path) -> None:
    with closing(begun(tmp_path / "run")) as ledger, viewed(tmp_path / "run") as address:
        rows = [
            trial(READER, cell, task, 0, "success" if cell == CELLS[0] else "failure")
            for task in ("t10", "t2") for cell in CELLS
        ]  # fmt: skip
        ledger.add_trials(rows)
        assert "any mode of failure" not in read_page(address, "run/run/")[0].text
        first, *_ = failed_pairs(rows)
        ledger.add_codes("rules 0a", {first.case: {"mode": "reliance"}})

        def tasks(query: str) -> list[str]:
            _, page = read_page(address, f"run/run/?{query}")
            return [text for href, text in page.links if "/task?" in href and text.startswith("t")]

        answer, page = read_page(address, "run/run/")
        assert "as rules 0a coded them" in page.text
        assert "any mode of failure" in answer.text
        assert tasks("") == ["t2", "t10"]
        assert tasks("mode=reliance") == ["t10"]
        assert tasks("mode=other") == []
        _, page = read_page(address, f"run/run/task?{urlencode({'backbone': READER, 'task': 't10'})}")
        assert "failed, reliance" in page.text


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("run/plain/?arm=nobody", "no arm 'nobody'; it has control"),
        ("run/plain/?condition=x", "no condition 'x'; it has intact, filler"),
        ("run/plain/?outcome=x", "outcome is one of lost, gained"),
        ("run/plain/?mode=x", "mode is one of distraction, reliance"),
        ("run/plain/?page=0", "page is a number from 1"),
        ("run/plain/?page=" + "9" * 5000, "page is a number from 1"),
        ("run/plain/trial/" + "0" * 64, "no such trial"),
        ("run/plain/task?task=x", "no trial of task 'x'"),
        (f"run/plain/task?backbone={quote(READER)}&task=t0&arm=nobody", "no such trial"),
        ("run/plain/items/99", "condensed nothing under that number"),
        ("run/nothing/", "no such run"),
        ("compare?first=plain&second=nothing", "no such run"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(address: str, path: str, says: str) -> None:
    answer, page = read_page(address, path)
    assert answer.status == 404
    assert says in page.text


def test_the_folder_says_how_each_run_stands(address: str) -> None:
    _, page = read_page(address, "")
    words = " ".join(page.text.split())
    assert "plain finished, 36 of 36 trials" in words
    assert "broken cannot be read" in words
    assert "latest" not in [text for _, text in page.links]


def test_one_task_shows_the_damage_and_where_the_paths_part(address: str) -> None:
    query = urlencode({"backbone": READER, "task": "t1", "arm": "control", "condition": "filler"})
    answer, page = read_page(address, f"run/plain/task?{query}")
    text = unescape(answer.text)
    assert "Do <del>`push it`</del> now." in text
    assert "Do <ins>`wait here`</ins> now." in text
    assert "The two do the same in every turn." in page.text
    assert "Trigger of item 1 holds: state: x" in page.text
    assert "$0.1250" in page.text


def test_two_paths_part_where_they_do_something_else_whatever_is_thought(tmp_path: Path) -> None:
    ways = {"without": ("look", "push", "wait"), "intact": ("Look ", "pull")}
    with closing(begun(tmp_path / "run")) as ledger:
        ledger.state("plan", PLAN)
        rows = [trial(READER, cell, "t0", 0, "failure") for cell in CELLS[:2]]
        episodes = [
            replace(
                said(row),
                steps=tuple(
                    {"thought": f"{row.arm} thinks", "action": action, "observation": "o", "fault": ""}
                    for action in ways[row.condition]
                ),
            )
            for row in rows
        ]
        ledger.add_trials(rows, episodes)
    query = urlencode({"backbone": READER, "task": "t0", "arm": "control", "condition": "intact"})
    with viewed(tmp_path) as address:
        _, page = read_page(address, f"run/run/task?{query}")
    words = " ".join(page.text.split())
    assert "The two do the same until they part in turn 2." in words
    assert "Here the two paths part. Turn 2" in words
    assert words.count("Here the two paths part.") == 1
    assert "It had ended." in words.partition("Turn 3")[2]


def test_hostile_texts_do_nothing(tmp_path: Path) -> None:
    wicked_run(tmp_path / "<b>run")
    with viewed(tmp_path) as address:
        pages = walk_pages(address)
    assert all(any(kind in path for path in pages) for kind in KINDS)
    for path, (answer, parts) in pages.items():
        assert answer.status == 200, path
        assert "/run/" not in path or "{{ 7*7 }}" in parts.text, path
        assert "\x1b" not in answer.text
        assert "\u202e" not in answer.text
        for tag, attributes in parts.elements:
            assert tag != "img", path
            assert tag != "script" or attributes.get("nonce"), path
            assert not [name for name in attributes if name.startswith("on")], path


def test_arms_are_masked_until_the_locked_data_are_complete(tmp_path: Path) -> None:
    locked_run(tmp_path / "locked")
    with viewed(tmp_path / "locked") as address:
        pages = walk_pages(address)
        own = trial(READER, CELLS[2], "t1", 0, "failure").key
        pages["/trial/"] = read_page(address, f"run/locked/trial/{own}")
    assert any("/task?" in path for path in pages)
    for path, (answer, _) in pages.items():
        assert answer.status == 200, path
        assert "control" not in answer.text, path
        assert "push it" not in answer.text, path
        assert "wait here" not in answer.text, path
        assert "/items" in path or "arm 1" in answer.text or "/course" in path, path
        assert "Arms are masked" in answer.text
    with viewed(tmp_path / "locked", unmask=True) as address:
        assert "control" in read_page(address, "run/locked/")[1].text


def write_report(folder: Path, unmask: bool = False) -> None:
    with closing(open_ledger_to_read(folder / "ledger.sqlite")) as ledger:
        (folder / "results.json").write_text(results(ledger, None, unmask).model_dump_json())


def test_the_verdicts_are_those_of_the_report_which_may_be_old(tmp_path: Path) -> None:
    folder = plain_run(tmp_path / "run")
    with viewed(tmp_path) as address:
        assert "No report that can be shown" in read_page(address, "run/run/")[1].text
        write_report(folder)
        _, page = read_page(address, "run/run/")
        texts = [text for href, text in page.links if "condition=filler#tasks" in href]
        assert len(texts) == 2
        assert all("inconclusive" in text and "solved" in text for text in texts)
        words = " ".join(page.text.split())
        assert "simulated/reader may or may not use" in words
        assert "rests on other trials" not in words
        assert "may or may not use" in read_page(address, "")[1].text
        with closing(open_ledger(folder / "ledger.sqlite")) as ledger:
            ledger.add_trials([trial(READER, CELLS[0], "t9", 0, "failure")])
            assert "rests on other trials" in " ".join(read_page(address, "run/run/")[1].text.split())


def test_a_report_that_names_masked_arms_is_not_shown(tmp_path: Path) -> None:
    folder = locked_run(tmp_path / "run")
    write_report(folder, unmask=True)
    with viewed(tmp_path) as address:
        for path in ("", "run/run/"):
            assert "control" not in read_page(address, path)[0].text
    write_report(folder)
    with viewed(tmp_path) as address:
        assert "inconclusive" in read_page(address, "run/run/")[1].text


def test_a_run_is_seen_as_it_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "going"
    with closing(begun(folder)) as ledger, viewed(folder) as address:
        assert "No trial was played yet" in read_page(address, "run/going/")[1].text
        (folder / ".lock").touch()
        with open(folder / ".lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            play(ledger, tasks=1)
            answer, page = read_page(address, "run/going/")
            assert "12 trials of 36 planned" in page.text
            assert "location.reload" in answer.text
            assert "running, 12 of 36 trials" not in page.text
        assert "location.reload" not in read_page(address, "run/going/")[0].text


def test_a_run_that_goes_on_later_is_opened_anew(tmp_path: Path) -> None:
    plain_run(tmp_path / "run")
    with viewed(tmp_path) as address:
        assert "36 trials" in read_page(address, "run/run/")[1].text
        with closing(open_ledger(tmp_path / "run" / "ledger.sqlite")) as ledger:
            ledger.add_trials([trial(READER, CELLS[0], "t9", 0, "failure")])
            assert "37 trials" in read_page(address, "run/run/")[1].text
