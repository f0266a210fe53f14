"""How long a text is in tokens, by a tokenizer that is named wherever its count is."""

import re
from base64 import b64decode
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memtrial.faults import SpecFault

if TYPE_CHECKING:
    import tiktoken

TokenizerName = Literal["cl100k_base", "words"]
_CL100K_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_RANKS = "litellm_core_utils/tokenizers/9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
_PIECES = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_WORD = re.compile(r"[a-zA-Z0-9_]+|\S")


def count_tokens(text: str, tokenizer: TokenizerName) -> int:
    """Tokens of a text; names of special tokens in it are plain words.

    `cl100k_base` is OpenAI's, read from the copy that litellm brings: nothing is fetched. `words` counts runs
    of Latin letters and digits, and each other character that is no blank, for where that copy is missing.

    Raises:
        SpecFault: the copy is not there, or is not the encoding.
    """
    if tokenizer == "words":
        return sum(1 for _ in _WORD.finditer(text))
    return len(_cl100k().encode_ordinary(text))


@cache
def _cl100k() -> "tiktoken.Encoding":
    import tiktoken

    needed = "the tokenizer cl100k_base is read from litellm's files"
    spec = find_spec("litellm")
    path = Path(spec.origin).parent / _RANKS if spec is not None and spec.origin else None
    if path is None or not path.is_file():
        raise SpecFault(f"{needed}, which are not here; install litellm, or name the tokenizer `words`")
    raw = path.read_bytes()
    if sha256(raw).hexdigest() != _CL100K_SHA256:
        raise SpecFault(f"{needed}, which hold another; install litellm anew, or name the tokenizer `words`")
    lines = (line.split() for line in raw.splitlines() if line)
    ranks = {b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding("cl100k_base", pat_str=_PIECES, mergeable_ranks=ranks, special_tokens={})
