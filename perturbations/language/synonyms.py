"""Phrases of general English that stand for each other, each in the places where that is safe. Data only.

An entry reads `{before} phrase {after} = this / that`: the phrase, between these neighbours, may be said in
any of the ways behind the sign; "-" leaves it out. A neighbour is a word, one of the sets below, a word with
the ending `ING` or `S`, or no word, `^`: the sentence's beginning `.`, a comma `,`, a quote `Q` or any other
sign. `!` turns the list round. No entry adds or takes a negation, a number, an order or an action.
"""

from loadbearing.memory.language.lexicon import THIRD_PERSON, VERBS

SETS = {
    "DET": "the a an this that these those your its their his her our my each every any all both some no",
    "PRO": "i you he she it we they there one someone everyone something nothing",
    "BE": "is are was were be been being it's they're",
    "MODAL": "can could may might must should would will shall to cannot can't won't don't doesn't not",
    "OBJ": "them it him me us you one",
    "NOT": "not don't doesn't didn't cannot can't",
    "ASK": "check see verify determine know ask find note record decide confirm tell test observe notice "
    "learn remember understand identify report sure wonder",
    "PURPOSE": "find verify identify confirm check avoid determine ensure locate get make answer reach solve "
    "save compare complete see fix reduce prevent obtain measure",
    "PP": "shown listed given returned stated used displayed described mentioned named provided available",
    "SUBJ": "the a an this these those your its their each every all both i you he she it we they there",
    "BAD": "failure failures errors mistakes incorrect wrong wasted unnecessary false invalid success Q",
    "NO_MEANS": "by of when start stop avoid keep before after without consider try instead than and not for "
    "from",
    "NO_EACH": "other single one few now once bit day so two three four five six ten time",
    "AND": "and or but nor",
    "CONJ": "because since if when while where which whether whenever until unless only also then all",
    "AUX": "is are was were has have had can could may might must should will would does do",
    "SAY": "say says said mean means note ensure ensures check verify confirm sure show shows indicate know "
    "indicates fact such so see assume assuming conclude state states determine suggest suggests find "
    "remember believe think is be was are given provided now in like than at after before with by for all "
    "saying imply implies reveal reveals tell tells",
    "TASKS": "tasks rooms pages lists sites games questions repositories shops stores forms products items "
    "entries results kitchens environments projects issues problems queries documents articles files",
    "VERB": " ".join(VERBS),
    "V3": " ".join(THIRD_PERSON),
}

