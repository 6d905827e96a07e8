"""The operators behind the buttons: one a feature, from the same settings as everything else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import bpy

from .features import FEATURES, Feature
from .fields import Field, properties_of
from .groups import group_of, make_class
from .rigs import active_rig, chosen_rigs, why_not
from .translations import translated

# Seconds between two armatures, in which Blender draws and looks for Escape.
_PAUSE = 0.01
# Actions that are those that the rig plays, where none is named.
_PLAYED = ("a", "action")


class _Maker:
    """What the operators of all features have in common."""

    feature: Feature
    properties: Any
    report: Any
    layout: Any
    again: str
    bl_options = {"REGISTER", "UNDO", "PRESET"}  # noqa: RUF012 - Blender reads it from the class

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Whether there is an armature to work on; else Blender shows why not."""
        reason = why_not(context)
        if reason:
            cls.poll_message_set(translated(reason).rstrip(".。"))  # type: ignore[attr-defined]
        return not reason

    def invoke(self, context: Any, _event: Any) -> set[str]:
        """From a button, a menu or the search: what the panel is set to, or what an action was made with."""
        if self.again:
            if not self._as_remembered():
                return {"CANCELLED"}
            return self.execute(context)
        from ..errors import AmbleError

        group = group_of(context.scene, self.feature)
        try:
            for field in self.feature.fields():
                field.write(self, field.read(group))
        except AmbleError as error:
            self.report({"ERROR"}, " ".join(str(error).split()))
            return {"CANCELLED"}
        rigs = chosen_rigs(context)
        return self._one_by_one(context, rigs) if len(rigs) > 1 else self.execute(context)

    def execute(self, context: Any) -> set[str]:
        """Make the action for every armature that is chosen."""
        rigs = [active_rig(context)] if self.again else chosen_rigs(context)
        run = _Run(self)
        with _waiting(context, len(rigs)) as step:
            for number, rig in enumerate(rigs):
                step(number)
                run.make(rig)
        return run.end()

    def draw(self, _context: Any) -> None:
        """In the redo panel: the settings as in the panel."""
        from .draw import draw_settings

        draw_settings(self.layout, self, self.feature, folded=False)

    # ---- several armatures, one at a time ----

    def _one_by_one(self, context: Any, rigs: list[Any]) -> set[str]:
        manager = context.window_manager
        self._todo = [rig.name for rig in rigs]
        self._run = _Run(self)
        self._timer = manager.event_timer_add(_PAUSE, window=context.window)
        manager.progress_begin(0, len(rigs))
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: Any, event: Any) -> set[str]:
        """Make the next one; Escape leaves out those that are left."""
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            left = len(self._todo)
            self._run.stopped = f"Stopped; {left} of {left + self._run.tried} armatures were left out."
            self._todo.clear()
        elif event.type != "TIMER":
            return {"RUNNING_MODAL"}
        if self._todo:
            rig = bpy.data.objects.get(self._todo.pop(0))
            if rig is not None:
                self._run.make(rig)
            context.window_manager.progress_update(self._run.tried)
            _status(context, f"Amble: {self._run.tried} done, {len(self._todo)} to go. Esc stops.")
        if self._todo:
            return {"RUNNING_MODAL"}
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        _status(context, None)
        return self._run.end()

    # ---- making an action again ----

    def _as_remembered(self) -> bool:
        """Set everything as the action was made; False, and said why, where that is not known."""
        from ..errors import AmbleError
        from .memory import remembered

        try:
            memory = remembered(_action(self.again), self.feature)
        except AmbleError as error:
            self.report({"ERROR"}, " ".join(str(error).split()))
            return False
        for field in self.feature.own_fields():
            field.write(self, getattr(memory.settings, field.name))
        for field in self.feature.more_fields():
            field.write(self, memory.more.get(field.name, field.option.default))
        return True


class _Run:
    """What one press of a button comes to, over all its armatures."""

    def __init__(self, operator: Any) -> None:
        self.operator, self.made, self.tried = operator, 0, 0
        self.failed = self.stopped = ""

    def make(self, rig: Any) -> None:
        """Make the action of one armature; what goes wrong is kept as a sentence."""
        from ..errors import AmbleError
        from .memory import remember
        from .told import keep, tell

        operator, feature = self.operator, self.operator.feature
        self.tried += 1
        try:
            settings, more = _asked(operator, feature)
            for name in _PLAYED:
                if name in more and more[name] is None:
                    more[name] = getattr(_played(rig), "name", None)
            result = feature.call(rig, settings, dict(more))
        except AmbleError as error:
            self.failed = self.failed or " ".join(str(error).split())
            return
        except Exception as error:
            import traceback

            traceback.print_exc()
            self.failed = self.failed or (
                f"Amble went wrong ({type(error).__name__}: {error}): please report it, with the lines that "
                "Blender printed in its console."
            )
            return
        self.made += 1
        keep(result, feature.name)
        remember(result, feature, settings, more)
        tell(operator, result)

    def end(self) -> set[str]:
        """Say what went wrong; what the operator returns."""
        if self.failed:
            self.operator.report({"WARNING" if self.made else "ERROR"}, self.failed)
        if self.stopped:
            self.operator.report({"WARNING"}, self.stopped)
        return {"FINISHED"} if self.made else {"CANCELLED"}


