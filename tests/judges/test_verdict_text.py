"""A judge's reply is read as a person would, in whatever form; where it says nothing, nothing is read."""

import pytest

from memtrial.judges.upstream_verdicts import read_upstream_lines, read_upstream_substring
from memtrial.judges.verdict_text import read_confidence, read_verdict

REPLIES = [
    ('{"label":"Success","confidence":0.9,"reasons":["a","b"]}', "success", 0.9),
    (
        '```json\n{"label": "failure", "confidence": "85%", "reasons": ["x"]}\n```\nHope it helps.',
        "failure",
        0.85,
    ),
    ("{'label': 'Success', 'confidence': .7,}", "success", 0.7),
    ('{"verdict":"SUCCESS"}', "success", None),
    ('{"verdict": "Success.", "confidence": true}', "success", None),
    ('{"success": true, "confidence": 0.95}', "success", 0.95),
    ('{"success": false}', "failure", None),
    ('{"result": {"label": "Failure", "confidence": 0.7}}', "failure", 0.7),
    ('{"label": "Success", "confidence": "high"}', "success", None),
    ('{"label": "Success", "confidence": 7}', "success", None),
    ('{"label": "unknown", "confidence": 0.5}', "", None),
    ('Example: {"label": "success"}. Mine: {"label": "failure", "confidence": 0.4}', "failure", 0.4),
    ('<think>Success? {"label":"success"}</think>{"label":"failure","confidence":0.6}', "failure", 0.6),
    ('{"label": "Success" | "Failure", "confidence": 0..1}', "", None),
    ('Thoughts: The agent did X.\nStatus: "failure"', "failure", None),
    ("**Thoughts:** fine\n**Status:** Success.", "success", None),
    ("Status: success\nConfidence: 80%", "success", 0.8),
    ("Status: Not a success", "failure", None),
    ("Label: Failure\nConfidence: 0.35\nReasons:\n- did not submit", "failure", 0.35),
    ("Result: PASS", "success", None),
    ("Task Success: No", "failure", None),
    ("Answer: No", "failure", None),
    ("判定：失败", "failure", None),
    ("**Fail**", "failure", None),
    ("The attempt was unsuccessful.", "failure", None),
    ("The task was not successful.", "failure", None),
    ("The agent didn't successfully complete the checkout.", "failure", None),
    ("The agent did not fail.", "success", None),
    ("The agent succeeded despite an early failure.", "success", None),
    ("Although the first attempt failed, the agent finally succeeded.", "success", None),
    ("The agent failed to log in at first, but it succeeded in the end.", "success", None),
    ("Overall, the run is a failure. The login succeeded.", "failure", None),
    ("Is the task a success? No. The cart is empty.", "failure", None),
    ("I would rate this as a success.", "success", None),
    ("It would be a success if the form had been sent.", "", None),
    ("Partially successful.", "", None),
    ("The login succeeded. The upload failed.", "", None),
    ("The final state meets the acceptance criteria.", "", None),
    ("success or fail", "", None),
    ('{"label": "Success", "confidence": 0.9, "reasons": ["It was cut off wh', "success", 0.9),
    ("| Label | Confidence |\n|:--|---|\n| **Failure** | 0.75 |", "failure", 0.75),
    ("| Goal | met |\n|---|---|\n| Form | no |", "", None),
    ("### Final verdict: **Success** (confidence: 0.93)\n\nAll criteria are met.", "success", 0.93),
    ("Final Answer: The agent did NOT complete the task → Failure", "failure", None),
    ("Status: the task was not done - failure", "failure", None),
    ("状态：成功\n置信度：0.9", "success", 0.9),
    ("Verdict: failure, with a confidence of .7", "failure", 0.7),
    ('{"reasons": ["form {a: 1} was sent"], "confidence": 0.35, "label": "Failure"}', "failure", 0.35),
    ('{"label": null, "confidence": 0.5, "reasons": ["a success cannot be shown"]}', "", None),
    ('{"label": "", "reasons": ["failed to load"]}', "", None),
    ('The tool said {"status": 500} once. Still, all is done. Verdict: success (0.8)', "success", 0.8),
    ("Neither success nor failure can be determined from this run.", "", None),
    ("We cannot tell if it passed.", "", None),
    ("The agent has yet to succeed.", "failure", None),
    ("Success was not achieved in this run.", "failure", None),
    ("Failure is not what happened here: success.", "success", None),
    ("To be a success, the order must be confirmed. It is not confirmed.", "", None),
    ("The agent thinks it succeeded, but the file is not there.", "", None),
    ("Success probability: 20%. Label: Failure.", "failure", None),
    ("Final answer: **Success** (0.93)", "success", 0.93),
    ("I am 90% confident.\nStatus: failure", "failure", 0.9),
    ("First confidence of 0.2, later confidence of 0.8.\nStatus: failure", "failure", None),
    ("The 95% confidence interval was plotted.\nStatus: success", "success", None),
    ("Partially successful (confidence: 0.6).", "", None),
    ('{"label": true, "confidence": 0.9}', "", None),
    ('{"label": false}', "", None),
    ('{"verdict": "true"}', "", None),
    ('{"label": 1}', "", None),
    ("Label: true", "", None),
    ('{"label": true, "success": false}', "failure", None),
    ("Success: true", "success", None),
    ("Verdict : réussi\nConfiance : 0,9", "success", 0.9),
    ("Verdict : échec", "failure", None),
    ("Statut : non réussi", "failure", None),
    ("L'agent n'a pas réussi la tâche.", "failure", None),
    ("La tâche est terminée avec succès.", "success", None),
    ("Ce n'est pas un échec.", "success", None),
    ("Si la tâche avait réussi, le panier serait plein.", "", None),
    ("L'agent a échoué au début, mais il a finalement réussi.", "success", None),
    ("Urteil: Erfolg", "success", None),
    ("Ergebnis: fehlgeschlagen", "failure", None),
    ("Die Aufgabe wurde nicht erfolgreich abgeschlossen.", "failure", None),
    ("Der Agent hat die Aufgabe gelöst.", "success", None),
    ("Kein Erfolg.", "failure", None),
    ("Teilweise erfolgreich.", "", None),
    ("Veredicto: éxito\nConfianza: 80%", "success", 0.8),
    ("Resultado: fracaso", "failure", None),
    ("El agente no logró completar la tarea.", "failure", None),
    ("La tarea terminó sin éxito.", "failure", None),
    ("A non-empty cart passed the check.", "success", None),
    ("The agent gave SI units and succeeded.", "success", None),
    ("", "", None),
]


