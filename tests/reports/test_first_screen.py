"""The first screen in figures: words a sentence."""

import re
from functools import partial
from html import unescape

import pytest

from memtrial.reports.text.hypothesis_answers import doubts
from memtrial.reports.text.reading import arms_line
from memtrial.views.rows.results import TableAbout
from tests.support.report_example import full
from tests.support.report_shown import demo, demo_page, page_of

MOST_WORDS = 25
_SHOWN = re.compile(r"<(h1|h2|h3|li|caption|p)\b[^>]*>(.*?)</\1>", re.DOTALL)


def first_sentences(page: str) -> list[str]:
    """Every sentence above the facts."""
    above = page[page.index("<h1>") : page.index('<p class="facts">')]
    texts = (unescape(re.sub(r"<[^>]*>", "", text)) for _, text in _SHOWN.findall(above))
    return [part for text in texts for part in re.split(r"(?<=[.!?]) ", " ".join(text.split()))]


@pytest.mark.parametrize(
    ("results", "page"),
    [(full, lambda: page_of("full")[0])] + [(partial(demo, n), partial(demo_page, n)) for n in (1, 2, 3)],
)
def test_no_sentence_of_the_first_screen_has_more_than_25_words(results, page) -> None:
    results, sentences = results(), first_sentences(page())
    assert len(sentences) >= 3 + 2 * len(results.backbones) + len(doubts(results))
    assert [sentence for sentence in sentences if len(sentence.split()) > MOST_WORDS] == []


def test_the_first_screen_says_what_the_standard_arms_show_and_nothing_of_a_tables_own() -> None:
    results = demo()
    line = arms_line(results)
    named = [arm for arm in ("control", "artifact", "activation", "oracle") if arm in results.arms]
    assert named == [part.partition(":")[0] for part in line.split("; ")]
    assert line in unescape(demo_page(2))
    of_table = results.model_copy(
        update={"table": TableAbout(reference="control", conditioned=False, said={})}
    )
    assert arms_line(of_table) == ""
