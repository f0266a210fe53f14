"""Spans between marks: written as the condition shows them, and nothing else of a request is touched."""

import json
from typing import Any

import pytest

from memtrial.delivery.marked_request import MarkFault, rewrite_request
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.span_items import SpanItems
from memtrial.faults import SpecFault
from memtrial.models.wire.content_codings import decode, encode

MARKS = MemoryMarks()
FIRST = 'When the "lamp" is red,\npress the green button é.'
SECOND = "When the bell rings, open the north door."
KNOWN = (FIRST, SECOND)
DAMAGED = ("Leave the lamp.\n\nDo it twice.", 'Shut "every" door \\ wait.')
BOTH = f"{FIRST}\n\n{SECOND}"


def marked(text: str, marks: MemoryMarks = MARKS) -> str:
    return f"{marks.opening}\n{text}\n{marks.closing}"


def rewrite(
    request: Any, shown: tuple[str, ...] = DAMAGED, known: tuple[str, ...] = KNOWN, marks: MemoryMarks = MARKS
) -> Any:
    sent = request if isinstance(request, bytes) else json.dumps(request).encode()
    return json.loads(rewrite_request(sent, "", marks, SpanItems(known, shown)).body)


def told(text: str, shown: tuple[str, ...] = DAMAGED, known: tuple[str, ...] = KNOWN) -> str:
    return str(rewrite({"system": text}, shown, known)["system"])


PLACES = {
    "messages, a system text": {"system": "*", "messages": [{"role": "user", "content": "a"}]},
    "messages, a system block": {"system": [{"type": "text", "text": "*", "cache_control": {"type": "e"}}]},
    "messages, a tool's result": {
        "messages": [{"role": "user", "content": [{"type": "tool_result", "content": [{"text": "*"}]}]}]
    },
    "chat": {"messages": [{"role": "system", "content": "*"}, {"role": "tool", "content": "*"}]},
    "responses": {"instructions": "*", "input": [{"type": "function_call_output", "output": "*"}]},
    "embeddings": {"input": ["*", "other"]},
    "a tool's description": {"tools": [{"name": "n", "description": "*"}]},
    "what the model is made to have said": {"messages": [{"role": "assistant", "content": "*"}]},
    "JSON within a text": {"messages": [{"role": "user", "content": json.dumps({"output": "*", "n": 1})}]},
}


@pytest.mark.parametrize("name", PLACES)
def test_a_span_is_written_anew_wherever_a_text_stands(name: str) -> None:
    pattern = json.dumps(PLACES[name])

    def fill(text: str) -> Any:
        inner = json.dumps(text)[1:-1]
        return json.loads(pattern.replace("*", json.dumps(inner)[1:-1] if "within" in name else inner))

    assert rewrite(fill(f"a {marked(BOTH)} b")) == fill("a \n" + "\n\n".join(DAMAGED) + "\n b")
    assert rewrite(fill(f"a {marked(BOTH)} b"), KNOWN) == fill(f"a \n{BOTH}\n b")
    assert rewrite(fill(f"a {marked(BOTH)} b"), ()) == fill("a  b")


def test_all_but_the_texts_with_spans_stays_byte_for_byte() -> None:
    head = (
        b'{ "a" : 1.50e3,\r\n\t"b":"\\u00e9\\/\xc3\xa9 [[", "[[memory]]": {"k":"\\ud83d"}, "c" :[true,null , '
    )
    tail = b' ,"x\\u005by", "\\\\" ] , "d": "' + json.dumps(marked("no item"))[1:-1].encode()[:3] + b'"} \n'
    for span in (json.dumps(f"é{marked(SECOND)}"), json.dumps(f"é{marked(SECOND)}", ensure_ascii=False)):
        sent = head + span.encode() + tail
        made = rewrite_request(sent, "", MARKS, SpanItems(KNOWN, DAMAGED))
        new = json.dumps(f"é\n{DAMAGED[1]}\n", ensure_ascii=span.isascii()).encode()
        assert made.body == head + new + tail
        assert made.spans == 1


def test_a_mark_is_seen_however_json_writes_it() -> None:
    text = json.dumps(f"a{MARKS.opening}{SECOND}{MARKS.closing}b")
    escaped = text.replace("/", "\\/").replace("[", "\\u005b")
    assert MARKS.opening not in escaped
    assert rewrite(f'{{"system": {escaped}}}'.encode())["system"] == f"a{DAMAGED[1]}b"
    marks = MemoryMarks("«mém»", "«/mém»")
    for raw in (json.dumps(f"«mém»{SECOND}«/mém»"), f'"«mém»{SECOND}«/mém»"'):
        assert rewrite(f'{{"system": {raw}}}'.encode(), marks=marks)["system"] == DAMAGED[1]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, br", "identity"])
def test_a_request_goes_on_in_the_coding_in_which_it_came(coding: str) -> None:
    plain = json.dumps({"system": marked(FIRST)}).encode()
    made = rewrite_request(encode(plain, coding), coding, MARKS, SpanItems(KNOWN, DAMAGED))
    assert json.loads(decode(made.body, coding))["system"] == f"\n{DAMAGED[0]}\n"
    without = encode(b'{"system": "none"}', coding)
    assert rewrite_request(without, coding, MARKS, SpanItems(KNOWN, DAMAGED)).body == without


