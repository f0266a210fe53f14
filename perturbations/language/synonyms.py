"""Phrases of general English that stand for each other, each in the places where that is safe. Data only.

An entry reads `{before} phrase {after} = this / that`: the phrase, between these neighbours, may be said in
any of the ways behind the sign; "-" leaves it out. A neighbour is a word, one of the sets below, a word with
the ending `ING` or `S`, or no word, `^`: the sentence's beginning `.`, a comma `,`, a quote `Q` or any other
sign. `!` turns the list round. No entry adds or takes a negation, a number, an order or an action.
"""

from __future__ import annotations

from loadbearing.perturbations.language.lexicon import THIRD_PERSON, VERBS

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
{!only just simply not partly} because {!of} = since; because of = on account of / owing to; {!BE} due to =
because of / owing to; {BE} due to = owing to; owing to = because of / due to; {,} since {DET PRO similar
many most} = because; {!, . ^ ever BE been} since {it they you we there} = because; {,} as {it they this
these there many most} = because / since; {^} therefore = thus / hence / for this reason; {!^} therefore =
thus / hence; thus {!far} = therefore / hence; hence = thus / therefore; as a result {!of} = for that reason
/ consequently; {,} so {SUBJ} = and so; {.} so {SUBJ} = therefore / thus; {^} which means {!that} = meaning;
{^} which causes = causing; {^} which makes = making; leads to {BAD} = results in; lead to {BAD} = result in;
{it this that which directly often usually always typically frequently} results in = leads to; resulting in =
leading to; {,} leading to {!the} = resulting in; comes of it = results from it / follows from it; causes {a
an the} = brings about; made the difference between = accounted for the difference between; what stood there
= what was there;
# conditions and times
{^} when {Q DET PRO S only several multiple nothing} = whenever; {^} when {DET} = in cases where; {!ASK BE
not} when {DET} = whenever; {useful helpful relevant needed applies apply helps used valuable effective} when
{DET PRO S} = whenever; {^} if {DET PRO S only several multiple nothing no Q} = whenever / when; {!ASK as
even only what whether look ^} if {DET} = when; whenever = when; {^} once {DET PRO} = as soon as; {!only at
more than} once {DET PRO} = as soon as; as soon as = once; {!twice times just} as long as = so long as; prior
to = before; afterwards {^} = after that / later on; {^ and} subsequently = afterwards / after that; {!DET}
eventually = in the end; {!DET} initially = at first / to begin with; {!DET} currently = at present / at the
moment; previously {^} = earlier; at the same time = simultaneously; simultaneously = at the same time; over
the course of = in the course of; {an the} earlier {attempt attempts run runs task tasks try trial} =
previous; every time = each time; each time = every time; if needed = if necessary / where necessary;
beforehand = in advance; immediately {after before} = directly / right; {!^} immediately {^ and} = right away
/ at once; immediately {V3} = instantly;
# purposes and ways
so as to = in order to; {^} to {PURPOSE} = in order to; {be} able to = in a position to; {!NO_MEANS BE} using
{DET} = by means of; via = through; concerning = about / regarding; {!BE} based on {DET} = on the basis of;
in terms of = with regard to; in the form of = as;
# joints
such as {!to} = like; for example = for instance; additionally = in addition / moreover; {^} also {^} = in
addition; in addition to = besides / as well as; {^} in addition {!to} = moreover / furthermore; however {^}
= nevertheless / even so; nevertheless = nonetheless / even so; {!even} although = though / even though;
{!even as} though {!^} = although; even though = although; as well as {!possible} = along with / and also;
along with = together with / as well as; together with = along with; instead of = rather than; rather than
{ING DET} = instead of; in particular = especially; especially = particularly; particularly = especially;
specifically {^} = in particular; {^} then {!^} = and then; the rest of = the remainder of; depends on {DET}
= hinges on; on its own {^} = by itself; {.} for {tasks questions games} = in; after that {^} = afterwards;
inside {DET} = in; {!SAY ^ AND CONJ} that is {PP} = - / which is; {!SAY ^ AND CONJ} that are {PP} = - / which
are; {!AND ^} which is {PP} = - / that is; {!AND ^} which are {PP} = - / that are; {!^ DET} needs {DET S} =
requires; {!agent user customer} returns {the a an this no only} = gives; {!to ^ DET} return {nothing similar
unrelated irrelevant} = give; stands {on in at further outside} = is; counts as = is treated as; limited to =
restricted to / confined to; says {whether which what} = states; each other = one another; uses up =
consumes; {!^ to} consume {DET} = use up; {task question query request goal instruction} asks for {DET S} =
calls for; {S that which} ask for {DET S} = call for; as well {^} = too; reliable = dependable; {!^ nothing}
happens {!to} = occurs; only rises {when if in on at after from for to} = rises only; {is are was} wanted =
needed; at fault = to blame; disappear {after when if} = vanish; disappears {after when if} = vanishes;
# heads of a description and a scope
{^} applies {when whenever if} = holds; {apply hold help needed necessary useful} when {!^} = if; {^}
guidance for {ING} = advice on / guidelines on; a strategy for {ING} = a way of / a method of; {^} strategies
for {ING} = ways of / methods of; {TASKS} about = concerning / on; {^} but {DET PRO} = yet;
# how often, how much, how likely
{!DET ^} often {!as} = frequently / in many cases; {!^} frequently = often; frequently {!^} = often; usually
= normally / generally / in most cases; typically = usually / generally / normally; generally = usually /
normally; commonly = often / frequently; sometimes = at times / occasionally; occasionally = at times / now
and then; rarely = seldom; seldom = rarely; probably = most likely / in all likelihood; perhaps = maybe /
possibly; maybe = perhaps; may {!^ not} = might; might {!not} = may; {S they agents users people} tend to
{!^} = usually; {^ that of in} some {S} = certain; {!the at} most {S} = the majority of; {BE not isn't}
enough {to for} = sufficient; multiple {!choice of} = several / a number of; several {!of hundred steps times
seconds minutes degrees} = multiple / a number of; several {steps times minutes} = a number of; a number of =
several / multiple; numerous = a great many / many; {!as how so too that not in very the these those are}
many {S} = a lot of; {!DET} various {S} = a range of / different; a variety of = various / a range of; {!they
we you} each {!other of ^ S is are was and time with to by in at on from for} = every; {!almost nearly not
virtually just for} every {!NO_EACH S ^} = each; additional = further / extra; {!any no} further {S steps
information details detail action checks} = additional; extra {S step steps information details detail word
time} = additional; exactly = precisely; approximately = roughly / about; about {half} = roughly; almost =
nearly; {!not very} nearly = almost; entire = whole; {the} whole = entire; {the a} full {instruction query
list text name page task question description} = complete; {with have has had need needs get gets ^} enough
{S information evidence time money} = sufficient; entirely = completely / fully; fully = completely /
entirely; merely = only / just; mainly = mostly / chiefly; mostly = mainly / for the most part; primarily =
mainly / chiefly; simply = just;
# manner
{!^} carefully {^ and before} = with care; systematically = methodically / in a systematic way; quickly =
rapidly; again and again = repeatedly; effectively {^ and} = in an effective way;
# duties
make sure to = be sure to; be sure to = make sure to; make sure that = ensure that / see to it that; note
that = keep in mind that / be aware that; it is best to = it is advisable to; it is better to = it is
preferable to; crucial = vital / essential; essential = crucial / vital; critical {for to that step steps} =
crucial; {i you we they} need to = have to; {i you we they} have to = need to; {!NOT} has to be = must be /
needs to be; {!NOT MODAL i you we they} have to be = must be / need to be; {!NOT} has to {!be} = needs to;
{you they we} must {!not} = have to; {it he she this} must {!not} = has to; {BE} necessary {!to} = needed;
{BE} needed {^ to for in at when before because} = necessary; {BE} required {^ to for in at when before
because by} = needed; requires {!that} = needs / calls for; {!to} helps {when if whenever in} = is useful /
is helpful; useful {when for if in whenever} = helpful; helpful {when for if in whenever} = useful; useful
{to} = helpful; provides {!^ for} = gives / offers; {!^} provide {DET S new more additional} = give; {that
which} offer {DET S} = provide; offers {DET S} = provides;
# contractions, both ways
{!^ what where how as which that whether} it is {!not ^ in on at} = it's; {^} it is {!not ^} = it's; it's
{!not ^ been got} = it is; there is {!^ not} = there's; do not {!^} = don't; don't {!^} = do not; does not =
doesn't; doesn't = does not; did not = didn't; is not {!only just} = isn't; isn't = is not; are not {!only
just} = aren't; was not {!only just} = wasn't; were not {!only just} = weren't; won't = will not; has not =
hasn't; should not = shouldn't; cannot {!^ only} = can't; can't {!^} = cannot; could not {!^} = couldn't; you
are {!^} = you're; they are {!^} = they're; it will = it'll;
# relative clauses
{!SAY ^ OBJ AND CONJ} that {AUX} = which; {!^ AND ASK in of for on at from to with by about out} which {AUX}
= that; {S} that {VERB} = which; {!SAY ^ OBJ AND CONJ} that {V3} = which; {!SAY ^ DET PRO BE} that {you they
we i} = -; {ensure sure confirm means verify} that {you they it we i} = -; {TASKS cases situations states
environments} in which {DET} = where; {TASKS cases situations states environments} where {DET} = in which;
# things said of things
relevant {!^ for when if to} = pertinent; {BE} relevant {when if whenever} = useful; {the} correct = right;
{a} correct = right; {the a} wrong {!^ way place} = incorrect; {is are be was} wrong {^ in because} =
incorrect; incorrect = wrong; potential {S} = possible; {the a any each this} particular {!^ attention} =
specific; {the a any each this} specific {!^ to about} = particular; the same {result outcome reply response
output} = an identical; {the final desired expected wanted identical same} outcome = result; {this that such
the} approach {is works helps applies can avoids saves} = method; {this that such the} strategy {is works
helps applies can avoids saves} = approach; {this that such the} method {is works helps applies can saves} =
approach; {the} chance of = likelihood of; {the} possibility of = chance of; {is are was were be} located {!^
by} = situated; {agent it user} attempts to = tries to; {to they you we i} attempt to = try to; {to} find out
{which whether what if how where} = work out; {BE} shown {!how} = displayed; {!^ DET} appears {at in on
explicitly under after before when as near below above} = shows up; {!^ MODAL DET AND} appear {at in on under
after before when near below above} = show up; {!^} mentions {!^ of} = refers to; {!^ DET no} mention {DET S
only related} = refer to; contains {!^} = has; reveals {DET} = shows; differs from {what} = is different
from; {BE} requested {^ when in by} = asked for; produces {DET S} = yields; {!^} produce {DET} = yield; {!^
to question task} gives {the a an} = yields; {the} real = actual; {the} actual = real; {!^} contain {DET S} =
have; remains {hidden closed open active unmet unchanged empty locked visible} = stays; remain {hidden closed
open active unmet unchanged empty locked visible} = stay; reduces {DET S} = lowers; reduces the number =
lowers the number / cuts the number; increases {the} = raises; {it} appears {that} = seems; consists of = is
made up of; {S that which they} rely on = depend on; prevents {mistakes errors failures} = guards against;
mistakes = errors; learned from = taken from; worth knowing = good to know; someone = somebody; everyone =
everybody; whoever meets = anyone who meets; something similar = something of the kind; cases like this =
cases such as this; these words return = these words come back / these words come up again; situation stays
{^} = situation remains / situation stays as it is; {that} brings {Q} = brings about; causes {Q} = brings
about / leads to; {Q ^} appeared {once} = came up / showed up; once {Q} = as soon as; {it} ends in {Q} =
leads to / results in; it just works = it simply works; so far {^} = up to now / to date; near {relatives} =
close; what came of it = what followed from it / what it led to;
"""
