"""The expression that a reply gives as its answer, and what can be said of it without algebra."""

import re

from memtrial.worlds.single_turn.answers.answer_fault import AnswerFault
from memtrial.worlds.single_turn.answers.answer_statements import LONGEST, list_statements, without_denied
from memtrial.worlds.single_turn.answers.number_values import clean_number_text, read_whole_number

INLINE = re.compile(r"\$\$?([^$\n]{1,1000})\$\$?|\\\(([^\n]{1,1000}?)\\\)|\\\[(.{1,1000}?)\\\]", re.DOTALL)
UNIT = re.compile(
    r"(?:\\(?:text|mathrm|textrm|mbox)[ \t]?\{([^{}]{1,60})\}(?:[ \t]?\^[ \t]?\{?(\d)\}?)?"
    r"|(\^[ \t]?\{?\\circ\}?|°))[ \t.]*\Z"
)
WRAPPED = re.compile(
    r"\\(?:text|mathrm|textrm|mbox|textbf|mathbf)[ \t]?\{[ \t]?([-+]?\d[\d.,/]{0,40}+)"
    r"(?:[ \t]?([^\W\d][^{}]{0,59}))?\}"
)
"""A number that stands within the text of its unit, as in `\\text{12 cm}^2`."""
PLAIN_UNIT = re.compile(
    r"(?<=[\d}])[ \t]+([a-zA-Z]{1,20}(?:[ \t][a-zA-Z]{1,20}){0,3}(?:\^?\d)?"
    r"|[a-zA-Z]{1,20}/[a-zA-Z]{1,20})[ \t.]*\Z"
)
EXPRESSION = re.compile(r"[\d\\^=()\[\]]|\A\W*\w+\W*\Z")
"""A line that may be one without being marked: it has a sign of mathematics, or is one word."""
VERB = re.compile(r"\b(?:is|are|equals)\b[ \t:]*+(?![ \t]*(?:not|n['’]t)\b)")
BETWEEN = re.compile(
    r"([^<>≤≥,=]{1,60}?)[ \t]?(<=?|≤|\\leq?\b)[ \t]?[a-zA-Z][ \t]?(<=?|≤|\\leq?\b)[ \t]?([^<>≤≥,=]{1,60})"
)
REPEATING = re.compile(r"(\d{0,12})\.(\d{0,12})\\(?:overline|bar)[ \t]?\{(\d{1,12})\}")
RAY = re.compile(r"[a-zA-Z][ \t]?(<|>|\\leq?\b|\\geq?\b|≤|≥|<=|>=)[ \t]?([^<>≤≥,]{1,100})")
SCIENTIFIC = re.compile(r"(?<![\w.])(\d{1,20}(?:\.\d{1,20})?)[eE]([-+]?\d{1,3})(?![\w.])")
FORMS = (
    ("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("\\left", ""), ("\\right", ""), ("\\!", ""), ("\\,", ""),
    ("\\;", ""), ("\\:", ""), ("{,}", ","), ("**", "^"), ("−", "-"), ("\\displaystyle", ""), ("π", "\\pi"),
    ("∞", "\\infty"), ("√", "\\sqrt "), ("\\le ", "\\leq "), ("\\ge ", "\\geq "),
    ("\\varnothing", "\\emptyset"),
)  # fmt: skip
BASE = re.compile(r"(?<=\d)_[ \t]?\{?(\d{1,3})")
"""The base of a number, which algebra passes over."""
SAME_UNITS = {"degrees": "°", "degree": "°", "percent": "%", "dollars": "$", "dollar": "$"}


def read_expression(reply: str) -> str:
    """The expression of the last statement, else the last formula, else a last line that is short.

    Raises:
        AnswerFault: there is none, it is longer than LONGEST, or it names what the answer is not.
    """
    statements = [statement for _, statement in list_statements(reply)]
    if statements:
        text = _strip_sentence(without_denied(statements[0]))
    else:
        formulas = _list_formulas(without_denied(reply))
        lines = [line for line in without_denied(reply).splitlines() if line.strip()]
        equal = [formula for formula in formulas if "=" in formula]
        text = (equal or formulas or [_strip_verb(line) for line in lines] or [""])[-1]
        if not formulas and not EXPRESSION.search(text):
            raise AnswerFault("no expression stands in it")
    text = text.strip(" \t\n*_.`")
    if len(text) > LONGEST:
        raise AnswerFault(f"its answer is longer than {LONGEST:,} characters")
    if not text:
        raise AnswerFault("no expression stands in it")
    return text


def _list_formulas(text: str) -> list[str]:
    return [next(filter(None, match.groups())) for match in INLINE.finditer(text)]


def _strip_verb(line: str) -> str:
    """What a sentence says that something is; the line itself where that is no expression."""
    tail = VERB.split(_strip_sentence(line))[-1]
    return tail if EXPRESSION.search(tail) else line


def _strip_sentence(statement: str) -> str:
    """A formula in a sentence stands for the sentence; a sentence's end is no part of it."""
    if formulas := _list_formulas(statement):
        return formulas[0]
    return re.split(r"\.(?:\s|\Z)|\s(?:because|since|as|which|where)\s", statement)[0]


def simplify(expression: str) -> str:
    """The same expression in one way of writing: no spacing commands, plain repeating decimals, rays as
    intervals."""
    text = expression.strip().strip("$").strip()
    for old, new in FORMS:
        text = text.replace(old, new)
    text = WRAPPED.sub(_take_out_number, text)
    text = REPEATING.sub(_as_fraction, text)
    text = SCIENTIFIC.sub(lambda match: f"{match[1]}\\cdot 10^{{{int(match[2])}}}", text)
    if ray := RAY.fullmatch(text.strip()):
        text = _as_interval(ray[1], ray[2].strip())
    elif between := BETWEEN.fullmatch(text.strip()):
        opens, closes = ("(" if between[2] == "<" else "["), (")" if between[3] == "<" else "]")
        text = f"{opens}{between[1].strip()},{between[4].strip()}{closes}"
    return text.strip(" .")


def _take_out_number(match: re.Match[str]) -> str:
    """`12\\text{ cm}` of `\\text{12 cm}`."""
    unit = (match[2] or "").strip()
    return f"{match[1]}\\text{{ {unit}}}" if unit else match[1]


def _as_fraction(match: re.Match[str]) -> str:
    """0.1\\overline{6} is 15/90."""
    whole, fixed, period = match[1] or "0", match[2], match[3]
    below = (10 ** len(period) - 1) * 10 ** len(fixed)
    above = int(whole + fixed + period) - int(whole + fixed)
    return f"\\frac{{{above}}}{{{below}}}"


def _as_interval(sign: str, bound: str) -> str:
    closed = sign not in "<>"
    if sign in ("<", "<=", "≤") or sign.startswith("\\le"):
        return f"(-\\infty,{bound}{']' if closed else ')'}"
    return f"{'[' if closed else '('}{bound},\\infty)"


def split_unit(expression: str) -> tuple[str, str]:
    """An expression and the unit behind it, which algebra would pass over; empty where there is none."""
    unit = UNIT.search(expression) or PLAIN_UNIT.search(expression)
    if unit is None or not expression[: unit.start()].strip():
        return expression, ""
    groups = [group for group in unit.groups() if group]
    name = (
        "°" if "circ" in groups[0] or groups[0] == "°" else " ".join(groups[0].split()).strip(" .").casefold()
    )
    return expression[: unit.start()].strip(), SAME_UNITS.get(name, name) + "".join(groups[1:])


def settle(right: str, answer: str) -> bool | None:
    """Whether they are the same, where no algebra is needed to say; None where it is.

    Brackets of another shape are another thing, and so is a number of another base. A unit that differs is
    wrong; one that only one of the two names is passed over.
    """
    (right, unit), (answer, given) = split_unit(simplify(right)), split_unit(simplify(answer))
    if unit and given and unit.rstrip("s") != given.rstrip("s"):
        return False
    if _squeeze(right) == _squeeze(answer):
        return True
    numbers = [read_whole_number(clean_number_text(text)) for text in (right, _behind_equals(answer))]
    if all(numbers):
        # percentages have two values; decimals that only come near are left to algebra and its tolerance
        return True if numbers[0] & numbers[1] else None
    bases = [BASE.findall(text) for text in (right, answer)]
    if bases[0] != bases[1] and bases[1]:
        return False
    shapes = [_shape(text) for text in (right, answer)]
    if shapes[0] != shapes[1] and all(shapes):
        return False
    return None


def _behind_equals(text: str) -> str:
    name, equals, value = text.partition("=")
    return value if equals and re.fullmatch(r"\s*[a-zA-Z]\w*\s*", name) and "=" not in value else text


def _squeeze(text: str) -> str:
    return re.sub(r"\\text\{([^{}]*)\}", r"\1", re.sub(r"\s+|\$", "", text))


def _shape(text: str) -> str:
    """Its outer brackets where it lists things: `()`, `[)`, `{}`; else nothing."""
    bare = text.replace("\\{", "{").replace("\\}", "}").strip()
    listed = len(bare) > 1 and bare[0] in "([{" and bare[-1] in ")]}" and "," in bare
    return bare[0] + bare[-1] if listed and "\\cup" not in bare else ""
