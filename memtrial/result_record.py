"""The base of every value that stands in the results."""

from pydantic import BaseModel, ConfigDict


class ResultRecord(BaseModel):
    """A part of the results. Equal parts are equal; none is changed once made."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
