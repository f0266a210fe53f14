"""Which verb can stand in the place of which, and what is a command alone. Data only.

Of each kind its verbs, parted by bars, and behind the arrow those that may stand in their place, wherever the
object is of that kind.
"""

from __future__ import annotations

import re

from loadbearing.perturbations.language.lexicon import VERBS, word_set

VERBS_OF = """
focus on | rely on | concentrate on -> report on, comment on
look at -> point at
finish with | answer with | respond with | reply with | end with -> start with
start with | begin with -> finish with, end with
ask -> call, email
compare | match | contrast -> combine, swap
sort | group | rank | order -> count, label
divide -> multiply
multiply -> divide
click | click on | tap | press -> hover over, point at
submit | save | send -> print, archive
enable -> disable
disable -> enable
search for | look for | wait for | ask for | look in | look through | refer to | pay attention to
 | go through | go to | go back to | navigate to | return to | walk to | head to | scroll to | switch to
 | log in to | move to | pick up | put down | look up | find out | roll back | note down | fill in | fill out
 -> read about, ask about, describe, discuss
"""

HAND_VERBS = """
clean | wash | wipe | rinse -> paint, cover, weigh
heat | warm | cook | boil | melt -> weigh, cover
cool | chill | freeze -> heat, warm, weigh
fill -> empty, weigh, cover
empty -> fill, weigh, cover
close | lock -> polish, paint
unlock -> lock, polish, paint
activate | turn on | switch on | plug in -> unplug, polish, cover
deactivate | turn off | switch off | unplug -> activate, polish, cover
push -> pull, polish, cover
pull -> push, polish, cover
"""
"""What hands do to the things of a house."""

ANY_VERB = ("describe", "discuss", "mention", "ask about", "read about", "note down")
"""What can be done to anything."""
ASKING = ("ask about", "read about")
TELLING = word_set("state explain report mention name list write summarize quote note describe discuss tell")
"""For these only what asks is another action."""

FRAMED = {"to": ("compare", "match"), "as": ("describe",)}
"""What takes the same preposition as any verb in whose place it stands."""

HEARERS = word_set("user customer supervisor manager team agent reviewer caller owner guest")
"""To whom something is described; all else is compared to."""

OWN = ("ask", "compare", "match", "contrast")
WITH_FRAME = ("sort by", "group by", "rank by", "order by", "divide by", "multiply by")
"""Verbs of the table above whose stand-ins take the same preposition."""

CLAUSE_VERBS = """
check | verify | confirm | double-check | cross-check | validate | ensure | make sure | determine | find
 out | see | identify | clarify | establish | decide
 -> assume, announce, predict, jot down
"""

WAITS = """
wait | pause | rest
 -> look around, count to ten, step back
"""

WHOLE = """
wait|wait1|pause, look around
inventory|check inventory, look around
go back|return|step back, scroll down|scroll up, zoom out
refresh|reload, zoom out, log out
"""
"""Commands without an object, as a kind of their own."""
_ALSO = word_set(
    "balance broaden chill concatenate configure contrast double-check dunk duplicate eat flush head "
    "initialize modify normalize observe publish purchase re-check re-read re-run rebuild repair reproduce "
    "rerun restate reword see shorten study transfer wind discuss print highlight underline archive comment "
    "propose decline attach scan forward escalate reschedule invite notify email mark"
)
_TABLES = re.findall(r"(?:->|,|\||^) ?([a-z-]+)", VERBS_OF + HAND_VERBS + CLAUSE_VERBS, re.MULTILINE)
ACTS = VERBS | _ALSO | frozenset(_TABLES)
"""What an imperative may begin with."""
ALONE = frozenset(one.strip() for one in WHOLE.replace("|", ",").replace("\n", ",").split(","))

NOUNISH = word_set(
    """
    answer attempt box check clean clear click comment complete cool copy correct count cut debug design
    direct display document drag drop dry edit empty filter focus guess handle heat help index judge
    label lead lift limit link list load lock log look mark match measure move name narrow note offer
    open order pass patch pause place plan play point pour press process query question quote rank rate
    read record release repeat report request research reset result return review run scan schedule
    score search select separate set share show slow sort split stand start state step stop store study
    submit supply switch talk test touch trace track trigger trust try turn type update upload use view
    visit wait walk warm wash watch wipe work write zoom
    """
)
"""Verbs that are nouns or adjectives as often."""
PLAIN = ACTS - NOUNISH
