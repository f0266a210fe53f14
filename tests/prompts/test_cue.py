"""The cue above the items: ours, or upstream's, found in a checkout that is read and never executed."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from memtrial.prompts.control_prompts import (
    HARNESS_CUE,
    HARNESS_FILES,
    KNOWN_CUE,
    LONGEST,
    MOST_BYTES,
    ControlFault,
    load_control,
    load_cue,
)
from memtrial.prompts.templates import cue_line

CHECKOUT = os.environ.get("FAITHFULNESS")
# Made up for this test; upstream's own words are not ours to ship.
CUE = (
    "These memory items come from other days. Use them or leave them. Before you act, discuss of every item"
    " whether it counts."
)
LITERAL = repr(CUE)
DIGEST = sha256(CUE.encode()).hexdigest()
OTHER = "Memory items stand below; discuss each item aloud."
PROMPTS = 'SUCCESSFUL_SI = "write memory items"\nFAILED_SI = "write other memory items"\n'


@pytest.fixture
def checkout(tmp_path):
    """A checkout with the control's source in WebArena/prompts; takes further files."""
    root = tmp_path / "checkout"

    def write(git: bool = True, **files: str) -> Path:
        source = root / "WebArena" / "prompts" / "memory_instruction.py"
        source.parent.mkdir(parents=True)
        source.write_text(PROMPTS)
        if git:
            (root / ".git").mkdir()
        for name, text in files.items():
            path = root / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return source

    return write


def one_line(fault: pytest.ExceptionInfo[ControlFault]) -> str:
    message = str(fault.value)
    assert "\n" not in message
    return message


def test_ours_is_ours_whatever_stands_in_the_checkout(checkout):
    cue = load_cue("ours", checkout(WebArena__agents__agent=f"HEADER = {LITERAL}"), None)
    assert (cue.text, cue.label) == (cue_line(), "cue: ours")
    assert cue.digest == sha256(cue_line().encode()).hexdigest()


WAYS = {
    "a constant": f"HEADER = {LITERAL}",
    "blank lines around it": f"HEADER = {CUE + chr(10) * 2!r}",
    "in a function": f"def act(self):\n    header = {LITERAL}\n    return header",
    "implicit concatenation": f"HEADER = (\n    {CUE[:40]!r}\n    {CUE[40:]!r}\n)",
    "a sum": f'system = PROMPT + "\\n\\n" + """{CUE}""" + "\\n" + memory',
    "a sum in brackets": f'system = prompt + ("\\n\\n" + {LITERAL})',
    "added to a name": f"system = prompt\nsystem += {LITERAL}",
    "an argument": f"messages.append(dict(role='system', content={LITERAL}))",
    "an f-string": f'system = f"{{prompt}}\\n\\n{CUE}\\n\\n{{memory}}"',
    "inside an f-string": f"system = f'{{prompt + \"{CUE}\"}}'",
    "twice the same": f"A = {LITERAL}\ndef f():\n    return {LITERAL}",
    "with other texts": f"A = 'Discuss.'\nB = 'memory items'\nHEADER = {LITERAL}\nC = 'an item'",
}


@pytest.mark.parametrize("written", WAYS.values(), ids=WAYS.keys())
def test_upstreams_cue_is_found_by_its_digest_however_it_is_written(checkout, written):
    source = checkout(WebArena__agents__basic__agent=f"import nowhere\n{written}\n")
    cue = load_cue("upstream", source, None, known=DIGEST)
    assert (cue.text, cue.digest, cue.label) == (CUE, DIGEST, "cue: upstream (verified)")


NONE = {
    "nothing": "x = 1",
    "a comment": f"# {CUE}",
    "another text": f"A = {OTHER!r}",
    "a word changed": f"A = {CUE.replace('discuss', 'talk')!r}",
    "cut": f"A = {CUE[:-5]!r}",
    "a surrogate": "A = 'Discuss the memory items \\ud800.'",
    "bytes": f"A = b{LITERAL}",
    "no Python": f"HEADER = {LITERAL}\nprint 'old'",
}


@pytest.mark.parametrize("written", NONE.values(), ids=NONE.keys())
def test_another_text_is_not_taken_for_it(checkout, written):
    source = checkout(WebArena__agent=written)
    with pytest.raises(ControlFault, match=r"checkout around .* does not: .*control.cue_source") as fault:
        load_cue("upstream", source, None, known=DIGEST)
    assert "discuss of every" not in one_line(fault)  # the text is never quoted


@pytest.mark.parametrize("marked", [False, True])
def test_the_cue_of_the_papers_harness_stands_in_the_file_that_runs_it(tmp_path, marked):
    prompts = tmp_path / "checkout" / "ReasoningBank" / "prompt"
    prompts.mkdir(parents=True)
    if marked:
        (tmp_path / "checkout" / ".git").mkdir()
    for name in HARNESS_FILES:
        (prompts / name).write_text("Reflect.")
    (prompts.parent / "other.py").write_text(f"A = {OTHER!r}")
    (prompts.parent / "run.py").write_text(f"def main():\n    instruction = {LITERAL}\n")
    cue = load_cue("upstream", prompts / "succeed_prompt.txt", None, "harness", DIGEST)
    assert (cue.text, cue.label) == (CUE, "cue: upstream (verified)")


