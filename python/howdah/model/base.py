"""The base of every model class, and the error of its validators."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Immutable data that rejects unknown keys, so that a typing error in a file is not lost silently.

    JSON has no infinity and no NaN; a number that became one is written as a string and read back
    as the number it was, where pydantic's own way, null, could not be read back at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class WrongValue(ValueError):
    """A value of a document that its key cannot have: what is wrong, what would be right, and where it is.

    ``at`` leads from the value that was validated to the one at fault: ``(1, "name")`` is the name
    of its second entry.
    """

    def __init__(self, what: str, hint: str, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{what}: {hint}")
        self.what = what
        self.hint = hint
        self.at = at
