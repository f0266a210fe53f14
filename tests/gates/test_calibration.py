"""Fixtures, rates and freshness."""

import asyncio
import json
from collections import Counter
from dataclasses import replace

import pytest

from memtrial.api.gates import regress as regress_by_name
from memtrial.faults import SpecFault
from memtrial.gates.calibration.labelled_items import (
    HELD_OUT,
    SHIPPED,
    FixtureFault,
    digest_of,
    read_fixtures,
)
from memtrial.gates.calibration.mutations import ALL as MUTATIONS
from memtrial.gates.calibration.mutations import mutants
from memtrial.gates.calibration.regression import (
    LEAST_HIT,
    MOST_FALSE,
    Always,
    gate_digest,
    judge_digest,
    regress,
)
from memtrial.gates.questions.worked_examples import FOLDER
from memtrial.gates.suite import ALL, NAMES, SEED_SUBSET
from memtrial.memory.item import item_to_json
from memtrial.memory.words import folded_words
from memtrial.prompts.templates import ROOT
from memtrial.runs.setup.model_roles import read_calibration, shipped_calibrations, standings

FIXTURES = read_fixtures(gates=NAMES)
BESIDE = read_fixtures(HELD_OUT, NAMES)
NGRAM = 6


@pytest.fixture(scope="module")
def rules():
    return asyncio.run(regress(ALL, None, FIXTURES, BESIDE))


@pytest.mark.parametrize("name", NAMES)
def test_each_gate_has_positives_and_negatives_of_several_domains(name):
    own = [one for one in FIXTURES if one.gate == name]
    counts = Counter(one.flag for one in own)
    assert counts[True] >= 12
    assert counts[False] >= 12
    assert len({one.domain for one in own}) >= 3
    assert all(one.why for one in own if one.flag)
    texts = [(one.flag, json.dumps(item_to_json(one.item)), one.stored) for one in own]
    assert len(texts) == len(set(texts))


def test_no_fixture_stands_in_a_prompt_or_in_an_example():
    files = (*ROOT.glob("*.jinja"), *FOLDER.glob("*.jsonl"))
    prompts = [folded_words(path.read_text("utf-8").casefold()) for path in files]
    told = {tuple(words[at : at + NGRAM]) for words in prompts for at in range(len(words) - NGRAM + 1)}
    for one in (*FIXTURES, *BESIDE):
        for text in item_to_json(one.item).values():
            words = folded_words(text.casefold())
            leaked = [words[at : at + NGRAM] for at in range(len(words) - NGRAM + 1)]
            assert not told & {tuple(row) for row in leaked}, one.name


def test_the_programs_see_what_they_claim_to_see(rules):
    assert [row.gate for row in rules] == list(NAMES)
    for row in rules:
        assert row.passed, row
        assert row.hit_rate >= LEAST_HIT
        assert row.false_alarm_rate <= MOST_FALSE
        assert row.hit_low <= row.hit_rate <= row.hit_high
        assert row.n_positive > 4
        assert row.n_errors == 0
        assert row.mutants_caught >= LEAST_HIT * row.n_mutants


def test_every_mutation_makes_a_positive_of_its_gate():
    made = Counter(one.made for one in mutants(FIXTURES))
    assert set(made) == {kind.name for kind in MUTATIONS}
    assert min(made.values()) >= 12


@pytest.mark.parametrize("verdict", ["pass", "warn"])
def test_a_judge_that_never_looks_fails_every_gate_that_asks_it(verdict):
    rows = asyncio.run(regress(ALL, Always(verdict), FIXTURES))
    assert not any(row.passed for row in rows if row.gate != "duplicate")


def test_what_ships_is_fresh(rules):
    held = {one.judge: one for one in shipped_calibrations()}
    assert set(held) == {"rules", "simulated/examiner"}
    for one in held.values():
        assert one.judge_digest == judge_digest(one.judge)
        # a new gate advises until both calibrations are made anew
        assert NAMES[:15] == tuple(row.gate for row in one.gates)[:15]
        for row, now in zip(one.gates, rules, strict=False):
            assert (row.gate, row.digest, row.fixtures) == (now.gate, now.digest, now.fixtures)
            assert row.held_out.fixtures == now.held_out.fixtures
    assert held["rules"].gates == rules[: len(held["rules"].gates)]
    standing = standings(ALL, judge_digest("simulated/examiner", 0.0), shipped_calibrations())
    assert all(standing[name].blocks for name in SEED_SUBSET)
    in_sample = [row.model_copy(update={"held_out": None}) for row in held["simulated/examiner"].gates[:4]]
    assert list(regress_by_name("simulated/examiner", SEED_SUBSET).gates) == in_sample


