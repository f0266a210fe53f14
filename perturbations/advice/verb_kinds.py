"""Verbs of advice: what an imperative may begin with, and what belongs to a verb. Data only."""

from loadbearing.memory.language.lexicon import VERBS, word_set

ACTS = VERBS | word_set(
    """
    approve archive balance broaden chill collapse comment concatenate concentrate configure contrast
    discuss double-check double-click dunk duplicate eat email export flush forward halve head highlight
    hover initialize jot memorize mention modify normalize observe out paint polish predict print publish
    purchase re-check re-read re-run rebuild refund relabel repair reproduce rerun restate reword see
    shorten study transfer underline upgrade wind
    """
)
"""What an imperative may begin with."""

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
LOOSE = word_set(
    "to for with by from at in on up down out off away back as of about until outside inside upstairs "
    "downstairs there here home again first twice once further elsewhere"
)
"""Behind a verb they belong to it: another verb would not take what follows."""
WHOLE = {
    **dict.fromkeys(("wait", "wait1", "pause"), ("look around", "step back")),
    **dict.fromkeys(("inventory", "check inventory"), ("look around",)),
    "look around": ("inventory",),
    **dict.fromkeys(("go back", "return"), ("scroll down", "zoom out")),
    "scroll down": ("scroll up", "zoom out"),
    **dict.fromkeys(("refresh", "reload"), ("zoom out", "log out")),
}
"""Commands without an object, and what may be done instead."""
ALONE = frozenset(WHOLE) | {other for others in WHOLE.values() for other in others}
