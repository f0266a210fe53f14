"""Plain English words that carry the direction of advice, and the words around them. Data only."""


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
    keep/lose succeed/fail open/close start/stop begin/end increase/decrease enable/disable accept/reject
    add/remove raise/lower push/pull enter/leave show/hide lock/unlock include/exclude allow/forbid pass/fail
    fill/drain heat/cool connect/disconnect activate/deactivate load/unload help/hinder attach/detach
    insert/extract lengthen/shorten strengthen/weaken expand/shrink gain/lose win/lose save/waste
    keep/discard encourage/discourage prefer/shun require/forbid work/fail improve/worsen trust/distrust
    confirm/deny cause/prevent avoid/cause reduce/increase narrow/widen simplify/complicate
    preserve/destroy reveal/hide contain/lack have/lack speed/slow clarify/obscure protect/endanger
    check/ignore read/ignore inspect/ignore examine/ignore review/ignore follow/ignore consult/ignore
    consider/ignore compare/ignore
"""
_IRREGULAR = """
    begin/begins/began/beginning forbid/forbids/forbade/forbidding hide/hides/hid/hiding
    show/shows/showed/showing keep/keeps/kept/keeping leave/leaves/left/leaving lose/loses/lost/losing
    win/wins/won/winning shrink/shrinks/shrank/shrinking put/puts/put/putting get/gets/got/getting
    have/has/had/having read/reads/read/reading give/gives/gave/giving take/takes/took/taking
    make/makes/made/making go/goes/went/going find/finds/found/finding run/runs/ran/running
    write/writes/wrote/writing see/sees/saw/seeing tell/tells/told/telling say/says/said/saying
    buy/buys/bought/buying bring/brings/brought/bringing think/thinks/thought/thinking
    lead/leads/led/leading come/comes/came/coming become/becomes/became/becoming mean/means/meant/meaning
    hold/holds/held/holding stand/stands/stood/standing know/knows/knew/knowing choose/chooses/chose/choosing
    send/sends/sent/sending build/builds/built/building break/breaks/broke/breaking
    sit/sits/sat/sitting set/sets/set/setting cut/cuts/cut/cutting let/lets/let/letting hit/hits/hit/hitting
    submit/submits/submitted/submitting commit/commits/committed/committing refer/refers/referred/referring
    prefer/prefers/preferred/preferring forget/forgets/forgot/forgetting do/does/did/doing
    transfer/transfers/transferred/transferring occur/occurs/occurred/occurring
    permit/permits/permitted/permitting admit/admits/admitted/admitting unplug/unplugs/unplugged/unplugging
    debug/debugs/debugged/debugging reset/resets/reset/resetting input/inputs/input/inputting
    be/is/was/being tie/ties/tied/tying pay/pays/paid/paying
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
    direct/indirect directly/indirectly advantage/drawback visible/invisible effective/ineffective
    sufficient/insufficient wise/unwise ambiguous/unambiguous unique/common clear/unclear
    consistent/inconsistent cheap/costly trustworthy/untrustworthy recommended/discouraged
    crucial/needless critical/needless vital/needless fewer/more safer/riskier simpler/harder
    quicker/slower stronger/weaker cheaper/dearer likelier/unlikelier
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
    tick propose decline invite notify escalate reschedule
    substitute fall preheat navigate skip subdivide postpone outline paginate blend knead
    drill
    accept access account achieve acquire activate adapt add address adjust adopt aggregate aim align
    allow alternate analyse analyze annotate announce answer append apply approach arrange ask assemble
    assert assess assign assume attach attempt average avoid await back bake base batch be begin bind
    bisect block boil bookmark boost break bring browse build bump buy calculate call cancel capture carry
    cast chain change charge check choose chop cite clarify classify clean clear click climb close coerce
    collect combine commit compare compile complete compute conclude confirm connect consider consult
    contact continue convert cook cool copy correct count cover craft create crop cross cross-check cut
    deactivate debug decide declare decompose decrease define delay delete deliver deploy derive describe
    design detach detect determine develop dig dip disable discard disconnect dismiss distinguish divide
    document double download drag draw drink drop dry edit eliminate emphasize employ empty enable end
    engage ensure enter escape establish estimate evaluate examine exchange exclude execute exit expand
    expect explain explore express extend extract favor favour feed fetch fill filter find finish fix flip
    focus fold follow formulate freeze fry gather generate get give go grab group grow guard guess halt
    hand handle hang hash heat help hide hit hold identify ignore implement import improve include
    increase infer inform inline insert inspect install integrate interpret introduce investigate invoke
    isolate join judge jump keep know label launch lay lead learn leave let leverage lift limit link lint
    list listen load locate lock log look loosen lower maintain make manage mark match measure melt merge
    mix mock monitor move multiply name narrow navigate nest note notice obtain offer omit open order
    organize paraphrase parse pass paste patch pause pay peel perform pick pin place plan plant play plot
    plug point pour prefer prepare prepend present press prevent prioritize proceed process produce
    profile protect provide pull push put query question quit quote raise rank reach read rebase reboot
    recalculate recall recheck recognize recompute record redeem redo reduce refactor refer refine reflect
    refrain refresh refuse register reinstall reject release reload rely remain remember remove rename
    reopen repeat rephrase replace reply report request require reread reserve reset resize resolve
    respect respond rest restart restore restrict retrieve retry return retype reuse revert review revise
    rewrite rinse roll rotate round run sample sanitize save scale scan schedule screw scroll scrub search
    seed seek select send separate serialize set share shift ship show shuffle shut sign simplify sit skim
    skip slice slide slow soak solve sort specify spell split stack stand start state stay stick stir stop
    store strip submit subscribe subtract summarize supply support suspect swap switch tag take talk tap
    tell terminate test thaw think throw tie tighten toggle touch trace track translate treat trigger trim
    trust try tune turn twist type uncover understand undo unfreeze uninstall unlock unplug update upload
    use utilize validate vary verify view visit vote wait walk warm wash watch water wear weigh wet wipe
    withdraw work wrap write zoom
    """
)

_IRREGULAR_FORMS = {forms.split("/")[0]: forms.split("/") for forms in _IRREGULAR.split()}


def forms_of(verb: str) -> list[str]:
    """Base, third person, past, participle in -ing."""
    if verb in _IRREGULAR_FORMS:
        return _IRREGULAR_FORMS[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return [verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing"]
    third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    stem = verb.removesuffix("e") if not verb.endswith("ee") else verb
    short = len(verb) > 2 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou" and verb[-3] not in "aeiou"
    if short and sum(letter in "aeiouy" for letter in verb) == 1:
        stem += verb[-1]
    return [verb, third, (stem + "d" if stem.endswith("e") else stem + "ed"), stem + "ing"]


def _antonyms() -> dict[str, str]:
    pairs = _pairs(_WORD_PAIRS)
    for one, other in _pairs(_VERB_PAIRS):
        pairs += zip(forms_of(one), forms_of(other), strict=True)
    found: dict[str, str] = {}
    for one, other in pairs:
        found.setdefault(one, other)
        found.setdefault(other, one)
    return found


#: Opposites, both ways, with their inflections.
ANTONYMS = _antonyms()
THIRD_PERSON = frozenset(forms_of(verb)[1] for verb in VERBS if verb != "be") | word_set(
    "carries applies relies tries needs causes means contains depends yields results appears becomes belongs "
    "happens seems occurs grows costs makes gets goes wastes hurts matters counts"
)

#: Verbs of statements, which no one advises.
STATIVE = word_set(
    """
    consist compete involve concern last draw contribute correlate
    absorb accumulate annoy appear arrive attract belong bias burn bypass cause clobber come complicate
    confuse consume contain contradict correspond corrupt cost crash deny depend destroy differ dilute
    disambiguate disappear discourage encode endanger exceed exist expire explode fail fall flow gain
    happen hinder imply indicate inherit invalidate lack leak lie light like live lose lowercase map mask
    matter mean mention mislabel mislead miss need obscure occur overlap override overwrite penalize
    permit persist pollute preserve propagate react redirect refute relate represent result reveal reward
    rise risk satisfy score seem shape shrink signal sound speed spoil stem suffice suggest tend truncate
    vanish want waste widen win worsen
    """
)
#: Third persons that are nouns as often.
NOUNISH = word_set(
    """
    replies comments drafts guides trips causes
    offers deals rates ranges signs books charges drills
    answers attempts averages batches blocks breaks calls cases chains changes checks claims clicks
    commits contacts costs counts covers cuts delays displays documents drinks drops edits ends exits
    facts files filters goals guards guesses hands hits items labels lights limits links lists loads looks
    maps marks matches merges moves names needs notes numbers objects orders pages patches pins places
    plans plants plays points posts prices profiles pulls pushes queries questions ranks records reports
    requests results returns reverts reviews rewards rewrites rounds runs samples scales scores searches
    seeds sets shares shifts signals sorts sources splits starts states steps stops stores supplies
    supports surfaces switches tags talks tasks tests thinks titles tools touches traces tracks tries
    turns types updates values views visits votes waits waters works
    """
)
#: Pasts without -ed.
PASTS = word_set(
    """
    became began bought brought came chose found gave got held kept knew led left lost made meant ran said
    saw showed stood told took went
    """
)
PREPOSITIONS = word_set(
    """
    about across after against along among as at before behind besides between beyond by despite during
    except for from in inside into like near of on onto outside over per since than through to toward
    towards under until via with within without
    """
)
#: How often something holds, and the opposite.
OFTEN = phrases(
    "always=never; often=rarely; usually=rarely; typically=rarely; generally=rarely; frequently=rarely; "
    "commonly=rarely; normally=rarely; regularly=rarely; sometimes=never; consistently=rarely; "
    "already=never; "
    "still=never; mostly=rarely; reliably=rarely; rarely=often; seldom=often; hardly=always; never=always; "
    "also=never; just=never; only=never"
)
_BASE_OF = {forms_of(verb)[3]: verb for verb in VERBS | STATIVE}


def base_of(word: str) -> str:
    """The verb of a form in -ing; empty where it is none that is known."""
    return _BASE_OF.get(word.lower(), "")
