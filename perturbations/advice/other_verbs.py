"""Another verb for an advised one: what is done to the same object, in the same frame of prepositions."""

from itertools import pairwise

from loadbearing.memory.language.lexicon import DETERMINERS, NUMBERS, PREPOSITIONS, word_set
from loadbearing.perturbations.advice.exchange import Pair
from loadbearing.perturbations.advice.verb_kinds import ACTS, LOOSE, PLAIN, WHOLE

_TO_HEARER = ("describe",)
_HEARERS = word_set("user customer supervisor manager team agent reviewer caller owner guest")
"""To whom something is described; all else is compared to."""
_FRAMED = """
take to | bring to | carry to | move to | fetch to | put into | place into | put onto -> slide, push, throw
add to -> drag, copy
convert to | change to | turn to -> round
connect to | attach to | match to -> compare
set to | adjust to -> match
return to | send to | forward to | assign to -> compare
"""
"""Verbs with the preposition that their object is followed by, and what takes the same one."""
_OTHERS = """
focus on | rely on -> report on, comment on
look at -> point at
finish with | answer with | respond with | reply with | end with -> start with
start with | begin with -> finish with, end with
search for | look for -> wait for, ask for
wait for | ask for -> look for, search for
look up | find out -> note down, cross out
note down | write down -> cross out, read out
put down -> pick up
take out -> push in
put back -> take out
pick up -> put down, push
fill in | fill out -> cross out
go to | go back to | navigate to | walk to | head to | return to | switch to -> point to, refer to
ask | call | tell -> email, avoid
compare | match | contrast -> combine, swap
sort | rank | order -> filter, group
sort by | rank by | order by -> group by, filter by
group -> filter, sort
filter -> export, print
divide -> multiply
multiply -> divide
click | click on | tap | press | double-click -> hover over, point at
submit | save | send -> print, archive, discard
enable -> disable
disable -> enable
activate | turn on | switch on | plug in -> unplug, cover
deactivate | turn off | switch off -> activate, cover
open -> close, hide
close -> open, cover
push -> pull, cover
pull -> push, cover
read | re-read | review | study | skim -> print, copy, bookmark
quote | cite -> paraphrase, omit
check | double-check | re-check | verify | confirm | validate -> guess, change, hide
inspect | examine | observe | watch | view | scan | highlight -> hide, cover
note | record | jot | remember | memorize -> guess, omit
search | explore | browse -> list, count, copy
find | locate | identify -> hide, rename
choose | select | pick -> hide, delete
set | enter | type | specify -> clear, copy, delete
update | edit | modify | adjust | correct | fix | repair | patch | change -> copy, delete, archive
write | create | build | rebuild -> print, delete, move
delete | remove | discard | drop | clear -> archive, rename, copy
cancel | postpone -> repeat, approve
run | execute | rerun | re-run | launch -> skip, delete, pause
rename | relabel -> move, delete
commit | merge -> revert, discard
revert | undo -> repeat, commit
install | upgrade | configure -> remove, disable
import -> export
export | download -> delete, rename
upload -> download, delete
take | grab | fetch | collect | get | bring | carry -> push, cover
put | place | store | insert | leave | keep -> count, clean
heat | warm | boil | melt | cook -> cool, freeze
cool | chill | freeze -> heat, boil
wash | clean | rinse | wipe -> paint, dry
dry -> wash, paint
cut | slice | peel | chop -> wash, cool
fill -> empty, wash
empty -> fill, wash
mix | stir -> separate, cool
separate | split -> mix, merge
connect | attach -> paint, hide
disconnect | detach -> connect, paint
measure | weigh | test -> guess, paint
count | calculate | compute | average -> guess, copy
convert | round -> copy, omit
state | report | mention | list | name | explain | describe | summarize | include | show -> omit, hide
exclude | omit | hide -> list, report
use | apply | try -> remove, hide
add | append -> omit, delete
grow | plant -> trim, move
approve | accept -> reject
reject | decline -> approve
lock -> unlock
unlock -> lock
start -> stop
stop -> start
pause -> restart
expand -> collapse
collapse -> expand
increase | raise -> lower, halve
decrease | lower | reduce -> raise, double
buy | purchase -> return, review
return | refund -> keep, exchange
assign | forward -> archive, delete
follow | copy -> ignore, delete
"""
"""Verbs, and what stands in their place; the object stays."""
_PREPOSITIONAL = frozenset(
    [
        "search for",
        "look for",
        "wait for",
        "ask for",
        "look in",
        "look through",
        "refer to",
        "go through",
        "go to",
        "go back to",
        "navigate to",
        "return to",
        "walk to",
        "head to",
        "scroll to",
        "switch to",
        "move to",
        "pick up",
        "put down",
        "look up",
        "find out",
        "roll back",
        "note down",
        "fill in",
        "fill out",
        "pay attention to",
    ]
)
"""Verbs with a preposition of their own, which goes with them."""
_WAITING = ("look around", "count to ten", "step back")
_SAME_FRAME = ("sort by", "group by", "rank by", "order by", "divide by", "multiply by")
_BOUND = ("ask", "compare", "match", "contrast")
"""They take what no other verb takes: "ask the user to check"."""
_CHECKS = word_set("check verify confirm double-check validate ensure determine see identify decide")
_OF_CLAUSES = ("assume", "announce", "predict")
_CLAUSE = word_set("that whether if who whom whose where when how why")
_PARTICLES = word_set("out off back up down away over apart")
_NO_OBJECT = word_set(
    "let make help keep allow get see treat consider tell prefer favor ensure guarantee leave give avoid "
    "try be"
)
_GOES_ON = word_set("continue proceed start stop use apply")
_FRAMES = word_set("to into onto back for by as out off away through against over")
"""Behind the object they belong to the verb: only a verb that takes the same can stand in its place."""


