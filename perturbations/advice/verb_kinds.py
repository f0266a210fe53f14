"""Which verb can stand in the place of which, and what is a command alone. Data only.

Of each kind its verbs, parted by bars, and behind the arrow those that may stand in their place, wherever the
object is of that kind.
"""

from __future__ import annotations

import re

from loadbearing.perturbations.language.lexicon import VERBS, word_set

VERBS_OF = """
check | verify | confirm | double-check | cross-check | validate | review | recheck | re-check |
 identify | determine | locate | extract | balance | reread | re-read | establish | evaluate | assess |
 analyze | analyse | fetch | retrieve | track | clarify | resolve | consult | query |
 browse | measure | calculate | compute | count | estimate | solve | record | note down | list |
 decompose | break down | summarize | restate | state | specify | report | recognize | scan | skim |
 study | isolate | interpret | infer | explore | use | apply | parse | read | find | search | look up |
 find out | note | name | quote | cite | write | mention | include | provide | give | test | debug |
 mock | assert | log
 -> copy, highlight, print, underline, jot down, spell out, copy out, print out
search for | look for | wait for | ask for | ask about | ask
 -> write about, report on, read about, comment on
focus on | look at | pay attention to | examine | inspect | observe | watch | look in | look through |
 rely on | refer to | narrow down | go through
 -> photograph, describe, comment on, talk about
compare | contrast | match | convert | change | replace | substitute | swap
 -> combine, replace, shuffle
merge | combine | join | concatenate
 -> compare, print, rename, translate
sort | group | filter | rank | order
 -> count, label
leave out | remove | delete | drop | strip | exclude | filter out | ignore | discard | omit
 -> copy, hide, underline, print out, spell out
finish with | answer with | respond with | reply with | end with
 -> start with, ask about, comment on
start with | begin with
 -> finish with, end with, stop at
refine | broaden | narrow | rephrase | reword | reformulate | simplify | shorten
 -> repeat, underline, print, copy
click | click on | tap | press | select | open | visit | navigate to | go to | return to | access |
 launch | go back to | scroll to | load | enter | switch to | choose | pick | follow | walk to | head to
 | move to
 -> scroll past, hover over, bookmark, zoom in on
submit | save | send | upload | post | publish | complete | purchase | buy | order | deliver | type
 -> preview, archive, print, shorten
answer -> repeat, print
run | execute | rerun | re-run | call | test -> rename, document, comment out
add | insert | import | implement | define | document | install | pass -> remove, delete, comment out
fix | patch | repair | refactor | update | modify | edit | rename | reproduce | adjust | normalize |
 rebuild | handle | catch | wrap | guard | return | raise | commit -> duplicate, rename, comment out
create | initialize | configure | set -> delete, rename, duplicate
enable -> disable
disable -> enable
put | place | move | pour | carry | bring | insert | transfer | return
 -> hide, drop, slide
pick up | take | grab | get | collect | gather -> walk past, point at, photograph
put down -> pick up, polish
clean | wash | wipe | rinse -> paint, cover, weigh
heat | warm | cook | boil | melt -> chill, weigh, cover
cool | chill | freeze -> heat, warm, cover
fill -> empty, weigh, cover
empty -> fill, weigh, cover
close | lock -> open, polish, paint
unlock -> lock, polish, paint
activate | turn on | switch on | plug in | connect -> unplug, polish, cover
deactivate | turn off | switch off | unplug | disconnect -> activate, polish, cover
push -> pull, polish, cover
pull -> push, polish, cover
slice | cut | mix | eat | flush | dunk | wind | turn | toggle | rotate -> weigh, polish, cover
"""

CLAUSE_VERBS = """
check | verify | confirm | double-check | cross-check | validate | ensure | make sure | determine | find
 out | see | identify | clarify | establish | decide
 -> assume, announce, predict, jot down
"""

WAITS = """
wait | pause | rest
 -> look around, count to ten, step back, leave the room
"""

WHOLE = """
wait|wait1|pause, look around
inventory|check inventory, look around
go back|return|step back, scroll down|scroll up, zoom out
refresh|reload, zoom out, log out
"""
"""Commands without an object, as a kind of their own."""
ACTS = VERBS | frozenset(re.findall(r"(?:->|,|\||^) ?([a-z-]+)", VERBS_OF + CLAUSE_VERBS, re.MULTILINE))
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