def test_no_sound_item_is_dropped_by_a_program(rules):
    for row in rules:
        assert (row.blocked, row.held_out.blocked) == ((), ())
        assert row.held_out.n_negative >= (20 if row.gate == "form-check" else 95)


def test_a_gate_blocks_only_for_the_judge_and_the_code_that_were_measured():
    (held,) = (one for one in shipped_calibrations() if one.judge == "simulated/examiner")
    judge, (first, *_) = held.judge_digest, held.gates
    assert first.digest == gate_digest(ALL[0])

    def said(row, digest=judge):
        return standings(ALL[:1], digest, (held.model_copy(update={"gates": (row,)}),))[first.gate]

    assert said(first).blocks
    assert said(first.model_copy(update={"held_out": None})).why.startswith(
        "blocks (calibrated: in-sample hits "
    )
    for other, why in (
        (said(first, judge_digest("simulated/examiner?hit=1")), "no fresh calibration for this judge"),
        (said(first.model_copy(update={"digest": "0"})), "of other code or prompts"),
        (said(first.model_copy(update={"passed": False})), "its calibration failed"),
    ):
        assert not other.blocks
        assert other.why.startswith("advises (")
        assert why in other.why
    (duplicate,) = (kind for kind in ALL if kind.name == "duplicate")
    assert standings([duplicate], judge, ())["duplicate"].blocks


def test_the_digest_of_fixtures_is_that_of_their_content():
    own = tuple(one for one in FIXTURES if one.gate == "refuter")
    assert digest_of(own) == digest_of(own[::-1])
    assert digest_of(own) != digest_of((replace(own[0], flag=not own[0].flag), *own[1:]))
    assert digest_of(own) == digest_of((replace(own[0], why="other"), *own[1:]))


TRACE = {"trace_id": "a", "task_id": "a", "query": "Open it", "outcome": "success", "steps": []}
MARKDOWN = "# Memory Item 1\n## Title Open\n## Description It.\n## Content Open the box before you look."


def test_people_add_fixtures_by_file(tmp_path):
    lines = [
        {"item": MARKDOWN, "trajectory": TRACE, "flag": False, "domain": "boxes"},
        {"like": "sort-first", "claim": "Be careful.", "flag": True, "half": "rule", "why": "a mood"},
        {"like": "sort-first", "flag": None},
    ]
    file = tmp_path / "claim_strength.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")
    for place in (file, tmp_path):
        found = read_fixtures(place, NAMES)
        assert [(one.gate, one.flag, one.domain) for one in found] == [
            ("claim-strength", False, "boxes"),
            ("claim-strength", True, "web shop"),
            ("claim-strength", None, "web shop"),
        ]
    (row,) = asyncio.run(regress(ALL, None, found))
    assert (row.gate, row.n_positive, row.n_negative, row.passed) == ("claim-strength", 1, 1, True)


BAD = {
    "no JSON": "{",
    "no object": "[1]",
    "an unknown key": json.dumps({"like": "sort-first", "flags": True}),
    "a flag of words": json.dumps({"like": "sort-first", "flag": "yes"}),
    "nobody like it": json.dumps({"like": "nothing", "flag": True}),
    "no trajectory": json.dumps({"item": MARKDOWN, "flag": True}),
    "a bad trajectory": json.dumps({"item": MARKDOWN, "trajectory": {}, "flag": True}),
    "no item": json.dumps({"trajectory": TRACE, "flag": True}),
    "two items": json.dumps({"item": MARKDOWN * 2, "trajectory": TRACE, "flag": True}),
    "an unknown gate": json.dumps({"gate": "nonsense", "like": "sort-first", "flag": True}),
    "nothing like the stored one": json.dumps({"like": "sort-first", "stored": [{"like": "x"}]}),
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_in_one_line(tmp_path, name):
    file = tmp_path / "refuter.jsonl"
    file.write_text(f"\n{BAD[name]}\n")
    with pytest.raises(FixtureFault, match=r"refuter\.jsonl, line 2: ") as raised:
        read_fixtures(file, NAMES)
    assert "\n" not in str(raised.value)


def test_a_bad_place_is_named_in_one_line(tmp_path):
    binary = tmp_path / "b.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "sound.jsonl").write_text('{"name": "a"}\n')
    for place in (tmp_path / "none", binary, tmp_path / "empty", tmp_path / "odd"):
        with pytest.raises(FixtureFault) as raised:
            read_fixtures(place, NAMES)
        assert "\n" not in str(raised.value)
    for text in ("{", '{"judge": "x"}', ""):
        binary.write_text(text)
        with pytest.raises(SpecFault, match="calibration"):
            read_calibration(binary)
    assert SHIPPED.is_dir()
