"""Finding the controls of animals: as people's are found, for legs of any number and length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import MissingRole
from .controls import Controls
from .parts import Part
from .roles import Roles
from .search import Search, find_controls, limbs_of
from .sides import WORDS
from .switches import Mode


def find_legged_controls(
    armature_object: Any, roles: Roles, parts: Sequence[Part], *, travels: bool, mode: Mode | None = None
) -> Controls:
    """As find_controls. Legs of more than two bones and a foot are turned bone by bone where they can be."""
    if mode is None and any(part.key.startswith("leg.") and part.key.endswith(".3") for part in parts):
        try:
            return find_controls(armature_object, roles, parts, travels=travels, mode="fk", kind=LeggedSearch)
        except MissingRole:
            pass
    return find_controls(armature_object, roles, parts, travels=travels, mode=mode, kind=LeggedSearch)


class LeggedSearch(Search):
    """One search on one rig; see `search`. Parts are those of legged_parts."""

    def run(self) -> Controls:
        """All controls, then what each hangs from."""
        chosen, root, pelvis = self._begun()
        add = chosen.add
        add(self._trunk())
        for name in ("neck", "tail"):
            add(self._column(name))
        for limb in limbs_of(self.parts):
            add(self._leg(limb))
        self._hang_legs([(key, bone) for bone, key, *_ in chosen if key.startswith("trunk.")])
        self.active = {key for _, key, *_ in chosen} | {key for key in self.part if key.startswith("leg.")}
        for bone, key, location, rotation in chosen:
            if rotation and not location and key.startswith("leg.") and bone not in self.seeds:
                self.watch[key] = self.row[bone]
        return self._controls(chosen, root, pelvis)

    def _trunk(self) -> list[tuple[str, str, bool, bool]]:
        """Controls of the trunk, none where one of them does not simply carry the legs that it moves."""
        found = self._column("trunk")
        for bone, key, *_ in found:
            answer, part = self.turns[bone], self.at[key]
            legs = [self.at[hip] for hip in self.hips]
            carried = [row for row in legs if answer.moved[row]]
            if carried and (answer.moved[part] or not answer.places[carried].all()):
                self.notes.append(
                    f'"{bone}" bends the trunk by degrees, and legs with it: the trunk is kept stiff.'
                )
                return []
        return found

    def _leg(self, limb: str) -> list[tuple[str, str, bool, bool]]:
        """Bones that turn its parts one by one; else a target of inverse kinematics of two bones."""
        keys = [key for key in self.part if key.rpartition(".")[0] == limb]
        turners = [self._turner(key, carries=k < len(keys) - 1) for k, key in enumerate(keys)]
        found = [
            (turner, key, False, True)
            for turner, key in zip(turners, keys, strict=True)
            if turner is not None
        ]
        if len(found) == len(keys):
            loose = [
                key for key, turner in zip(keys[:-1], turners[:-1], strict=True) if self._leaves(turner, keys)
            ]
            if not loose:
                self.modes[limb] = "fk"
                return found
        if len(keys) == 3:
            return self._segments(limb, (keys[0], keys[1], keys[2]), needed=True)
        target = self._target(keys[0], keys[-2], keys[-1], loose=False)
        if target is not None:
            # How the bones between fold is the rig's affair.
            self.modes[limb] = "ik"
            whole = self._holds(target, keys[-1])
            turner = None if whole else turners[-1]
            return [
                (target, keys[-1], True, whole),
                *([(turner, keys[-1], False, True)] if turner is not None else []),
            ]
        bones = ", ".join(self.part[key].bone for key in keys)
        raise MissingRole(
            f"No free bones turn the {WORDS[limb[-1]]} leg ({bones}) one by one, and none carries its foot. "
            "Set its switch to forward kinematics, or limbs to fk."
        )

    def _leaves(self, turner: str | None, keys: list[str]) -> bool:
        """Whether what turns a leg's part leaves its foot behind."""
        return turner is None or not bool(self.turns[turner].moved[self.at[keys[-1]]])

    def _hang_legs(self, trunk: list[tuple[str, str]]) -> None:
        """Hang legs, shoulders and neck from the part of the trunk whose control carries them, and what hangs
        from parts that no control moves from those that carry these. trunk: key and control, upward."""
        parts = []
        for part in self.parts:
            parent = part.parent
            kind = part.key.split(".")[0]
            first = part.key in self.hips or kind == "shoulder" or part.key == "neck.0"
            if first and not (parent or "").startswith("shoulder"):
                row = self.at[part.key]
                # Where its head goes tells: legs that inverse kinematics holds turn otherwise.
                answers = [(key, self.turns[bone]) for key, bone in trunk]
                carrying = [key for key, one in answers if one.places[row] and one.moved[row]]
                parent = carrying[-1] if carrying else "pelvis"
            parts.append(replace(part, parent=parent))
        self.parts = tuple(parts)
        self.part = {part.key: part for part in parts}
