"""A profile of one's own: a YAML mapping that changes what it names of a shipped profile.

    {base: seed003, name: mine, k: 5, diversity: {kind: lambda, weight: 0.7}}

A key in a mapping changes that key alone; `base` is `seed003` where it is left out.
"""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, Field, JsonValue, TypeAdapter, ValidationError

from memtrial.faults import SpecFault
from memtrial.memory.bank.ranking.ranking_profile import RankingProfile
from memtrial.memory.bank.ranking.shipped_profiles import SEED003, profile_named
from memtrial.models.yaml_text import YamlFault, read_yaml

_MAPPING = TypeAdapter(dict[Annotated[str, Field(strict=True)], JsonValue])
NEEDED = "a mapping of a profile's switches is needed"


def read_profile(text: str) -> RankingProfile:
    """The profile that a YAML text states; SpecFault, in one line, where it states none."""
    try:
        switches = _MAPPING.validate_python(read_yaml(text))
    except YamlFault as fault:
        raise SpecFault(f"{NEEDED}; {fault}") from fault
    except ValidationError as fault:
        raise SpecFault(f"{NEEDED}, as in `k: 3`; got {text.strip()!r:.80}") from fault
    return make_profile(switches)


def make_profile(switches: Mapping[str, JsonValue]) -> RankingProfile:
    """The same, of the mapping itself."""
    changes = dict(switches)
    base = changes.pop("base", SEED003.name)
    try:
        profile = profile_named(str(base))
        return RankingProfile.model_validate(_changed(profile, changes))
    except ValidationError as fault:
        raise SpecFault(f"a profile: {_first_fault(fault)}") from fault
    except ValueError as fault:
        raise SpecFault(f"a profile: {fault}") from fault


def write_profile(profile: RankingProfile) -> str:
    """The profile whole, as YAML; `read_profile` gives it back."""
    import yaml

    return yaml.safe_dump(profile.model_dump(), sort_keys=False, allow_unicode=True)


def _changed(value: BaseModel, changes: Mapping[str, JsonValue]) -> dict[str, object]:
    """The fields of a value with some changed; of a field that is a value itself, those that are named."""
    fields: dict[str, object] = dict(value.model_dump())
    for name, change in changes.items():
        inner = getattr(value, name, None) if name in fields else None
        if isinstance(inner, BaseModel) and isinstance(change, Mapping):
            fields[name] = _changed(inner, change)
        else:
            fields[name] = change
    return fields


def _first_fault(fault: ValidationError) -> str:
    error = fault.errors(include_url=False)[0]
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        known = "" if "." in place else f"; there are base, {', '.join(RankingProfile.model_fields)}"
        return f"{place!r} is no switch{known}"
    came = "" if error["type"] in ("missing", "value_error") else f"; got {error['input']!r:.80}"
    return f"{place or 'its switches'}: {error['msg'].removeprefix('Value error, ')}{came}"
