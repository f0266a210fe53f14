"""Which models a server of one's own has: what it lists at `/models`, as OpenAI's API does."""

import re

from pydantic import BaseModel, Field, ValidationError

from memtrial.models.client.keys import is_here
from memtrial.models.providers.provider_table import Reached

WAIT_S = 3.0
LARGEST = 1024 * 1024
"""Bytes of the list."""
PLAIN = re.compile(r"[\w./:@+-]{1,200}")
"""A name that can stand in a spec as it is."""


class _Model(BaseModel):
    id: str


class _List(BaseModel):
    data: list[_Model] = Field(max_length=10_000)


def served_models(reached: Reached) -> tuple[str, ...]:
    """The names of the models in the server's order; none where it is not there, or lists none."""
    import httpx2

    headers = {"authorization": f"Bearer {reached.key}", "accept-encoding": "identity"}
    # this machine is not reached through a proxy; another host would get the key
    try:
        with (
            httpx2.Client(
                timeout=WAIT_S, follow_redirects=False, trust_env=not is_here(reached.address)
            ) as client,
            client.stream("GET", f"{reached.address}/models", headers=headers) as response,
        ):
            body = b""
            for piece in response.iter_raw():
                body += piece
                if not response.is_success or len(body) > LARGEST:
                    return ()
        listed = _List.model_validate_json(body)
    except (httpx2.HTTPError, ValidationError):
        return ()
    return tuple(model.id for model in listed.data if PLAIN.fullmatch(model.id))