def verbs_of(action: str) -> tuple[Pair, ...]:
    """Verbs that may stand in the place of the first one, or commands in the place of the whole."""
    said = " ".join(action.casefold().split())
    if said in WHOLE:
        return tuple(Pair(action, new, "verb") for new in WHOLE[said])
    rest = said.removesuffix(" again").split()
    if rest[:1] == ["wait"] and rest[1:2] != ["for"]:
        return tuple(Pair("wait", new, "verb") for new in _WAITING)
    if not rest or rest[0] in _NO_OBJECT or (rest[0] in _GOES_ON and rest[1:2] != ["the"]):
        return ()
    if rest[-1] in _PARTICLES and len(rest) > 2:  # "take it out" is one verb around its object
        what = " ".join(action.split()[1:-1])
        other = (new.partition(" ") for new in _VERBS.get(f"{rest[0]} {rest[-1]}", ()))
        return tuple(Pair(action, f"{new} {what} {particle}".strip(), "name") for new, _, particle in other)
    sizes = (size for size in (3, 2) if " ".join(rest[:size]) in _PREPOSITIONAL | _VERBS.keys())
    size = next(sizes, 1)
    verb, behind = " ".join(rest[:size]), "".join(rest[size : size + 1])
    news = _instead(verb, behind, rest[size + 1 :])
    return tuple(Pair(verb, new, "verb") for new in news if new.split()[0] != rest[0])


def _instead(verb: str, behind: str, rest: list[str]) -> tuple[str, ...]:
    """Verbs that can be followed by these words."""
    if behind in _CLAUSE:
        return _OF_CLAUSES if verb in _CHECKS else ()
    known = verb in ACTS or " " in verb or behind in DETERMINERS
    if not known or not behind or behind in LOOSE | PREPOSITIONS or behind == "what":
        return ()
    pairs = pairwise(rest)
    frames = [one for one, then in pairs if one in _FRAMES and not _is_free(one, then)]
    if verb in _BOUND or " ".join((verb, *frames)) in _SAME_FRAME:
        return _VERBS[verb]
    if frames == ["to"] and rest[-1] in _HEARERS:
        return _TO_HEARER
    return _WITH_FRAME.get(" ".join((verb, *frames)), ()) if frames else _VERBS.get(verb, ())


def _is_free(one: str, then: str) -> bool:
    """Whether it goes with any verb: "to find" is a purpose, "for three minutes" a time."""
    return then in PLAIN if one == "to" else one == "for" and (then in NUMBERS or then.isdigit())


def _table(lines: str) -> dict[str, tuple[str, ...]]:
    pairs = (line.split(" -> ") for line in lines.strip().split("\n"))
    return {old: tuple(news.split(", ")) for olds, news in pairs for old in olds.split(" | ")}


_VERBS, _WITH_FRAME = _table(_OTHERS), _table(_FRAMED)
