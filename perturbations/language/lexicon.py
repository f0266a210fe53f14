"""Plain English words that carry the direction of advice, and the words around them. Data only."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def phrases(text: str) -> dict[str, str]:
    """A table of `this = that` entries, parted by semicolons."""
    pairs = (entry.split("=") for entry in text.split(";") if entry.strip())
    return {one.strip(): other.strip() for one, other in pairs}


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in (pair.split("/") for pair in text.split())]


#: Words that turn a clause into its opposite. The manipulation check counts them on both sides.
NEGATORS = word_set(
    "not never no none nothing nobody nowhere neither cannot without unless avoid avoids avoided avoiding"
)
#: Polarity words and what stands in their place; one word for one word.
POLARITY = dict(
    _pairs(
        "never/always always/never not/always cannot/can no/some none/all nothing/everything "
        "nobody/everybody nowhere/everywhere neither/both avoids/uses avoided/used avoiding/using "
        "without/with"
    )
)
#: Auxiliaries, positive to negative; the other way round is read from right to left.
AUXILIARIES = dict(
    _pairs(
        "is/isn't are/aren't was/wasn't were/weren't do/don't does/doesn't did/didn't has/hasn't "
        "have/haven't had/hadn't can/can't could/couldn't will/won't would/wouldn't should/shouldn't "
        "must/mustn't"
    )
)
POSITIVE = {negative: positive for positive, negative in AUXILIARIES.items()}
#: Order and condition. `unless` is a negator, the rest are pairs.
CONDITIONS = dict(
    _pairs("if/unless unless/if when/unless whenever/unless before/after after/before first/last last/first")
)

_VERB_PAIRS = """
    succeed/fail open/close start/stop begin/end increase/decrease enable/disable accept/reject add/remove
    raise/lower push/pull enter/leave show/hide lock/unlock include/exclude allow/forbid pass/fail
    fill/drain heat/cool connect/disconnect activate/deactivate load/unload help/hinder attach/detach
    insert/extract lengthen/shorten strengthen/weaken expand/shrink gain/lose win/lose save/waste
    keep/discard encourage/discourage prefer/shun require/forbid work/fail improve/worsen trust/distrust
    confirm/deny
"""
_IRREGULAR = """
    begin/begins/began/beginning forbid/forbids/forbade/forbidding hide/hides/hid/hiding
    show/shows/showed/showing keep/keeps/kept/keeping leave/leaves/left/leaving lose/loses/lost/losing
    win/wins/won/winning shrink/shrinks/shrank/shrinking stop/stops/stopped/stopping
    shun/shuns/shunned/shunning prefer/prefers/preferred/preferring deny/denies/denied/denying
"""
_WORD_PAIRS = """
    left/right on/off up/down upper/lower top/bottom front/back more/less most/least many/few high/low
    higher/lower highest/lowest large/small larger/smaller largest/smallest big/little long/short
    longer/shorter early/late earlier/later fast/slow faster/slower quick/slow quickly/slowly
    inside/outside above/below over/under forward/backward clockwise/counterclockwise hot/cold
    hotter/colder wet/dry full/empty safe/dangerous safely/dangerously correct/wrong correctly/wrongly
    right/wrong true/false good/bad better/worse best/worst easy/hard easier/harder possible/impossible
    necessary/unnecessary useful/useless reliable/unreliable likely/unlikely relevant/irrelevant
    valid/invalid same/different new/old newest/oldest near/far nearest/farthest next/previous all/few
    every/hardly success/failure successful/unsuccessful successfully/unsuccessfully light/dark bright/dim
    strong/weak loose/tight public/private internal/external maximum/minimum north/south east/west
    enough/insufficient often/rarely usually/rarely important/unimportant essential/needless
    helpful/harmful efficient/wasteful specific/vague accurate/inaccurate complete/incomplete
    direct/indirect directly/indirectly advantage/drawback
