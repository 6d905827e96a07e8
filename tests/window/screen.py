"""Blender's window as a user has it: mouse, keys and what is seen. Runs inside Blender, without pytest.

A scenario is a generator that yields how many seconds Blender has to draw and to answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bpy

Steps = Iterator[float]
# Seconds until a click has been answered.
ANSWER = 0.5


class Screen:
    """The first window; areas and regions are looked up anew each time, as undo replaces them."""

    def __init__(self, pictures: Path) -> None:
        self.pictures = pictures

    @property
    def window(self) -> Any:
        return bpy.context.window_manager.windows[0]

    def area(self, kind: str = "VIEW_3D") -> Any:
        return next(area for area in self.window.screen.areas if area.type == kind)

    def region(self, kind: str = "UI", area: str = "VIEW_3D") -> Any:
        return next(region for region in self.area(area).regions if region.type == kind)

    def tab(self, name: str = "Animation") -> Steps:
        """Show the sidebar with a tab open, without what hides it or what the picture could do without."""
        space = self.area().spaces.active
        for what in ("show_floor", "show_axis_x", "show_axis_y"):
            setattr(space.overlay, what, False)
        space.show_region_ui = True
        yield 0.6
        self.region().active_panel_category = name
        self.area().tag_redraw()
        yield 0.8

    def click(self, x: int, y: int) -> Steps:
        """Press and let go the left button there, from the window's lower left."""
        event = self.window.event_simulate
        event(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
        yield 0.4
        event(type="LEFTMOUSE", value="PRESS", x=x, y=y)
        yield 0.1
        event(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
        yield ANSWER

    def press(self, down: int) -> Steps:
        """Click in the middle of the sidebar, so many pixels under its top."""
        region = self.region()
        yield from self.click(region.x + (region.width - 30) // 2, region.y + region.height - down)

    def key(self, name: str, unicode: str = "", **held: bool) -> Steps:
        """Press and let go a key, with the mouse over the 3D view."""
        region = self.region("WINDOW")
        x, y = region.x + region.width // 2, region.y + region.height // 2
        event = self.window.event_simulate
        event(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
        yield 0.1
        more = {"unicode": unicode} if unicode else {}
        event(type=name, value="PRESS", x=x, y=y, **more, **held)
        event(type=name, value="RELEASE", x=x, y=y, **held)
        yield ANSWER

    def type_text(self, text: str) -> Steps:
        """Type letters and spaces where a text is asked for."""
        for letter in text:
            name = "SPACE" if letter == " " else letter.upper()
            self.window.event_simulate(type=name, value="PRESS", x=1, y=1, unicode=letter)
            self.window.event_simulate(type=name, value="RELEASE", x=1, y=1)
            yield 0.08
        yield ANSWER

    def enter(self) -> Steps:
        """Press Enter, wherever the mouse is."""
        for value in ("PRESS", "RELEASE"):
            self.window.event_simulate(type="RET", value=value, x=1, y=1)
        yield ANSWER

    def run(self, operator: Callable[..., Any], *arguments: Any, **properties: Any) -> Any:
        """Call an operator as a button in the 3D view does."""
        with bpy.context.temp_override(window=self.window, area=self.area(), region=self.region("WINDOW")):
            return operator(*arguments, **properties)

    def picture(self, name: str, area: str = "VIEW_3D") -> Steps:
        """A picture of an area, as a file of this name."""
        with bpy.context.temp_override(window=self.window, area=self.area(area)):
            bpy.ops.screen.screenshot_area(filepath=str(self.pictures / f"{name}.png"))
        yield 0.2
