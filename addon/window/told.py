"""What is said after a run, and kept on the action so that the panel can show it later."""

from __future__ import annotations

import json
from typing import Any

PROPERTY = "amble_report"


def keep(result: Any, feature: str) -> dict[str, Any]:
    """Keep what is known of a result on its action, as a JSON text, and return it."""
    told = summary(result, feature)
    action = result.action
    if action.library is None:
        action[PROPERTY] = json.dumps(told, ensure_ascii=False)
    return told


def kept(action: Any) -> dict[str, Any] | None:
    """What `keep` kept on an action, None where there is nothing that can be read."""
    text = None if action is None else action.get(PROPERTY)
    if not isinstance(text, str):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and found.keys() >= {"ok", "line"} else None


def tell(operator: Any, result: Any) -> None:
    """Say the line where Blender shows such."""
    told = kept(result.action)
    if told is not None:
        operator.report({"INFO" if told["ok"] else "WARNING"}, told["line"])


def summary(result: Any, feature: str) -> dict[str, Any]:
    """ok, a line, the rows of the details (what, value, held to, whether it holds), problems with the frame
    that each is worst at, and notes."""
    first, last = result.frames
    return {
        "feature": feature,
        "name": result.action.name,
        "frames": [first, last],
        "notes": list(result.notes),
        **_OF[feature](result),
    }


def _gait(result: Any) -> dict[str, Any]:
    report = result.report
    kind = result.gait.capitalize()
    if report is None:
        return {"ok": True, "line": f"{kind} made", "rows": [], "problems": []}
    if report.ok:
        line = f"{kind} made; planted feet move {report.slide_mm:.1f} mm at most"
    else:
        line = report.problems[0] + _and_more(len(report.problems) - 1)
    rows = [[check.name, check.value, check.against, check.ok] for check in report.checks]
    return {
        "ok": report.ok,
        "line": line,
        "rows": rows,
        "problems": [[problem, report.places.get(problem)] for problem in report.problems],
    }


def _idle(result: Any) -> dict[str, Any]:
    worst = max(result.pins, key=lambda pin: pin.miss_mm, default=None)
    miss = 0.0 if worst is None else worst.miss_mm
    ok = miss <= 1.0
    line = f"Idle made; {result.cycles:g} breaths, what is held moves {miss:.1f} mm at most"
    rows = [["Breaths", f"{result.cycles:g}", f"{result.rate:.1f} a minute", None]]
    rows += [[pin.name, f"{pin.miss_mm:.2f} mm", "at most 1 mm", pin.miss_mm <= 1.0] for pin in result.pins]
    problems = [
        [f'"{pin.bone}" is {pin.miss_mm:.1f} mm off its place.', pin.frame]
        for pin in result.pins
        if pin.miss_mm > 1.0
    ]
    return {"ok": ok, "line": line, "rows": rows, "problems": problems}


def _blend(result: Any) -> dict[str, Any]:
    report = result.report
    name = result.action.name
    if report is None:
        return {"ok": True, "line": f'"{name}" made', "rows": [], "problems": []}
    rows: list[list[Any]] = [
        ["Frames", str(report.frames), report.why, None],
        ["A To, B From", f"{report.at:g}, {report.entry:g}", f"B alone from {report.end:g}", None],
        ["Speed Jump", f"{report.jump:.2f} m/s", f"clips {report.jump_own:.2f}", report.smooth],
    ]
    if report.slide_mm == report.slide_mm:
        rows.append(["Foot Slide", f"{report.slide_mm:.1f} mm", f"clips {report.slide_own_mm:.1f}", None])
    rows.append(["Steps", str(report.steps), "", None])
    if report.smooth:
        line = f"Blended in {report.frames} frames, no more jolt than the actions' own"
        return {"ok": True, "line": line, "rows": rows, "problems": []}
    line = f"A joint's speed jumps by {report.jump:.2f} m/s at a seam, in the actions {report.jump_own:.2f}."
    return {"ok": False, "line": line, "rows": rows, "problems": [[line, report.at]]}


def _mirror(result: Any) -> dict[str, Any]:
    rows: list[list[Any]] = [["Curves Exact", str(result.exact), f"{result.keys} keys", None]]
    if result.drawn:
        rows.append(["Curves Drawn Anew", str(len(result.drawn)), "", None])
    verdict = result.verdict
    if verdict is not None and verdict.outcome == "neither":
        return {"ok": False, "line": verdict.words(), "rows": rows, "problems": [[verdict.words(), None]]}
    line = f'Mirrored as "{result.action.name}"' if result.mirrored else verdict.words()
    return {"ok": True, "line": line, "rows": rows, "problems": []}


def _and_more(count: int) -> str:
    return f" And {count} more." if count > 0 else ""


_OF = {"gait": _gait, "idle": _idle, "blend": _blend, "mirror": _mirror}
