"""The base of every model class."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Immutable data that rejects unknown keys, so that a typing error in a file is not lost silently.

    JSON has no infinity and no NaN; a number that became one is written as a string and read back
    as the number it was, where pydantic's own way, null, could not be read back at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")