class AMBLE_OT_again(bpy.types.Operator):  # noqa: N801 - Blender's rule for names
    """Make the action that the armature plays again, as it was made: after a change of ground or rig."""

    bl_idname = "amble.again"
    bl_label = "Make Again"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender reads it from the class

    @classmethod
    def poll(cls, context: Any) -> bool:
        """Whether the armature plays an action that can be made again."""
        from .memory import feature_of

        reason = why_not(context)
        if not reason and feature_of(_played(active_rig(context))) is None:
            reason = "Let the armature play an action that Amble made."
        if reason:
            cls.poll_message_set(translated(reason).rstrip(".。"))
        return not reason

    def execute(self, context: Any) -> Any:
        """Make it again."""
        from .memory import feature_of

        action = _played(active_rig(context))
        name = feature_of(action)
        ours: Any = bpy.ops
        run = getattr(ours.amble, str(name))
        try:
            return run("INVOKE_DEFAULT" if not bpy.app.background else "EXEC_DEFAULT", again=action.name)
        except RuntimeError as error:
            self.report({"ERROR"}, str(error).removeprefix("Error: ").strip())
            return {"CANCELLED"}


class AMBLE_OT_load_settings(bpy.types.Operator):  # noqa: N801 - Blender's rule for names
    """Set the panel to what the action that is played was made with."""

    bl_idname = "amble.load_settings"
    bl_label = "Load Settings of Action"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender reads it from the class

    poll = AMBLE_OT_again.poll

    def execute(self, context: Any) -> Any:
        """Load them."""
        from ..errors import AmbleError
        from .memory import remembered

        try:
            memory = remembered(_played(active_rig(context)))
        except AmbleError as error:
            self.report({"ERROR"}, " ".join(str(error).split()))
            return {"CANCELLED"}
        feature = FEATURES[memory.feature]
        group = group_of(context.scene, feature)
        for field in feature.own_fields():
            field.write(group, getattr(memory.settings, field.name))
        for field in feature.more_fields():
            field.write(group, memory.more.get(field.name, field.option.default))
        return {"FINISHED"}


class AMBLE_OT_go_to_frame(bpy.types.Operator):  # noqa: N801 - Blender's rule for names
    """Go to the frame where this is worst."""

    bl_idname = "amble.go_to_frame"
    bl_label = "Go to the Frame"
    bl_options = {"INTERNAL"}  # noqa: RUF012 - Blender reads it from the class
    frame: bpy.props.FloatProperty(name="Frame")  # type: ignore[valid-type]

    def execute(self, context: Any) -> Any:
        """Go there."""
        whole = int(self.frame // 1)
        context.scene.frame_set(whole, subframe=self.frame - whole)
        return {"FINISHED"}


def operators() -> list[type]:
    """The classes."""
    makers = [_operator(feature) for feature in FEATURES.values()]
    return [*makers, AMBLE_OT_again, AMBLE_OT_load_settings, AMBLE_OT_go_to_frame]


def _operator(feature: Feature) -> type:
    again = bpy.props.StringProperty(
        name="Again", description="Action that is made again", options={"HIDDEN", "SKIP_SAVE"}
    )  # type: ignore[func-returns-value]
    made: type = make_class(
        f"AMBLE_OT_{feature.name}",
        (_Maker, bpy.types.Operator),
        {
            "__doc__": feature.about,
            "__annotations__": {**properties_of(feature.fields(), pointers=False), "again": again},
            "bl_idname": f"amble.{feature.name}",
            "bl_label": feature.button,
            "bl_description": feature.about,
            "feature": feature,
        },
    )
    return made


def _asked(operator: Any, feature: Feature) -> tuple[Any, dict[str, Any]]:
    """The settings of an operator, and what is given beside them.

    For an action that is made again what it was made with, but for the properties that are set.
    """
    if not operator.again:
        settings = feature.settings(**{field.name: field.read(operator) for field in feature.own_fields()})
        return settings, {field.name: field.read(operator) for field in feature.more_fields()}
    import dataclasses

    from .memory import remembered

    memory = remembered(_action(operator.again), feature)
    is_set = operator.properties.is_property_set

    def changes(fields: tuple[Field, ...]) -> dict[str, Any]:
        return {f.name: f.read(operator) for f in fields if is_set(f.name) or (f.switch and is_set(f.switch))}

    more = {field.name: field.option.default for field in feature.more_fields()}
    more.update(memory.more)
    more.update(changes(feature.more_fields()))
    more.update(name=operator.again, overwrite=True)
    return dataclasses.replace(memory.settings, **changes(feature.own_fields())), more


def _action(name: str) -> Any:
    from ..action.names import action_of

    return action_of(name, "again")


def _played(rig: Any) -> Any:
    data = None if rig is None else rig.animation_data
    return None if data is None else data.action


@contextlib.contextmanager
def _waiting(context: Any, count: int) -> Iterator[Any]:
    """Show that Blender works, and how far; gives a function of the number that is done."""
    manager = context.window_manager
    shown = context.window is not None and not bpy.app.background
    if shown:
        manager.progress_begin(0, max(count, 1))
    try:
        yield manager.progress_update if shown else lambda _number: None
    finally:
        if shown:
            manager.progress_end()


def _status(context: Any, text: str | None) -> None:
    if context.workspace is not None:
        context.workspace.status_text_set(text)
