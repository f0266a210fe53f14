"""A client for ReasoningBank's code whose condenser is ours: draft → gate → revise behind its own call.

Its scripts ask a client for each thing that they want of a model. This one knows the two instructions of the
condenser, of either released version, by their digests, and answers them with items that were checked;
whatever else is asked goes to upstream's own client. Writer, cut and file stay upstream's, so that two arms
differ by the bytes of the reply alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

from memtrial.agents.rendered_trajectory import read_rendered, upstream_view
from memtrial.agents.trajectory import Verdict
from memtrial.api.condense import LOST, CondenseOptions, condense
from memtrial.faults import RunFault, SpecFault, refused
from memtrial.memory.interchange.upstream_record import BETWEEN
from memtrial.memory.record_text import show_items

KNOWN: dict[str, Verdict] = {
    "06a88cf7439de44afe0e33dcdde0abd234a073a8460d69c2ba2e3b913ef4ac2a": "success",
    "1e8d9d6b447c70f6c12b53487a552c9ac61a5bfb839386e30cc17b9e2ae1193e": "failure",
    "1bb66235a0d96befdf3a026b9713b5ca49be7e6dbc3f77a3aaddab94be544bb5": "success",
    "92739dfc9673b91ffbd23c4eb6b164dd69793a3467f4d0d5d3d425e03bad783e": "failure",
    "06c65a3049f172114d61c97b8aeec66d86fd25f6024f788b3a673118f975ff5d": "success",
    "9e032903eb574a82a22d672d91708c6ad7a5c97e99378072bd6383161eae4891": "failure",
}
"""Sha256 of the instructions, stripped, and how the trajectory ended that each is about: WebArena at 1f334c1,
at ed80611, and SWE at both."""


@dataclass(frozen=True, slots=True)
class CondensingClient:
    """Upstream's client with another condenser: `one_step_chat` for WebArena, `models` for SWE.

    Args:
        options: how to condense; its `view` is by default what upstream's condenser sees.
        otherwise: upstream's own client, for all else.
        known: by the digest of an instruction, the outcome that it is about.
    """

    options: CondenseOptions
    otherwise: Any
    known: "dict[str, Verdict]"

    def one_step_chat(
        self, text: str, system_msg: str | None = None, json_mode: bool = False, temperature: float = 0.0
    ) -> tuple[str, object]:
        """A reply as markdown, and what became of the trajectory; or what upstream's own client answers.

        Raises:
            RunFault: a model could not be had, or nothing of its reply could be read; upstream then writes
                no record, instead of a blank one.
        """
        outcome = self._outcome_of(system_msg)
        if outcome is not None:
            return self._condense(text, outcome)
        ask, settings = self.otherwise.one_step_chat, {"temperature": temperature}
        if json_mode:  # not all of upstream's clients know it
            settings["json_mode"] = json_mode
        answer: tuple[str, object] = ask(text, system_msg=system_msg, **settings)
        return answer

    @property
    def models(self) -> "CondensingClient":
        """Where SWE's code asks `generate_content`."""
        return self

    def generate_content(self, *, model: str, contents: Any, config: Any) -> Any:
        """The same, as `google.genai` is asked: the reply is the answer's `text`."""
        outcome = self._outcome_of(getattr(config, "system_instruction", None))
        if outcome is None:
            return self.otherwise.models.generate_content(model=model, contents=contents, config=config)
        text, made = self._condense(str(contents), outcome)
        return SimpleNamespace(text=text, condensation=made)

    def _outcome_of(self, instruction: object) -> Verdict | None:
        if not isinstance(instruction, str):
            return None
        return self.known.get(sha256(instruction.strip().encode("utf-8", "replace")).hexdigest())

    def _condense(self, text: str, outcome: Verdict) -> tuple[str, object]:
        name = sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
        with refused(ValueError, prefix="the text to condense is not upstream's: "):
            trajectory = read_rendered(text, outcome, name)
        view = self.options.view or upstream_view(trajectory)
        condensed = condense([trajectory], replace(self.options, view=view))
        (made,) = condensed.made
        if made.fate in LOST:
            raise RunFault(f"nothing was condensed, and no record is written: {'; '.join(made.faults)}")
        reply = made.reply if made.reply is not None else BETWEEN.join(show_items(made.items))
        return reply, condensed.rows()[0]


def condensing_client(
    options: CondenseOptions, otherwise: Callable[[str], Any]
) -> Callable[..., CondensingClient]:
    """What stands in upstream's CLIENT_DICT in the place of a client's class.

    Args:
        options: how to condense; they name the model that drafts.
        otherwise: the class that stood there; it is made with the model's name.

    Raises:
        SpecFault: the options name no model.
    """
    if not options.model:
        raise SpecFault("condensing_client needs the model that drafts: CondenseOptions(model=...)")

    def make(model_name: str = "") -> CondensingClient:
        return CondensingClient(options, otherwise(model_name), KNOWN)

    return make
