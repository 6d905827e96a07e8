"""What came of a batch: results.json, results.csv and index.html, which shows pictures and reports."""

from __future__ import annotations

import csv
import html
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..command import BELOW_BAR, DONE, USAGE
from .run import Outcome, write_whole

WORDS = {DONE: "done", BELOW_BAR: "below bar", USAGE: "refused"}
COLUMNS = ("rig", "task", "command", "state", "message", "seconds", "outputs", "action", "first", "last")


def word_of(outcome: Outcome) -> str:
    """What became of a unit, in a word or two."""
    return WORDS.get(outcome.code, "failed")


def save_results(folder: Path, outcomes: Sequence[Outcome]) -> list[Path]:
    """Write the three files into a folder, in the order of the outcomes; their paths."""
    files = {
        "results.json": json.dumps([_as_dict(one) for one in outcomes], indent=2, ensure_ascii=False) + "\n",
        "results.csv": _csv(outcomes),
        "index.html": _page(folder, outcomes),
    }
    for name, text in files.items():
        write_whole(folder / name, text)
    return [folder / name for name in files]


def _as_dict(outcome: Outcome) -> dict[str, Any]:
    unit = outcome.unit
    return {
        "rig": unit.rig,
        "task": unit.task,
        "command": unit.command,
        "options": list(unit.words),
        "state": word_of(outcome),
        "code": outcome.code,
        "message": outcome.message,
        "seconds": round(outcome.seconds, 3),
        "outputs": outcome.outputs,
        "picture": outcome.picture,
        "summary": outcome.summary,
    }


def _csv(outcomes: Sequence[Outcome]) -> str:
    """A row for each, with the figures of its report in columns of their own."""
    figures = sorted({key for one in outcomes for key in _figures(one)})
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*COLUMNS, *figures])
    for one in outcomes:
        first, last = one.summary.get("frames", ("", ""))
        row = [one.unit.rig, one.unit.task, one.unit.command, word_of(one), one.message, f"{one.seconds:.3f}"]
        row += [" ".join(one.outputs), one.summary.get("action", ""), first, last]
        found = _figures(one)
        table.writerow([*row, *(found.get(key, "") for key in figures)])
    return text.getvalue()


def _figures(outcome: Outcome) -> dict[str, Any]:
    """The plain values of a report."""
    report = outcome.summary.get("report")
    plain = report if isinstance(report, dict) else {}
    return {key: value for key, value in plain.items() if isinstance(value, (bool, int, float, str))}


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem;
       color: #1d2129; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.05rem; margin: 0 0 .3rem }
section { border-top: 1px solid #d5d9e0; padding: 1rem 0 }
img { max-width: 100%; display: block; margin: .5rem 0 }
table { border-collapse: collapse } td { padding: .1rem 1rem .1rem 0; vertical-align: top }
.done b { color: #17703a } .below b { color: #8a5a00 } .bad b { color: #b3261e }
summary { cursor: pointer }
@media (prefers-color-scheme: dark) {
  body { color: #e4e6eb; background: #17191d } section { border-color: #3a3f48 }
  .done b { color: #6fd08c } .below b { color: #e0b050 } .bad b { color: #ff8a80 } }
"""


def _page(folder: Path, outcomes: Sequence[Outcome]) -> str:
    title = sentence(outcomes)
    # What needs a look comes first.
    ordered = sorted(outcomes, key=lambda one: (one.done, one.code == DONE))
    parts = "\n".join(_section(folder, one) for one in ordered)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n"
        f"<h1>{html.escape(title)}</h1>\n{parts}\n</html>\n"
    )


def _section(folder: Path, outcome: Outcome) -> str:
    kind = "done" if outcome.code == DONE else "below" if outcome.done else "bad"
    parts = [f'<section class="{kind}">', f"<h2>{html.escape(outcome.unit.name)}</h2>"]
    parts.append(f"<b>{word_of(outcome)}</b> {html.escape(outcome.message)}")
    if outcome.picture:
        parts.append(f'<img loading="lazy" src="{html.escape(outcome.picture)}" alt="">')
    links = [
        f'<a href="{html.escape(os.path.relpath(path, folder))}">{html.escape(path.name)}</a>'
        for path in outcome.unit.outputs
        if outcome.done
    ]
    parts.append(" ".join(links))
    parts += [f"<p>{html.escape(str(note))}</p>" for note in outcome.summary.get("notes", [])]
    figures = _figures(outcome)
    if figures:
        rows = "".join(
            f"<tr><td>{html.escape(key.replace('_', ' '))}</td><td>{html.escape(_shown(value))}</td></tr>"
            for key, value in figures.items()
        )
        parts.append(f"<details><summary>Report</summary><table>{rows}</table></details>")
    return "\n".join([*parts, "</section>"])


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def sentence(outcomes: Sequence[Outcome]) -> str:
    """How many came to what, in words."""
    counts: dict[str, int] = {}
    for one in outcomes:
        counts[word_of(one)] = counts.get(word_of(one), 0) + 1
    before = sum(one.again for one in outcomes)
    said = ", ".join(f"{number} {word}" for word, number in counts.items()) or "nothing to do"
    return said + (f" ({before} of them by an earlier run)" if before else "")
