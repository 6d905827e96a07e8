"""Results of functions of unchanging things, worked out once for the same things."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

KEPT = 32  # results of each function

Given = ParamSpec("Given")
Result = TypeVar("Result")


def once(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """The function with the results of its last calls kept, which all callers share and none may change.

    Arguments count as the same where they are the same objects, plain values where they are equal. Calls that
    raise are not kept.
    """
    # With the arguments: as long as they live, no other object has their identity.
    known: dict[tuple[Any, ...], tuple[Any, Result]] = {}

    @wraps(function)
    def kept(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        key = tuple(map(_mark, (*args, *kwargs.values()))) + tuple(kwargs)
        entry = known.get(key)
        if entry is None:
            entry = (args, kwargs), function(*args, **kwargs)
            while len(known) >= KEPT:
                del known[next(iter(known))]
            known[key] = entry
        return entry[1]

    return kept


def _mark(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, bool, float)) else id(value)
