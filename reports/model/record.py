"""What all parts of the results share: frozen, no unknown keys, descriptions at the fields."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A part of the results. Equal parts are equal; none is changed once made."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
