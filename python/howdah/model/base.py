"""The base of every model class."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Immutable data that rejects unknown keys, so that a typing error in a file is not lost silently."""

    model_config = ConfigDict(frozen=True, extra="forbid")
