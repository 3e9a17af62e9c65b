"""What can go wrong, each with what to do next.

::

    CsragError                 carries message, fix, code, exit_code
    ├── RequestError           exit 2: the request is wrong or out of scope
    │   ├── InvalidValueError  a number outside its range, a wrong unit, swapped coordinates
    │   ├── PlaceError         no such place, a place outside California, two equal places
    │   └── OutOfScopeError    a question this system does not answer
    ├── DataError              exit 3: the data cannot answer it
    │   ├── LayerSetMissingError    nothing has been built or imported there
    │   ├── LayerSetDamagedError    truncated, altered, or a column is missing
    │   ├── TableRefusedError       an imported table failed a gate
    │   └── OutsideDataError        the site lies outside the layer set
    └── InternalError          exit 4: a fault of ours
"""

from __future__ import annotations


class CsragError(Exception):
    """Base of everything csrag raises on purpose.

    Parameters
    ----------
    message : str
        What is wrong, in the user's words.
    fix : str
        What the user can do about it. Shown after the message.
    code : str, optional
        Stable machine-readable name; defaults to the class's own.
    """

    exit_code = 4
    default_code = "internal_error"

    def __init__(self, message: str, fix: str = "", *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.code = code or self.default_code

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".strip()


class RequestError(CsragError):
    """The request is wrong; the message says how to mend it."""

    exit_code = 2
    default_code = "bad_request"


class InvalidValueError(RequestError):
    """A value outside its allowed range or in the wrong unit."""

    default_code = "invalid_value"


class PlaceError(RequestError):
    """A place that is unknown, ambiguous or outside California."""

    default_code = "place_not_usable"


class OutOfScopeError(RequestError):
    """A question this system does not answer."""

    default_code = "out_of_scope"


class DataError(CsragError):
    """The data at hand cannot answer the request."""

    exit_code = 3
    default_code = "data_error"


class LayerSetMissingError(DataError):
    """No layer set where one was expected."""

    default_code = "layer_set_missing"


class LayerSetDamagedError(DataError):
    """A layer set that is truncated, altered or incomplete."""

    default_code = "layer_set_damaged"


class TableRefusedError(DataError):
    """An imported table that failed a gate; nothing was written."""

    default_code = "table_refused"


class OutsideDataError(DataError):
    """A site outside the area the layer set covers.

    `held_bdt` is what the layers hold within 200 km of it [BDT], where they hold anything.
    """

    default_code = "outside_data_area"
    held_bdt: float | None = None


class InternalError(CsragError):
    """A fault of ours."""
