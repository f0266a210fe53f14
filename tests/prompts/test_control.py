"""The control's loader: it reads constants, executes nothing, and says how sure it is."""

from hashlib import sha256

import pytest

from memtrial.prompts.control_prompts import KNOWN, ControlFault, ControlPrompts, load_control
from memtrial.prompts.templates import Prompt

PLAIN = 'SUCCESSFUL_SI = "do well"\nFAILED_SI = "do better"\n'
# UPSTREAM.md, digests of the native prompts
TABLE = {
    "upstream webarena v0": ("f5970ef4e2f0322b18df3ad0d9a032ca99d5c506f02208b26ea935b369950b75",
                             "5a94bae712003887cd5afe0b18afb48a225ea8c598555394a6fcd21d7b014f19"),
    "upstream webarena v1": ("e5c092cf3b67fb94075bb834f8d1802266493bc265d622c77b3a491b37160c2e",
                             "51892efb46c9327955f253c45f56ec622964fd88baea3b033f09d325dbb8bfd9"),
    "upstream swe v0/v1": ("164bac8dc9fb662db23a03b063f27307b50b657e95265b7d517af5a2846b8837",
                           "3803e1d84f53684e41a5fedffe85fd2bdb2fb2348f9537474758bc0912b4c0ff"),
    "harness of the paper": ("5ce0b95fa747312ac298845a3bee913dcc3974011ba55cd20a9685db071b5a6f",
                             "9c18003d62213545f676ec97d8ea7ca0a10624f5061bc8952d1f6a2a6091139b"),
}  # fmt: skip


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture
def source(tmp_path):
    def write(text: str | bytes):
        path = tmp_path / "memory_instruction.py"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_without_a_checkout_our_own_wording_stands_in_and_says_so():
    control = load_control(None)
    assert control.label == "control: embedded equivalent"
    assert control.success == Prompt("native_success").render()
    assert control.failure == Prompt("native_failure").render()
    assert control.success != control.failure


def test_the_known_digests_are_upstreams():
    assert {version: pair for pair, version in KNOWN.items()} == TABLE


def test_a_known_text_is_verified(source):
    known = {(digest("do well"), digest("do better")): "upstream toy v7"}
    control = load_control(source(PLAIN), known)
    assert control == ControlPrompts("do well", "do better", "control: upstream toy v7 (verified)")


@pytest.mark.parametrize(
    ("success", "failure"), [("do well.", "do better"), ("do well", "do better "), ("do better", "do well")]
)
def test_any_other_text_is_unverified(source, success, failure):
    known = {(digest("do well"), digest("do better")): "upstream toy v7"}
    control = load_control(source(f"SUCCESSFUL_SI = {success!r}\nFAILED_SI = {failure!r}\n"), known)
    assert control.label == f"control: unverified {digest(success)[:12]}+{digest(failure)[:12]}"
    assert (control.success, control.failure, control.temperature) == (success, failure, None)


@pytest.mark.parametrize(
    ("version", "manner"),
    [
        ("upstream webarena v0", ("webarena", 0.7, "actions")),
        ("upstream webarena v1", ("webarena", 1.0, "actions")),
        ("upstream swe v0/v1", ("swe", 1.0, "messages")),
    ],
)
def test_a_verified_text_is_used_as_its_version_uses_it(source, version, manner):
    known = {(digest(" do well\n"), digest("do better")): version}
    control = load_control(source("SUCCESSFUL_SI = ' do well\\n'\nFAILED_SI = 'do better'\n"), known)
    assert (control.layout, control.temperature, control.view) == manner
    asked = (control.max_tokens, control.reason, control.blank_actions)
    assert (
        asked
        == {
            "upstream webarena v0": (None, False, True),
            "upstream webarena v1": (None, True, False),
            "upstream swe v0/v1": (65_536, False, True),
        }[version]
    )
    assert control.success == ("do well" if version == "upstream swe v0/v1" else " do well\n")


def harness(place, success="do well\n", failure="do better\n"):
    for name, text in (("succeed_prompt.txt", success), ("failed_prompt.txt", failure)):
        (place / name).write_text(text)
    return place / "succeed_prompt.txt"


@pytest.mark.parametrize("name", ["succeed_prompt.txt", "failed_prompt.txt"])
def test_the_papers_harness_holds_two_text_files(tmp_path, name):
    known = {(digest("do well\n"), digest("do better\n")): "harness of the paper"}
    control = load_control(harness(tmp_path).with_name(name), known)
    assert control == ControlPrompts(
        *("do well\n", "do better\n", "control: harness of the paper (verified)"),
        *("harness", 1.0, "actions", 2048, False, False),
    )


def test_one_changed_byte_of_the_harness_is_seen(tmp_path):
    known = {(digest("do well\n"), digest("do better\n")): "harness of the paper"}
    control = load_control(harness(tmp_path, failure="do better"), known)
    assert control.label.startswith("control: unverified ")
    assert control.layout == "harness"