def test_items_are_looked_up_one_by_one_in_any_order_and_number() -> None:
    assert told(f"{marked(SECOND)} and {marked(FIRST)}") == f"\n{DAMAGED[1]}\n and \n{DAMAGED[0]}\n"
    assert told(marked(f"{SECOND}\n\n\n  {FIRST}")) == f"\n{DAMAGED[1]}\n\n{DAMAGED[0]}\n"
    assert told(f"a{MARKS.opening}{MARKS.closing}b") == "ab"
    assert told(marked(BOTH), ("", DAMAGED[1])) == f"\n{DAMAGED[1]}\n"
    # the whole may have other items in a condition, or less of them
    assert told(marked(BOTH), ("All else.",)) == "\nAll else.\n"
    with pytest.raises(MarkFault, match="holds 1 of 2 items, and the condition has 1 texts"):
        told(marked(FIRST), ("All else.",))


def test_the_numbers_that_a_client_puts_before_lines_stay() -> None:
    shown = (
        f"     1\t# Notes\n     2\t{MARKS.opening}\n     3\t{SECOND}\n     4\t{MARKS.closing}\n     5\tEnd."
    )
    long = told(shown, ("one\ntwo\nthree",), (SECOND,))
    assert (
        long == "     1\t# Notes\n     2\t\n     3\tone\n     4\ttwo\n     5\tthree\n     4\t\n     5\tEnd."
    )
    assert told(shown, (), (SECOND,)) == "     1\t# Notes\n     2\t\n     5\tEnd."
    arrows = f"    9→{MARKS.opening}\n   10→{SECOND}\n   11→{MARKS.closing}"
    assert told(arrows, (SECOND,), (SECOND,)) == f"    9→\n   10→{SECOND}\n   11→"


def test_a_text_of_which_nothing_is_left_is_no_blank_one() -> None:
    assert told(marked(BOTH), ()) == "(empty)"
    assert told(f" {marked(BOTH)}\n", ()) == "(empty)"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (["a [[memory]] b"], r"\[\[memory\]\] in messages\.0\.content\.0 has no \[\[/memory\]\]"),
        (["a", "b [[/memory]]"], r"\[\[/memory\]\] in messages\.0\.content\.1 has no \[\[memory\]\]"),
        (
            ["a [[memory]] b", "c", "d [[/memory]]"],
            r"begins in messages\.0\.content\.0 and ends in messages\.0\.content\.2",
        ),
        ([marked(f"x {MARKS.opening}")], r"content\.0 has no \[\[/memory\]\]"),
        ([f"{MARKS.closing} {MARKS.opening}"], r"\[\[/memory\]\] in messages"),
        ([marked("Another.")], "no item has, there, the line 'Another.'; a span holds items"),
        ([marked(FIRST.split("\n")[0])], "an item is cut off after the line"),
        ([json.dumps({"o": "[[memory]]"})], r"content\.0 has no"),
        ([json.dumps({"o": "[[memory]]", "p": "[[/memory]]"})], "text within a text has no partner"),
    ],
)
def test_what_cannot_be_followed_is_named_and_never_guessed(content: list[str], line: str) -> None:
    for shown in (DAMAGED, KNOWN, ()):
        with pytest.raises(MarkFault, match=line) as fault:
            rewrite({"messages": [{"role": "user", "content": content}]}, shown)
        assert "\n" not in str(fault.value)


def test_what_cannot_be_read_is_refused_where_it_has_marks_and_passes_where_it_has_none() -> None:
    items = SpanItems(KNOWN, DAMAGED)
    with pytest.raises(MarkFault, match="no JSON"):
        rewrite_request(b"[[memory]] x", "", MARKS, items)
    with pytest.raises(MarkFault, match="cannot be searched for marks: content-encoding 'rot13'"):
        rewrite_request(b"{}", "rot13", MARKS, items)
    for body in (b"", b"\xff\\u", b"[" * 100_000, b"no JSON"):
        assert rewrite_request(body, "", MARKS, items).body is body


@pytest.mark.parametrize(
    "marks",
    [
        ("[[", "]]"),
        ("<<<<", "<<<<"),
        ("[memory]", "[[memory]]"),
        ('"memory"', "/memory"),
        ("<!-- m -->", "/mem"),
    ],
)
def test_marks_that_cannot_be_told_apart_or_do_not_arrive_are_refused(marks: tuple[str, str]) -> None:
    with pytest.raises(SpecFault, match="mark"):
        MemoryMarks(*marks)


def test_items_that_cannot_be_told_apart_are_refused_and_equal_ones_are_not() -> None:
    with pytest.raises(SpecFault, match="'a b' begins with all of 'a'"):
        SpanItems(("a", "a\nb"), ())
    with pytest.raises(SpecFault, match="begins with all of 'a'"):
        SpanItems(("a\nb", "a"), ())
    assert told(marked("a\n\na"), ("x", "y"), ("a", "a")) == "\nx\n\ny\n"
