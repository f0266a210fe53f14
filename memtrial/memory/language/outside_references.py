"""Words of an item that are for no agent in the middle of a task: about the run that it came from, or
pointing to what stands elsewhere."""

import re

from memtrial.memory.language.sentences import mask_quotes

_RUN = r"(?:run|trajectory|trace|episode|transcript|log|recording|session|example|experience|attempt)"
_TELLS = (
    r"(?:show|teach|taught|demonstrate|illustrate|tell|told|describe|highlight|reveal|confirm|suggest|prove|document|explain"
    r"|summari[sz]e|capture|remind)(?:e?s|e?d)?"
)
_LEARNED = r"(?:learn(?:ed|t)|found\s+out|discovered|realized|realised|experienced|saw|did|noticed|observed)"
META = re.compile(
    rf"(?i)\b(?:the|this|our)\s+(?:agent|model|assistant|player)\s+(?:in|of|from|during)\s+(?:this|that|the)\s+{_RUN}\b"
    rf"|\bas\s+(?:the\s+agent|this\s+agent|the\s+model|the\s+assistant|this\s+{_RUN}|we|i|it)\s+(?:has\s+|have\s+)?{_LEARNED}\b"
    r"(?:\s+(?:here|above|there|earlier|in\b|from\b|during\b)|\s*(?:[.,;]|\Z))"
    rf"|\b(?:this|the\s+(?:above|present|given|recorded|following))\s+(?:{_RUN}|item|memory|memory\s+item|note|lesson)\s+{_TELLS}\b"
    r"|\b(?:this|the)\s+(?:memory\s+item|memory|item|note|lesson)\s+(?:is|was)\s+(?:about|for|on)\b"
    r"|\bthe\s+(?:key\s+|main\s+)?(?:lesson|takeaway|moral|insight)\s+(?:here|learned|learnt|of|from|is|was)\b"
    rf"|\b(?:what|lessons?)\s+(?:the\s+agent|we|i)\s+{_LEARNED}\b"
    rf"|\b(?:we|one|you)\s+(?:can\s+)?(?:learn|learned|see)\s+(?:here|from\s+this)\b|\bfrom\s+this\s+{_RUN}\b"
    r"|\b(?:in|from|during|of)\s+(?:this|the)\s+(?:trajectory|transcript)\b"
    r"|\bthe\s+(?:agent|assistant)\s+(?:has\s+|had\s+)?(?:learned|learnt|discovered|reali[sz]ed)\b"
)
_META_OF_ADVICE = re.compile(
    r"(?i)\b(?:in|from|during|by|of)\s+(?:this|that)\s+(?:run|trajectory|trace|episode|transcript|recording)\b"
    r"|\b(?:the|this|that)\s+trajectory\b|\bthe\s+(?:run|episode)\s+(?:show|teache|demonstrate|prove)s\b"
    r"|\b(?:learned|learnt)\s+(?:here|above|from)\b"
)
_POINTED = (
    r"(?:said|done|described|shown|mentioned|stated|explained|learned|noted|written|listed|given|outlined"
    r"|advised|told|seen)"
)
_WHERE = r"(?:above|before|earlier|previously|here|below|already)"
_FIT = r"(?:right|correct|proper|appropriate|suitable|necessary|needed|required|relevant|best|fitting)"
DEFERRED = re.compile(
    rf"(?i)\b(?:what|whatever|all|everything|that|which)\s+(?:was|is|has\s+been|had\s+been|were)\s+{_POINTED}\s+{_WHERE}\b"
    rf"|\bas\s+(?:{_POINTED}\s+|indicated\s+|discussed\s+)?(?:above|earlier|before|previously|below|here)\b(?=\W*(?:\Z|[.,;]|because|since|so\b))"
    r"|\b(?:above|aforementioned|foregoing|previously\s+(?:mentioned|described))\s+(?:\w+\s+)?(?:advice|steps?|procedure|items?"
    r"|rules?|approach|method|instructions?|strategy|actions?)\b"
    r"|\b(?:advice|steps?|procedure|rules?|approach|method|instructions?|actions?)\s+(?:(?:described|given|mentioned|listed|shown)\s+)?"
    r"(?:above|below)\b"
    r"|\bdo\s+(?:the\s+same|likewise)\s*+(?:(?:thing\s+)?(?:as\s+)?(?:above|before|here|again|there|then))?+\s*+(?=[,.;]|\Z|because|since)"
    r"|\b(?:see|follow|apply|repeat|use)\s+(?:the\s+)?(?:(?:previous|other|first|second|next)\s+(?:memory\s+)?item|memory\s+item)\b"
    r"|\b(?:do|use|take|choose|pick|select|click|open|apply|perform|try|enter|find|follow|get|press|push|pull|type|fill|put|read"
    r"|run|call|search|write|go\s+to|move|send|answer|give|set|visit|check)\s+"
    rf"(?:the\s+{_FIT}\s+(?:ones?|things?|actions?|steps?|way|option|choice|approach|method|tool|command|procedure|answer)\b"
    rf"|what(?:ever)?\s+(?:(?:is|was|seems|looks)\s+{_FIT}|works|you\s+need|it\s+takes)\b)"
    r"|\bsee\s+(?:above|below|the\s+(?:run|trajectory|trace))\b"
    r"|\b(?:try|experiment|explore)\b[^.;]{0,60}?\buntil\s+(?:it|something|one|that)\s+(?:works|succeeds|helps)\b"
    r"|\b(?:act|proceed|respond|behave|react|adapt|adjust|continue|choose|decide|handle\s+\w+)\s+(?:accordingly|appropriately|properly|as\s+(?:needed|appropriate"
    r"|necessary))\b"
)


def find_meta_prose(text: str, advice: bool = False) -> str:
    """The first words that speak of the run, or of the item itself, to somebody who studies it.

    Args:
        advice: the text is a Claim, in which a run has no place at all; a reason may well say what it saw.
    """
    covered = mask_quotes(text)
    meta = META.search(covered) or (_META_OF_ADVICE.search(covered) if advice else None)
    return text[slice(*meta.span())] if meta else ""


def find_deferral(text: str) -> str:
    """The first words that point to what was said elsewhere, or leave open what is to be done."""
    deferred = DEFERRED.search(mask_quotes(text))
    return text[slice(*deferred.span())] if deferred else ""