def test_each_layout_has_the_digest_of_its_own_cue(tmp_path):
    path = tmp_path / "run.py"
    path.write_text(f"A = {LITERAL}")
    with pytest.raises(ControlFault, match="does not"):
        load_cue("upstream", None, path, "harness")
    assert len({KNOWN_CUE, HARNESS_CUE, DIGEST}) == 3


@pytest.mark.skipif(CHECKOUT is None, reason="FAITHFULNESS names no folder of the paper's harness")
@pytest.mark.parametrize("name", HARNESS_FILES)
def test_the_harness_itself_is_verified(name):
    source = Path(str(CHECKOUT)) / "ReasoningBank" / "prompt" / name
    assert load_control(source).label == "control: harness of the paper (verified)"
    assert load_cue("upstream", source, None, "harness").label == "cue: upstream (verified)"


def test_the_shipped_digest_is_of_another_text_than_this_tests():
    assert len(KNOWN_CUE) == 64
    assert KNOWN_CUE != DIGEST


def test_nothing_outside_the_checkout_is_looked_at(checkout, tmp_path):
    source = checkout(docs__conf="x = 1")
    (tmp_path / "outside.py").write_text(f"A = {LITERAL}")
    with pytest.raises(ControlFault, match="does not"):
        load_cue("upstream", source, None, known=DIGEST)


def test_without_a_checkout_only_the_folder_of_the_prompts_is_looked_at(checkout):
    source = checkout(git=False, WebArena__agent=f"A = {LITERAL}")
    with pytest.raises(ControlFault, match="does not"):
        load_cue("upstream", source, None, known=DIGEST)
    (source.parent / "agent.py").write_text(f"A = {LITERAL}")
    assert load_cue("upstream", source, None, known=DIGEST).text == CUE


def test_a_checkout_of_four_levels_and_not_of_five(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "agent.py").write_text(f"A = {LITERAL}")
    source = tmp_path / "a" / "b" / "c" / "d" / "memory_instruction.py"
    source.parent.mkdir(parents=True)
    source.write_text(PROMPTS)
    assert load_cue("upstream", source, None, known=DIGEST).text == CUE
    deeper = source.parent / "e" / source.name
    deeper.parent.mkdir()
    deeper.write_text(PROMPTS)
    with pytest.raises(ControlFault, match="does not"):
        load_cue("upstream", deeper, None, known=DIGEST)


def test_installed_packages_and_hidden_folders_are_passed_by(checkout):
    source = checkout(venv__lib__x=f"A = {OTHER!r}", WebArena__agent=f"A = {LITERAL}")
    hidden = source.parents[1] / ".venv"
    hidden.mkdir()
    (hidden / "y.py").write_text(f"A = {OTHER!r}")
    assert load_cue("upstream", source, None, known=DIGEST).text == CUE


def test_nothing_is_executed(checkout, tmp_path):
    marker = tmp_path / "executed"
    source = checkout(
        WebArena__agent=f"open({str(marker)!r}, 'w')\nHEADER = {LITERAL}\nraise SystemExit(3)\n"
    )
    assert load_cue("upstream", source, None, known=DIGEST).text == CUE
    assert not marker.exists()


@pytest.mark.parametrize("name", ["cue.txt", "cue.md", "CUE.TXT"])
def test_a_text_file_is_taken_whole(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf\r\n  Look at {these}:\r\nand \xc3\xa9.\r\n\n")
    assert load_cue("upstream", None, path).text == "Look at {these}:\nand é."


def test_a_named_file_wins_over_the_checkout(checkout, tmp_path):
    source = checkout(WebArena__agent=f"A = {LITERAL}")
    (tmp_path / "mine.txt").write_text(OTHER)
    cue = load_cue("upstream", source, tmp_path / "mine.txt", known=DIGEST)
    assert (cue.text, cue.label[:24]) == (OTHER, "cue: upstream, unverifie")
    (tmp_path / "mine.py").write_text(f"A = {LITERAL}")
    assert load_cue("upstream", None, tmp_path / "mine.py", known=DIGEST).text == CUE


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.py", None, "readable Python or text file"),
        ("absent.txt", None, "readable Python or text file"),
        ("cue.txt", b" \n", "1 to 2000 characters"),
        ("cue.txt", b"x" * (LONGEST + 1), "1 to 2000 characters"),
        ("cue.txt", b"\xff\xfe\xfa", "readable Python or text file"),
        ("cue.py", b"def", "readable Python or text file"),
        ("cue.py", b"\x00", "readable Python or text file"),
        ("cue.py", b"x = 1", "does not"),
        ("cue.py", b"#" * (MOST_BYTES + 1), "plain file of 512 kB at most"),
        ("cue.txt", b"#" * (MOST_BYTES + 1), "plain file of 512 kB at most"),
    ],
)
def test_a_named_file_that_holds_no_cue_is_refused(tmp_path, name, content, said):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ControlFault, match=said) as fault:
        load_cue("upstream", None, path)
    assert str(path) in one_line(fault)
    assert "control.cue_source" in one_line(fault)


def test_a_folder_in_the_place_of_a_file_is_refused(tmp_path):
    (tmp_path / "x.py").mkdir()
    for given in (
        (None, tmp_path / "x.py"),
        (tmp_path / "x.py", None),
        (tmp_path / "absent.py", None),
        (None, None),
    ):
        with pytest.raises(ControlFault) as fault:
            load_cue("upstream", *given)
        one_line(fault)
