"""What a transition is like, in figures."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class BlendReport:
    """Figures of a transition, of bone heads as their own channels move them (constraints left out).

    frames: n, and why; at, entry: last frame of A, first of B; end: first frame that is B alone.
    jump, jump_own: largest change of a joint's speed from one frame to the next at the two seams, and within
    the two clips, m/s; jump_cut: what a straight cut would have. jerk, jerk_own: of the transition and of the
    clips, m/s³. slide_mm: farthest that a foot which is planted in both moves on the ground while it is
    held, slide_own_mm: as the clips themselves move it there; nan where none is. steps: feet that take a
    step. root_jump_m: by how much the root's speed changes at the cut, in one frame. distance_m: largest
    distance of a joint between the poses that meet.
    carrier: what carries the motion over the ground; turn_deg, moved_m: how B was turned and moved.
    """

    frames: int
    why: str
    at: float
    entry: float
    end: float
    distance_m: float
    jump: float
    jump_own: float
    jump_cut: float
    jerk: float
    jerk_own: float
    slide_mm: float
    slide_own_mm: float
    steps: int
    root_jump_m: float
    carrier: str
    turn_deg: float
    moved_m: float

    @property
    def smooth(self) -> bool:
        """Whether no seam jolts more than the clips do themselves (a tenth allowed)."""
        return self.jump <= 1.1 * self.jump_own + 1e-6

    def as_dict(self) -> dict[str, Any]:
        """Plain values by name; what was not measured is None."""
        found = {**dataclasses.asdict(self), "smooth": self.smooth}
        return {key: None if value != value else value for key, value in found.items()}

    def table(self) -> str:
        """The figures as lines for the terminal."""
        slide = (
            "no foot planted in both"
            if self.slide_mm != self.slide_mm
            else f"{self.slide_mm:.2f} mm, clips {self.slide_own_mm:.2f}"
        )
        carried = (
            "stays where it is"
            if self.carrier == "-"
            else f"{self.moved_m:.2f} m, {self.turn_deg:.1f} degrees by {self.carrier}"
        )
        seams = f"{self.jump:8.3f} m/s at the seams; clips {self.jump_own:.3f}"
        return "\n".join(
            (
                f"  frames        {self.frames:>8d}   {self.why}",
                f"  A to, B from  {self.at:>8g}   {self.entry:g}; B alone from {self.end:g}",
                f"  distance      {self.distance_m:8.3f} m",
                f"  speed jump    {seams}, straight cut {self.jump_cut:.3f}",
                f"  jerk          {self.jerk:8.0f} m/s³; clips {self.jerk_own:.0f}",
                f"  foot slide    {slide}; steps {self.steps}",
                f"  root jump     {self.root_jump_m:8.4f} m",
                f"  B set down    {carried}",
            )
        )
