"""`show`: one task side by side, as HTML that needs nothing else and as text, and nothing that runs."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memtrial as mt
from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.reports.text.reading import SIMULATED
from tests.support.verb_ledger import CELLS, begun, digest, said, trial
from tests.support.verb_ledger import PLAN as HAND
from tests.support.viewed_run import WICKED, PageParts, locked_run, plain_run, wicked_run

SHARED, APART = "go north", ("take the lamp", "drop the lamp")


@pytest.fixture(scope="module")
def parted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which the damage of the second of two arms costs the task from the second turn on."""
    folder = tmp_path_factory.mktemp("runs") / "parted"
    backbone, texts = "simulated/reader", {"without": "", "intact": "Do push.", "filler": "Do wait."}
    cells = (*CELLS, ("other", "intact"), ("other", "filler"))
    with closing(begun(folder)) as ledger:
        ledger.state("plan", HAND | {"backbones": [backbone], "arms": ["none", "control", "other"]})
        ledger.add_slots({digest(text): text for text in texts.values()})
        rows = [
            replace(
                trial(backbone, (arm, "filler"), "t", 0, "success"), condition=condition,
                key=digest(f"{arm} {condition}"), slot=digest(texts[condition]),
                status="failure" if (arm, condition) == ("other", "filler") else "success",
            )
            for arm, condition in cells
        ]  # fmt: skip
        actions = {"filler": (SHARED, APART[1])}
        ledger.add_trials(
            rows,
            [
                replace(
                    said(replace(row, condition="filler")),
                    key=row.key,
                    steps=tuple(
                        {"thought": "", "action": action, "observation": "Done."}
                        for action in actions.get(row.condition, (SHARED, APART[0]))
                    ),
                )
                for row in rows
            ],
        )
    return folder


def _parts(shown: Any) -> PageParts:
    parts = PageParts()
    parts.feed(shown._repr_html_())
    return parts


def test_what_the_damage_cost_stands_beside_the_intact_one_and_where_the_paths_part(parted: Path) -> None:
    shown = mt.show(parted, "t")
    html, text = shown._repr_html_(), str(shown)
    assert "The two do the same until they part in turn 2." in html
    assert "The two do the same until they part in turn 2." in text
    assert (shown.task.chosen.arm, shown.task.chosen.condition) == ("other", "filler")
    assert shown.task.beside is not None
    assert (shown.task.beside.arm, shown.task.beside.condition) == ("other", "intact")
    folds = [attributes for tag, attributes in _parts(shown).elements if tag == "details"]
    # what is the same is folded away, what is not stands open
    assert ["open" in fold for fold in folds] == [False, True]
    turns = text[text.index("Turn 2: here the two paths part") :]
    assert turns.index(APART[0]) < turns.index(APART[1])
    assert SIMULATED in html
    assert SIMULATED in text
    assert repr(shown) == text


def test_any_two_trials_are_read_side_by_side(parted: Path) -> None:
    shown = mt.show(parted, "t", cell="control/intact", beside="none / without")
    assert shown.task.compared is not None
    rows = (shown.task.compared.first.row, shown.task.compared.second.row)
    assert [(row.arm, row.condition) for row in rows] == [("none", "without"), ("control", "intact")]
    assert "The two do the same in every turn." in str(shown)
    alone = mt.show(parted, "t", cell="none/without")
    assert alone.task.compared is None
    assert SHARED in str(alone)
    assert SHARED in _parts(alone).text


def test_the_damage_is_marked_in_the_memory(tmp_path: Path) -> None:
    shown = mt.show(plain_run(tmp_path / "plain"), "t1")
    assert "<del>`push it`</del>" in shown._repr_html_()
    assert "<ins>`wait here`</ins>" in shown._repr_html_()
    assert "Do [-`push it`-] now." in str(shown)
    assert "Do {+`wait here`+} now." in str(shown)
    assert "also played on simulated/ignorer" in str(shown)
    assert shown.task.backbone == "simulated/reader"
    other = mt.show(tmp_path / "plain", "t1", backbone="simulated/ignorer", repeat=1)
    assert (other.task.backbone, other.task.chosen.repeat) == ("simulated/ignorer", 1)


def test_hostile_text_is_text(tmp_path: Path) -> None:
    shown = mt.show(wicked_run(tmp_path / "wicked"), f"t/{WICKED}")
    parts = _parts(shown)
    tags = {tag for tag, _ in parts.elements}
    assert not tags & {"script", "img", "a", "link", "iframe"}
    assert not any(name.startswith("on") for _, attributes in parts.elements for name in attributes)
    assert "alert(1)" in parts.text
    for text in (str(shown), parts.text):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "{{ 7*7 }}" in text
    assert not {"src", "href"} & {name for _, attributes in parts.elements for name in attributes}


def test_arms_stay_masked_until_the_lock_is_complete(tmp_path: Path) -> None:
    folder = locked_run(tmp_path / "locked")
    shown = mt.show(folder, "t1")
    for text in (str(shown), shown._repr_html_()):
        assert "control" not in text
        assert "push it" not in text
        assert "wait here" not in text
        assert "Arms are masked" in text
    with pytest.raises(SpecFault, match="'none/without', 'arm 1/intact'"):
        mt.show(folder, "t1", cell="control/intact")
    named = mt.show(folder, "t1", unmask=True)
    assert "control" in str(named)
    assert "push it" in named._repr_html_()
    with closing(open_ledger_to_read(folder / "ledger.sqlite")) as ledger:
        look = ledger.fact("unmasked 1")
    assert isinstance(look, dict)
    assert look["by"] == "show"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"task": "nosuch"}, "needs a task of this run, as 't0', 't1', 't2'; got nosuch"),
        ({"task": "t1", "backbone": "x"}, "one of 'simulated/reader', 'simulated/ignorer', not x"),
        ({"task": "t1", "cell": "a/b"}, "it has 'none/without', 'control/intact', 'control/filler'; got a/b"),
        ({"task": "t1", "beside": "a/b"}, "it has 'none/without'"),
        ({"task": "t1", "repeat": 7}, "a repeat that was played, one of 0, 1; got 7"),
        ({"task": 3}, "takes a text; got 3"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(tmp_path: Path, words: Any, says: str) -> None:
    with pytest.raises(SpecFault, match=says):
        mt.show(plain_run(tmp_path / "plain"), **words)


def test_a_run_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=r"holds a ledger\.sqlite"):
        mt.show(tmp_path, "t1")
