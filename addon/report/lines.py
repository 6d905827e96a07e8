"""The lines of the report's table and the sentences of what is wrong."""

from __future__ import annotations

from collections.abc import Mapping

from .figure import Check, Motion
from .report import FIGURES
from .score import Score

_CONTACTS_AFTER = "skid_mm"  # the line about contacts ends those about feet


def judge(
    numbers: Mapping[str, float], motion: Motion, score: Score | None, *, agree: bool
) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """Lines of the table and sentences of what is wrong with the numbers, both in the order of the figures.

    numbers: all figures of Report by name; agree: whether claims and heights tell the same of the contacts.
    """
    checks: list[Check] = []
    problems: list[str] = []
    for figure in FIGURES:
        check, problem = figure.judge(numbers, motion)
        if check is not None:
            checks.append(check)
        if problem:
            problems.append(problem)
        if figure.name == _CONTACTS_AFTER:
            checks.append(Check("Contacts as seen", "yes" if agree else "no", "by height alone", agree))
    if score is not None:
        checks.append(_score_check(score))
    return tuple(checks), tuple(problems)


def _score_check(score: Score) -> Check:
    """The line about how human the curves are; only a bad one counts against the motion."""
    asked = len(score.passed) + len(score.failed)
    value = f"{score.verdict}, z {score.mean_z:.2f}"
    good = {"good": True, "bad": False}.get(score.verdict)
    of = "features" if score.gait == "walk" else "curves as a runner's"
    return Check("Likeness to people", value, f"{len(score.passed)} of {asked} {of}", good)


def likeness_problems(score: Score | None) -> tuple[str, ...]:
    """A sentence where the curves are bad."""
    if score is None or score.verdict != "bad":
        return ()
    missing = ", ".join(score.failed) or "none"
    if score.gait == "run":
        return (f"The curves are not those of a person's run (outside runners' limits: {missing}).",)
    return (f"The curves are not those of a person's walk (features missing: {missing}).",)