def test_a_reply_says_what_a_person_reads_in_it() -> None:
    read = [(reply, read_verdict(reply)) for reply, _, _ in REPLIES]
    assert [(reply, verdict.label, verdict.confidence) for reply, verdict in read] == REPLIES


def test_reasons_are_the_judges_own_words() -> None:
    assert read_verdict('{"label":"Success","reasons":["a","b"]}').reasons == ("a", "b")
    assert read_verdict("Thoughts: it is done\nStatus: success").reasons == ("it is done",)


@pytest.mark.parametrize(
    ("written", "share"),
    [
        (0.85, 0.85),
        ("85%", 0.85),
        ("85 percent", 0.85),
        (85, 0.85),
        ("8/10", 0.8),
        ("0,85", 0.85),
        ("~0.9", 0.9),
        (1, 1.0),
        (0, 0.0),
        (7, None),
        (True, None),
        ("-0.5", None),
        ("120%", None),
        ("high", None),
        (float("nan"), None),
        (None, None),
    ],
)
def test_a_confidence_is_a_share_or_none(written: object, share: float | None) -> None:
    assert read_confidence(written) == share


def test_upstreams_readers_are_upstreams_to_the_letter() -> None:
    assert read_upstream_substring("It was unsuccessful.") == "success"
    assert read_upstream_substring("fail") == "failure"
    assert read_upstream_lines('Thoughts: a\nStatus: "Success" ') == ("success", "a")
    assert read_upstream_lines("Thoughts: a\nStatus: Success.") == ("failure", "a")
    assert read_upstream_lines("Status: failure\nStatus: success\nThoughts: a\nThoughts: b") == (
        "failure",
        "a",
    )
    assert read_upstream_lines("I do not know") == ("failure", "")
