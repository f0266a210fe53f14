"""Triggers and checks: what they compile to, when they hold, and what they refuse."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.agents.trajectory import Moment
from memtrial.memory.trigger import TriggerFault, compile_form, compile_trigger
from memtrial.memory.words import POLARITY, STOP_WORDS, content_words, stem, words

calm = settings(deadline=None)  # the first call imports, and machines are shared

SHOP = Moment(
    task="What was the total of my first order in the shop's history?",
    state='Orders table, page 1 of 4.\nButtons: "Back", "Next page". Don\'t refresh. Sorted by date | newest',
    action="click [Next page]",
)

HOLDS = [
    "task: order",
    "task: the orders of my history",  # plural, stop words
    "task: shop",  # possessive
    'task: "first order"',
    'task: "FIRST ORDER"',
    "state: button",
    "state: sorting dates",  # sorted / sorting, date / dates
    "state: 'next page'",
    "state: `Next page`",
    "state: “Next page” button",
    "state: ‘Next page’",
    "state: «page 1 of 4»",
    'state: "date | newest"',
    'state: "Buttons: "',
    'state: "page 1 of 4. buttons"',  # the world broke the line there
    "state: don't refresh",
    "action: clicking",
    'task: total | state: "Next page" | action: click',
    "task: total\nstate: page\n- **Action:** click",
    "STATE: Orders",
]
FAILS = [
    "task: buttons",
    "state: order history",  # one word of two is missing
    "state: butt",  # words, not parts of words
    'task: "order first"',
    'state: "Next page" purchase',
    "action: buy",
    'task: total | state: "Next page" | action: buy',
    'state: "page  1 of 44"',
]
FAULTS = [
    "",
    " \n ",
    "when the order table shows",
    "order history",
    '"Next": page',
    "when: the order table shows",
    "not state: x",
    "state: the of and",
    "state: not",
    "state:",
    'state: ""',
    "state: …",
    "task: order |",
    "task: order | | state: x",
    "task: order | page",
    'state: "never closed',
    "state: “never closed",
]


@pytest.mark.parametrize("text", HOLDS)
def test_holds(text):
    assert compile_trigger(text).holds(SHOP)


@pytest.mark.parametrize("text", FAILS)
def test_does_not_hold(text):
    assert not compile_trigger(text).holds(SHOP)


@pytest.mark.parametrize("text", FAULTS)
def test_refuses_in_one_line(text):
    with pytest.raises(TriggerFault) as fault:
        compile_trigger(text)
    assert "\n" not in str(fault.value)
    assert str(fault.value)


def test_the_refusal_names_the_fault():
    with pytest.raises(TriggerFault, match="not 'when'"):
        compile_trigger("when: the table shows")
    with pytest.raises(TriggerFault, match="begins with"):
        compile_trigger("order history")
    with pytest.raises(TriggerFault, match="does not close"):
        compile_trigger('state: "open')


def test_bars_and_colons_in_quotes_do_not_split():
    trigger = compile_trigger("state: \"a | state: b\" | task: 'c: | d' e | action: `f|g` “h | i”")
    assert [cue.kind for cue in trigger.cues] == ["state", "task", "action"]
    assert trigger.cues[0].text == 'state: "a | state: b"'
    assert trigger.holds(Moment("e C: | D", "A | STATE: B", "f|g h | i"))
    assert not trigger.holds(Moment("e c d", "a state b", "f g h i"))


def test_apostrophes_and_inches_are_no_quotes():
    trigger = compile_trigger("state: don't close the users' page | task: a 5\" pipe's end")
    assert [cue.kind for cue in trigger.cues] == ["state", "task"]
    assert trigger.holds(Moment("ends of the pipe, 5 inches", "closed: pages of a user"))
    assert compile_trigger("state: o'clock").holds(Moment("", "ten O’Clock"))


def test_a_length_in_inches_opens_no_quote():
    trigger = compile_trigger('state: 5" pipe | action: "cut"')
    assert [cue.kind for cue in trigger.cues] == ["state", "action"]
    assert trigger.holds(Moment("", "a pipe of 5 inches", "cut it"))


def test_a_function_word_is_no_content_word_of_the_same_stem():
    assert stem("one") == stem("on")
    assert not compile_trigger("state: one").holds(Moment("", "on the table"))


def test_why_gives_the_cues_that_held_as_written():
    trigger = compile_trigger("task: Totals | action: buy|state:  'Next page'")
    assert trigger.why(SHOP) == "task: Totals | state:  'Next page'"
    assert not trigger.holds(SHOP)
    assert trigger.text == "task: Totals | action: buy|state:  'Next page'"
    assert compile_trigger("action: buy").why(SHOP) == ""


def test_an_action_cue_waits_for_an_action():
    trigger = compile_trigger("task: order | action: click")
    assert trigger.needs_action
    assert not compile_trigger('task: "action: click"').needs_action
    assert trigger.holds(SHOP)
    assert not trigger.holds(Moment(SHOP.task, SHOP.state))


plain = st.text(
    alphabet=st.characters(blacklist_characters="|:\"'`“”„«»‹›「」‘’\n", blacklist_categories=["Cs"])
)
English = st.lists(
    st.sampled_from(
        [
            "the",
            "not",
            "opening",
            "opened",
            "doors",
            "door's",
            "Tried",
            "try",
            "3.5",
            "3",
            "don't",
            "中文",
            "café",
        ]
    )
).map(" ".join)


@calm
@given(cue=st.one_of(plain, English), state=st.one_of(plain, English))
def test_an_unquoted_cue_holds_exactly_when_all_its_content_words_are_there(cue, state):
    wanted = set(content_words(cue))
    if not wanted:
        with pytest.raises(TriggerFault):
            compile_trigger(f"state: {cue}")
    else:
        trigger = compile_trigger(f"state: {cue}")
        assert trigger.holds(Moment("", state)) is (wanted <= set(content_words(state)))
        assert trigger.holds(Moment("", f"{state} {cue} {state}"))
        assert not trigger.holds(Moment(f"{state} {cue}", "", cue))


@calm
@given(before=st.text(max_size=9), quote=plain.filter(str.strip), after=st.text(max_size=9))
def test_a_quoted_cue_holds_wherever_the_text_is_a_substring(before, quote, after):
    trigger = compile_trigger(f'state: "{quote}"')
    assert trigger.holds(Moment("", f"{before}{quote}{after}"))
    if quote.casefold() not in before.casefold():
        assert not trigger.holds(Moment(quote, before.replace("\n", "") * (" " not in quote.strip()), quote))


@calm
@given(text=st.text(alphabet="tasksteaction:|\"'` \nnotx", max_size=40))
def test_any_text_compiles_or_is_refused(text):
    try:
        trigger = compile_trigger(text)
    except TriggerFault:
        return  # what a refusal looks like is tested above
    else:
        assert trigger.cues
        assert not trigger.holds(Moment("", "", ""))
        assert hash(trigger) == hash(compile_trigger(text))


def test_a_heuristic_asks_nothing():
    for text in ("heuristic", "Heuristic", " heuristic.\n", "", "heuristic (no check is possible)"):
        assert compile_form(text) is None


def test_a_check_is_a_precondition_on_the_live_state():
    check = compile_form("check: state: \"Next\" | not state: 'Last | not page' | not action: buying")
    assert check is not None
    assert check.holds(SHOP)
    assert not check.holds(Moment("", "Next, Last | not page"))
    assert not check.holds(Moment("", "nothing here"))
    assert not check.holds(Moment("", "next", "buy it"))


@calm
@given(cue=st.sampled_from(["task: order", 'state: "next"', "action: click", "state: missing"]))
def test_not_turns_a_cue_round(cue):
    plain_check, negated = compile_form(f"check: {cue}"), compile_form(f"Check: NOT {cue}")
    assert plain_check is not None
    assert negated is not None
    assert plain_check.holds(SHOP) is not negated.holds(SHOP)
    assert plain_check.holds(SHOP) is compile_trigger(cue).holds(SHOP)


@pytest.mark.parametrize(
    "text",
    ["check", "check:", "check: ", "check: the table shows", "check: not", "rule: state: x", "state: x",
     "check: not not state: x", "heuristics apply", "heuristic | check: state: x", "check: state: the"],
)  # fmt: skip
def test_a_form_that_cannot_be_evaluated_is_refused(text):
    with pytest.raises(TriggerFault) as fault:
        compile_form(text)
    assert "\n" not in str(fault.value)


FORMS = [
    "page pages", "make makes making", "use uses used using", "open opens opened opening",
    "stop stops stopped stopping", "try tries tried trying", "class classes", "box boxes",
    "search searches searched searching", "movie movies", "key keys", "focus focuses focused focusing",
    "press presses pressed pressing", "plant plants plant's planted", "button buttons",
    "control controls controlled controlling", "fill filled filling", "bus buses", "see sees seeing",
]  # fmt: skip


@pytest.mark.parametrize("forms", FORMS)
def test_forms_of_one_word_share_a_stem(forms):
    assert len({stem(word) for word in forms.split()}) == 1


def test_short_words_and_other_words_keep_apart():
    apart = "string red bed king ring need seed bring gas this page pass open close see next button door box"
    assert len({stem(word) for word in apart.split()}) == len(apart.split())
    assert stem("string") == "string"
    assert stem("red") == "red"


def test_words_know_scripts_apostrophes_and_decimals():
    assert words("It's 3.5 kg, naïve cafe\u0301; हिन्दी 中文 order_id don’t.") == [
        "It's", "3.5", "kg", "naïve", "cafe\u0301", "हिन्दी", "中", "文", "order", "id", "don’t",
    ]  # fmt: skip


def test_function_and_polarity_words_carry_no_content():
    assert content_words("Do NOT avoid the doors unless you don’t never can't open them") == ["door", "open"]
    assert {"do", "avoid", "not", "never", "no", "unless", "without"} <= POLARITY <= STOP_WORDS
    assert 150 <= len(STOP_WORDS) <= 260