def test_a_harness_that_lacks_a_file_or_has_another_name_is_refused(tmp_path):
    there = harness(tmp_path)
    (tmp_path / "other.txt").write_text("x")
    with pytest.raises(ControlFault, match="or a Python file; got"):
        load_control(tmp_path / "other.txt")
    there.with_name("failed_prompt.txt").unlink()
    with pytest.raises(ControlFault, match="needs both"):
        load_control(there)
    there.with_name("failed_prompt.txt").write_text(" ")
    with pytest.raises(ControlFault, match="is blank"):
        load_control(there)


def test_the_table_of_upstream_is_the_default(source):
    assert load_control(source(PLAIN)).label.startswith("control: unverified ")


def test_the_file_is_never_executed(source, tmp_path):
    marker = tmp_path / "executed"
    control = load_control(
        source(
            f"import sys, no_such_module_anywhere\nopen({str(marker)!r}, 'w').write('x')\n{PLAIN}"
            "raise SystemExit(3)\nexec('1/0')\nOTHER = undefined_name + 1\nsys.exit()\n"
        )
    )
    assert (control.success, control.failure) == ("do well", "do better")
    assert not marker.exists()


@pytest.mark.parametrize(
    "text",
    [
        'SUCCESSFUL_SI = (\n  "do "\n  "well"\n)\nFAILED_SI = """do better"""\n',  # implicit concatenation
        "SUCCESSFUL_SI: str = 'do well'\nFAILED_SI: str = r'do better'\n",
        "A = SUCCESSFUL_SI = 'do well'\nFAILED_SI = 'do better'\n",
        "def f():\n    return SUCCESSFUL_SI\n" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        b"\xef\xbb\xbf" + PLAIN.encode(),
    ],
)
def test_ways_to_write_the_same_constants(source, text):
    control = load_control(source(text))
    assert (control.success, control.failure) == ("do well", "do better")


def test_line_ends_of_a_checkout_do_not_change_the_text(source):
    text = 'SUCCESSFUL_SI = """one\ntwo"""\nFAILED_SI = "x"\n'
    assert load_control(source(text)).success == load_control(source(text.replace("\n", "\r\n"))).success


def test_the_encoding_line_counts(source):
    text = "# -*- coding: latin-1 -*-\nSUCCESSFUL_SI = 'é'\nFAILED_SI = 'x'\n"
    assert load_control(source(text.encode("latin-1"))).success == "é"


@pytest.mark.parametrize(
    "bound",
    [
        "SUCCESSFUL_SI = f'do {1}'",
        "SUCCESSFUL_SI = 'do ' + 'well'",
        "SUCCESSFUL_SI = ' do well '.strip()",
        "SUCCESSFUL_SI = b'do well'",
        "SUCCESSFUL_SI = 7",
        "SUCCESSFUL_SI = None",
        "SUCCESSFUL_SI = ('do well',)",
        "SUCCESSFUL_SI = ''",
        "SUCCESSFUL_SI = ' \\n '",
        "SUCCESSFUL_SI = '\\ud800'",  # no request could carry it
        "if True:\n    SUCCESSFUL_SI = 'do well'",
        "SUCCESSFUL_SI = 'do well'\nSUCCESSFUL_SI += ' and more'",
        "SUCCESSFUL_SI = 'do well'\nSUCCESSFUL_SI = SUCCESSFUL_SI.upper()",
        "SUCCESSFUL_SI = 'do well'\nif True:\n    SUCCESSFUL_SI = 'other'",
        "SUCCESSFUL_SI, OTHER = 'do well', 'x'",
        "successful_si = 'do well'",
        "",
    ],
)
def test_a_constant_that_is_no_plain_literal_is_refused_by_name(source, bound):
    path = source(f"{bound}\nFAILED_SI = 'do better'\n")
    with pytest.raises(ControlFault) as fault:
        load_control(path)
    message = str(fault.value)
    assert "lacks SUCCESSFUL_SI:" in message
    assert str(path) in message
    assert "\n" not in message


def test_both_missing_constants_are_named(source):
    with pytest.raises(ControlFault, match="lacks SUCCESSFUL_SI, FAILED_SI"):
        load_control(source("x = 1\n"))


@pytest.mark.parametrize(
    "text", [PLAIN + "def (", b"SUCCESSFUL_SI = '\xff\xfe'\n", PLAIN + "\x00", "(" * 500, "-" * 50_000 + "1"]
)
def test_a_file_that_is_no_python_is_refused(source, text):
    with pytest.raises(ControlFault, match="needs a readable Python or text file"):
        load_control(source(text))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    for path in (tmp_path / "absent.py", tmp_path):
        with pytest.raises(ControlFault, match="needs a readable Python or text file"):
            load_control(path)


def test_the_digest_covers_both_texts_and_their_border():
    pairs = [("ab", "c"), ("a", "bc"), ("abc", ""), ("c", "ab")]
    assert len({ControlPrompts(*pair, label="x").digest for pair in pairs}) == len(pairs)
    assert ControlPrompts("a", "b", "x").digest == ControlPrompts("a", "b", "y").digest