ENTRIES = """
# reasons and consequences
{!only just simply not partly} because {!of} = since; because of = on account of / owing to;
{!BE} due to = because of / owing to; {BE} due to = owing to; owing to = because of / due to;
{,} since {DET PRO similar many most} = because;
{!, . ^ ever BE been} since {it they you we there} = because;
{,} as {it they this these there many most} = because / since;
{^} therefore = thus / hence / for this reason; {!^} therefore = thus / hence;
thus {!far} = therefore / hence; hence = thus / therefore; consequently = as a result / therefore;
as a result {!of} = for that reason / consequently; for this reason = therefore / as a result;
{,} so {SUBJ} = and so; {.} so {SUBJ} = therefore / thus; which means that = meaning that;
{^} which means {!that} = meaning; {^} which results in = resulting in / leading to;
{^} which leads to = leading to; {^} which causes = causing; {^} which saves = saving;
{^} which makes = making; leads to {BAD} = results in; leads to an error = results in an error;
leads to an empty = results in an empty; leads to a wrong = results in a wrong;
leads to an incorrect = results in an incorrect; lead to {BAD} = result in;
lead to an error = result in an error;
{it this that which directly often usually always typically frequently} results in = leads to;
{may might can could will would often usually not always} result in = lead to; resulting in = leading to;
{,} leading to {!the} = resulting in; comes of it = results from it / follows from it;
caused by = brought about by / due to; causes {a an the} = brings about; regardless of = irrespective of;
made the difference between = accounted for the difference between; what stood there = what was there;
# conditions and times
{^} when {Q DET PRO S only several multiple nothing} = whenever; {^} when {DET} = in cases where;
{!ASK BE not} when {DET} = whenever;
{useful helpful relevant needed applies apply helps used valuable effective} when {DET PRO S} = whenever;
{^} if {DET PRO S only several multiple nothing no Q} = whenever / when;
{!ASK as even only what whether look ^} if {DET} = when; whenever = when; {^} once {DET PRO} = as soon as;
{!only at more than} once {DET PRO} = as soon as; as soon as = once;
{!twice times just} as long as = so long as; prior to = before; afterwards {^} = after that / later on;
{^ and} subsequently = afterwards / after that; in the meantime = meanwhile; at the beginning = at the start;
in the end = ultimately; {!DET} eventually = in the end; {!DET} initially = at first / to begin with;
{!DET} currently = at present / at the moment; previously {^} = earlier; at the same time = simultaneously;
simultaneously = at the same time; over the course of = in the course of;
{an the} earlier {attempt attempts run runs task tasks try trial} = previous; every time = each time;
each time = every time; if possible = where possible; where possible = if possible;
if necessary = if needed / where needed; if needed = if necessary / where necessary;
as needed = as required / as necessary; up front = in advance; beforehand = in advance;
in advance = beforehand; immediately {after before} = directly / right;
{!^} immediately {^ and} = right away / at once; immediately {V3} = instantly;
right away = at once / immediately;
# purposes and ways
in order to = so as to / to; so as to = in order to; {^} to {PURPOSE} = in order to;
{be} able to = in a position to; by using = with / by means of; {!NO_MEANS BE} using {DET} = by means of;
by means of = with the help of / with; via = through; with respect to = regarding / as regards;
regarding = about / concerning; concerning = about / regarding; {!BE} based on {DET} = on the basis of;
in terms of = with regard to; for the purpose of = for; in the form of = as; with the help of = by means of;
# joints
such as {!to} = like; for example = for instance; for instance = for example;
moreover = furthermore / in addition; furthermore = moreover / in addition;
additionally = in addition / moreover; {^} also {^} = in addition; in addition to = besides / as well as;
{^} in addition {!to} = moreover / furthermore; however {^} = nevertheless / even so;
nevertheless = nonetheless / even so; {!even} although = though / even though;
{!even as} though {!^} = although; even though = although; as well as {!possible} = along with / and also;
along with = together with / as well as; together with = along with; instead of = rather than;
rather than {ING DET} = instead of; in contrast {^} = by contrast; on the other hand = by contrast;
in particular = especially; especially = particularly; particularly = especially;
specifically {^} = in particular; that is to say = in other words; apart from = aside from;
aside from = apart from; {^} then {!^} = and then; the rest of = the remainder of;
the remainder of = the rest of;
only works {when if in on at after from for to} = works only;
only applies {when if in on at after from for to} = applies only;
only occurs {when if in on at after from for to} = occurs only;
only matches {DET what S exact} = matches only; only shows {DET what S exact} = shows only;
only covers {DET what S exact} = covers only; only contains {DET what S exact} = contains only;
only lists {DET what S exact} = lists only; only accepts {DET what S exact} = accepts only;
only checks {DET what S exact} = checks only;
only happens {when if in on at after from for to} = happens only;
only depends {when if in on at after from for to} = depends only;
only appears {when if in on at after from for to} = appears only; depends on {DET} = hinges on;
has no effect on = does not affect; have no effect on = do not affect; does not affect = has no effect on;
at the start {^} = at the beginning; on its own {^} = by itself; on their own {^} = by themselves;
{.} when asked to = when you are asked to; {.} for {tasks questions games} = in; after that {^} = afterwards;
inside {DET} = in; {!SAY ^ AND CONJ} that is {PP} = - / which is;
{!SAY ^ AND CONJ} that are {PP} = - / which are; {!AND ^} which is {PP} = - / that is;
{!AND ^} which are {PP} = - / that are; {!^ DET} needs {DET S} = requires;
{!agent user customer} returns {the a an this no only} = gives;
{!to ^ DET} return {nothing similar unrelated irrelevant} = give; stands {on in at further outside} = is;
counts as = is treated as; limited to = restricted to / confined to; says {whether which what} = states;
each other = one another; uses up = consumes; consumes = uses up; {!^ to} consume {DET} = use up;
{task question query request goal instruction} asks for {DET S} = calls for;
{S that which} ask for {DET S} = call for; as well {^} = too; reliable = dependable;
occurs {in on at} = appears; {!^ nothing} happens {!to} = occurs; {!^} happen {!to} = occur;
starts with = begins with; begins with = starts with; same type = same kind; same kind = same type;
only rises {when if in on at after from for to} = rises only; only raises {DET what S exact} = raises only;
only returns {DET what S exact} = returns only; goal is to = aim is to; {is are was} wanted = needed;
at fault = to blame; disappear {after when if} = vanish; disappears {after when if} = vanishes;
# heads of a description and a scope
{^} applies to = holds for / is meant for; {^} applies {when whenever if} = holds;
{apply hold help needed necessary useful} when {!^} = if; {^} guidelines for {ING} = advice on / guidance on;
{^} guidance for {ING} = advice on / guidelines on; a strategy for {ING} = a way of / a method of;
a method for {ING} = a way of / a means of; {^} strategies for {ING} = ways of / methods of;
in such cases = in cases like these; in this way = thus / in this manner; {TASKS} about = concerning / on;
{^} but {DET PRO} = yet;
# how often, how much, how likely
{!DET ^} often {!as} = frequently / in many cases; {!^} frequently = often; frequently {!^} = often;
usually = normally / generally / in most cases; typically = usually / generally / normally;
generally = usually / normally; normally = usually / generally; commonly = often / frequently;
sometimes = at times / occasionally; occasionally = at times / now and then; rarely = seldom;
seldom = rarely; in most cases = usually / as a rule; in many cases = often / frequently;
in some cases = sometimes / at times; in general = generally / as a rule;
most of the time = usually / in most cases; probably = most likely / in all likelihood;
perhaps = maybe / possibly; maybe = perhaps; possibly = perhaps / maybe; may {!^ not} = might;
might {!not} = may; {S they agents users people} tend to {!^} = usually; tends to {!^} = is inclined to;
{!NOT} is likely to {!^} = will probably / will most likely;
{!NOT} are likely to {!^} = will probably / will most likely; is unlikely to {!^} = will hardly;
are unlikely to {!^} = will hardly; {^ that of in} some {S} = certain; {!the at} most {S} = the majority of;
{BE not isn't} enough {to for} = sufficient; {BE not isn't} sufficient {to for} = enough;
multiple {!choice of} = several / a number of;
several {!of hundred steps times seconds minutes degrees} = multiple / a number of;
several {steps times minutes} = a number of; a number of = several / multiple;
numerous = a great many / many; {!as how so too that not in very the these those are} many {S} = a lot of;
a lot of {S} = many; lots of {S} = many / a lot of; {!DET} various {S} = a range of / different;
a variety of = various / a range of;
{!they we you} each {!other of ^ S is are was and time with to by in at on from for} = every;
{!almost nearly not virtually just for} every {!NO_EACH S ^} = each; additional = further / extra;
{!any no} further {S steps information details detail action checks} = additional;
extra {S step steps information details detail word time} = additional; exactly = precisely;
precisely = exactly; approximately = roughly / about; about {half} = roughly;
roughly = approximately / about; almost = nearly; {!not very} nearly = almost; entire = whole;
{the} whole = entire;
{the a} full {instruction query list text name page task question description} = complete;
{!DET BE} sufficient {S information evidence context} = enough;
{with have has had need needs get gets ^} enough {S information evidence time money} = sufficient;
completely = entirely / fully; entirely = completely / fully; fully = completely / entirely;
extremely = very; significantly = considerably / markedly; considerably = significantly / markedly;
slightly = somewhat; merely = only / just; mainly = mostly / chiefly; mostly = mainly / for the most part;
primarily = mainly / chiefly; simply = just; actually = in fact / really; in fact = actually;
# manner
{!^} carefully {^ and before} = with care; systematically = methodically / in a systematic way;
methodically = systematically; gradually {^} = little by little / bit by bit;
progressively = gradually / step by step; quickly = rapidly; rapidly = quickly;
individually = separately / one by one; easily {!^} = readily; reliably = dependably;
repeatedly {^} = again and again / time and again; again and again = repeatedly;
efficiently {^ and} = in an efficient way; effectively {^ and} = in an effective way;
# duties
make sure to = be sure to; be sure to = make sure to; make sure that = ensure that / see to it that;
ensure that = make sure that / see to it that; ensuring that = making sure that;
ensures that = makes sure that; remember that = note that / keep in mind that;
note that = keep in mind that / be aware that; keep in mind that = remember that / note that;
be aware that = keep in mind that / note that; it is important to = it is essential to;
it is essential to = it is important to; it is crucial to = it is essential to / it is vital to;
it's important to = it's essential to; it is necessary to = you have to; it is best to = it is advisable to;
it is advisable to = it is best to; it is better to = it is preferable to; crucial = vital / essential;
essential = crucial / vital; vital = crucial / essential; critical {for to that step steps} = crucial;
{i you we they} need to = have to; {i you we they} have to = need to;
{!i you we they DET NOT MODAL} need to be = have to be / must be; {!NOT} needs to be = must be / has to be;
{!NOT} has to be = must be / needs to be; {!NOT MODAL i you we they} have to be = must be / need to be;
{!NOT} needs to {!be} = has to; {!NOT} has to {!be} = needs to; {you they we} must {!not} = have to;
{it he she this} must {!not} = has to; {BE} necessary {!to} = needed;
{BE} needed {^ to for in at when before because} = necessary;
{BE} required {^ to for in at when before because by} = needed; requires {!that} = needs / calls for;
{!^ not doesn't don't} require {DET S two several multiple} = need / call for;
requiring {DET S} = calling for; helps to = makes it easier to;
{!to} helps {when if whenever in} = is useful / is helpful; useful {when for if in whenever} = helpful;
helpful {when for if in whenever} = useful; useful {to} = helpful; allows you to = lets you / enables you to;
allows the agent to = lets the agent / enables the agent to; enables you to = lets you / allows you to;
enables the agent to = lets the agent / allows the agent to; makes it easier to = helps to;
makes it possible to = allows one to; provides {!^ for} = gives / offers;
{!^} provide {DET S new more additional} = give; {that which} offer {DET S} = provide;
offers {DET S} = provides;
# contractions, both ways
{!^ what where how as which that whether} it is {!not ^ in on at} = it's; {^} it is {!not ^} = it's;
it's {!not ^ been got} = it is; there is {!^ not} = there's; there's {!^ not been} = there is;
do not {!^} = don't; don't {!^} = do not; does not = doesn't; doesn't = does not; did not = didn't;
didn't = did not; is not {!only just} = isn't; isn't = is not; are not {!only just} = aren't;
aren't = are not; was not {!only just} = wasn't; were not {!only just} = weren't; will not = won't;
won't = will not; has not = hasn't; have not = haven't; should not = shouldn't; shouldn't = should not;
cannot {!^ only} = can't; can't {!^} = cannot; could not {!^} = couldn't; you are {!^} = you're;
they are {!^} = they're; you have {already just not been} = you've; you will = you'll; it will = it'll;
# relative clauses
{!SAY ^ OBJ AND CONJ} that {AUX} = which;
{!^ AND ASK in of for on at from to with by about out} which {AUX} = that; {S} that {VERB} = which;
{!SAY ^ OBJ AND CONJ} that {V3} = which; {!SAY ^ DET PRO BE} that {you they we i} = -;
{ensure sure confirm means verify} that {you they it we i} = -;
{TASKS cases situations states environments} in which {DET} = where;
{TASKS cases situations states environments} where {DET} = in which; the way in which = the way;
# things said of things
relevant {!^ for when if to} = pertinent; {BE} relevant {when if whenever} = useful; appropriate = suitable;
suitable = appropriate; {the} correct = right; {a} correct = right; {the a} wrong {!^ way place} = incorrect;
{is are be was} wrong {^ in because} = incorrect; incorrect = wrong; potential {S} = possible;
{the a any each this} particular {!^ attention} = specific;
{the a any each this} specific {!^ to about} = particular;
the same {result outcome reply response output} = an identical;
{the final desired expected wanted identical same} outcome = result;
{this that such the} approach {is works helps applies can avoids saves} = method;
{this that such the} strategy {is works helps applies can avoids saves} = approach;
{this that such the} method {is works helps applies can saves} = approach;
{this such a useful good} technique = method; {the} likelihood of = chance of;
{the} chance of = likelihood of; the risk of = the danger of; the danger of = the risk of;
{the} possibility of = chance of; {is are was were be} located {!^ by} = situated;
{helps help} to locate = to find; {to} obtain = get; {to} receive {DET credit S} = get;
obtaining {DET S} = getting; attempting to = trying to; {agent it user} attempts to = tries to;
{to they you we i} attempt to = try to;
{to} determine {which whether what if how where} = work out / find out;
{to} find out {which whether what if how where} = work out; {BE} displayed = shown;
{BE} shown {!how} = displayed; displays {DET S} = shows;
{!^ DET} appears {at in on explicitly under after before when as near below above} = shows up;
{!^ MODAL DET AND} appear {at in on under after before when near below above} = show up;
{!^} mentions {!^ of} = refers to; {!^ DET no} mention {DET S only related} = refer to;
indicates {!^} = shows; indicating {!^} = showing; {!^ to} indicate {that a the} = show; contains {!^} = has;
reveals {DET} = shows; falsely = wrongly / mistakenly; mistakenly = wrongly / by mistake;
interprets {DET} = reads; treats {DET} = regards; differs from {what} = is different from;
{BE} requested {^ when in by} = asked for; produces {DET S} = yields; {!^} produce {DET} = yield;
{!^ to question task} gives {the a an} = yields; affects {DET} = influences; {!^} affect {DET} = influence;
{likely unlikely} to affect = to influence; {the} real = actual; {the} actual = real;
{!^} contain {DET S} = have;
remains {hidden closed open active unmet unchanged empty locked visible} = stays;
remain {hidden closed open active unmet unchanged empty locked visible} = stay; reduces {DET S} = lowers;
reduces the number = lowers the number / cuts the number; increases {the} = raises;
{it} appears {that} = seems; it seems {that} = it appears; corresponds to = matches / fits;
{!^ DET} correspond to = match; {BE} responsible for = behind; consists of = is made up of;
relies on = depends on; {S that which they} rely on = depend on;
prevents {mistakes errors failures} = guards against; mistakes = errors; learned from = taken from;
worth knowing = good to know; someone = somebody; everyone = everybody; anyone = anybody;
whoever meets = anyone who meets; something similar = something of the kind;
cases like this = cases such as this; these words return = these words come back / these words come up again;
everywhere {^} = in all places; situation stays {^} = situation remains / situation stays as it is;
{that} brings {Q} = brings about; causes {Q} = brings about / leads to;
{Q ^} appeared {once} = came up / showed up; once {Q} = as soon as; {it} ends in {Q} = leads to / results in;
useful at times = useful now and then / of use at times; it just works = it simply works;
so far {^} = up to now / to date; near {relatives} = close;
what came of it = what followed from it / what it led to;
for everything and everyone = for all things and all people; at times = sometimes;
"""