"""
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

#: Words that may go where one more word would make the text too long; articles first.
DROPPABLE = ("the", "a", "an", "that", "just", "also", "very", "simply", "really", "quite", "please", "then")
#: Words before an imperative that do not change whether it is one.
OPENERS = word_set(
    "please then first firstly second secondly third next also instead but and so thus therefore hence now "
    "finally lastly otherwise simply just carefully immediately rather still later however generally "
    "typically ideally additionally alternatively consequently or yes ok okay"
)
#: Verbs that only hand on to the next one: "make sure to pull".
CARRIERS = (
    *("make sure to", "be sure to", "be careful to", "remember to", "try to", "take care to", "aim to"),
    *("learn to", "remember that", "note that", "ensure that", "make sure that"),
)
#: Words that open a condition, a place or a purpose in front of the main clause.
LEADING = word_set(
    "in when if unless while once after before on at for during until since because as whenever where "
    "wherever with without to under given upon by from near inside outside within although though even "
    "every each provided assuming should having facing instead rather due depending owing despite"
)
#: Words that end the main clause.
SUBORDINATORS = word_set(
    "because since so when whenever if unless while until before after as which who whose where although "
    "though that once whereas"
)
DETERMINERS = word_set(
    "the a an this that these those your its their his her our my all each every any both some no"
)
PRONOUNS = word_set(
    "i you he she it we they there who what which one someone anyone everyone nobody nothing something"
)
OBJECTS = DETERMINERS | word_set("it them him me us everything anything")
FINITE = frozenset(AUXILIARIES) | frozenset(POSITIVE) | word_set("am be may might shall cannot")
NON_VERBS = DETERMINERS | PRONOUNS | LEADING | SUBORDINATORS | FINITE | NEGATORS
NON_VERBS |= word_set(
    "them him me us and or but nor yet not of into onto out over again always only too very more most less "
    "least many few much such than both either same other another thanks yes ok how why than through between "
    "among about against per via red green blue brass copper iron success failure example examples warning "
    "tip rule step goal task state action"
)
VERBS = word_set(
    """
    accept access account achieve acquire activate adapt add address adjust adopt aim align allow
    alternate analyse analyze announce answer apply approach arrange ask assemble assert assess assign
    assume attach attempt avoid await base be begin bind block boil bookmark boost break bring browse
    build buy calculate call capture carry change charge check choose clarify classify clean clear click
    climb close collect combine commit compare compile complete compute conclude confirm connect consider
    consult contact continue convert cook cool copy correct count cover craft create cross cut deactivate
    debug decide declare decompose decrease define delay delete deliver derive describe design detach
    detect determine develop disable discard disconnect dismiss distinguish divide document double
    download drag draw drink drop dry edit eliminate emphasize employ empty enable end engage ensure enter
    escape establish estimate evaluate examine exchange exclude execute exit expand expect explain explore
    express extend extract fetch fill filter find finish fix flip focus fold follow formulate gather
    generate get give go grab group grow guess halt handle heat help hide hit hold identify ignore
    implement import improve include increase infer inform insert inspect install integrate interpret
    introduce investigate invoke isolate join judge jump keep know launch lead learn leave let leverage
    lift limit link list listen load locate lock log look lower maintain make manage mark match measure
    melt merge mix monitor move multiply name narrow navigate note notice obtain offer open order organize
    paste pause perform pick place plan play point pour prefer prepare present press prevent prioritize
    proceed process produce protect provide pull push put query question quit raise reach read recall
    recheck recognize record reduce refer refine reflect refresh refuse reject release rely remain
    remember remove rename repeat rephrase replace reply report request require reset resolve respect
    respond rest restart restrict retrieve retry return reuse review revise rotate run save scan schedule
    scroll search seek select send separate set share shift show shut simplify sit skip slide slow solve
    sort specify split stand start state stay stick stir stop store submit subtract summarize supply
    support suspect swap switch take talk tap tell terminate test throw tie toggle touch trace track
    translate treat trigger trust try turn twist type understand undo uninstall unlock update upload use
    utilize validate verify view visit wait walk warm wash watch weigh wipe withdraw work write zoom
    """
)


def _forms(verb: str) -> list[str]:
    """Base, third person, past, participle."""
    for irregular in _IRREGULAR.split():
        if irregular.startswith(f"{verb}/"):
            return irregular.split("/")
    third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")
    stem = verb.removesuffix("e")
    return [verb, third, stem + "ed", stem + "ing"]


def _antonyms() -> dict[str, str]:
    pairs = _pairs(_WORD_PAIRS)
    for one, other in _pairs(_VERB_PAIRS):
        pairs += zip(_forms(one), _forms(other), strict=True)
    found: dict[str, str] = {}
    for one, other in pairs:
        found.setdefault(one, other)
        found.setdefault(other, one)
    return found


#: Opposites, both ways, with their inflections.
ANTONYMS = _antonyms()
THIRD_PERSON = frozenset(_forms(verb)[1] for verb in VERBS if verb != "be") | word_set(
    "carries applies relies tries needs causes means contains depends yields results appears becomes belongs "
    "happens seems occurs grows costs makes gets goes wastes hurts matters counts"
)
