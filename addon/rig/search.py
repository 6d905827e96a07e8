"""Finding the controls of a rig by trying them out.

Each candidate is nudged once on a bench and the parts of the body are watched: a bone that carries the foot
and lets thigh and shin adapt is the target of inverse kinematics, one that turns the thigh about the hip
joint is forward kinematics, whatever they are called and however the machinery between them works.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import MissingRole
from . import graph, naming
from .bench import Bench
from .carriers import Carried, find_carrier
from .controls import Control, Controls
from .parts import Part
from .response import SAME_PLACE, SAME_TURN, Answer, Trial
from .roles import Roles
from .sides import SIDES, WORDS
from .switches import Mode, Switch, find_held, find_switches

# Parts of the limbs, from the body on.
LIMBS = {"leg": ("thigh", "shin", "foot"), "arm": ("upper", "fore", "hand")}
# Parts of the middle line, by the first word of their keys.
TRUNK = ("spine", "trunk", "neck", "tail")


def find_controls(
    armature_object: Any,
    roles: Roles,
    parts: Sequence[Part],
    *,
    travels: bool,
    mode: Mode | None = None,
    stands: bool = False,
    kind: type[Search] | None = None,
) -> Controls:
    """Try the rig out. travels: whether the root bone is to carry the body forward; mode: how limbs that can
    be moved in two ways are to be, None as their switches are set; stands: legs that no bone moves may stay;
    kind: of search, None: that for people.

    Raises MissingRole where a part that a walk needs cannot be moved by any bone, BadSetting where the rig is
    not evaluated.
    """
    kind = Search if kind is None else kind
    with Bench(armature_object) as bench:
        switches = _set_switches(bench, parts, mode) if mode is not None else {}
        found = kind(bench, roles, parts, travels, stands).run()
        wrong = [limb for limb in switches if found.modes.get(limb, mode) != mode]
        if wrong and mode is not None:
            # The names of these switches lie.
            for limb in wrong:
                switches[limb] = [switch.turned() for switch in switches[limb]]
                for switch in switches[limb]:
                    bench.switch(switch.path, switch.value(mode))
            found = kind(bench, roles, parts, travels, stands).run()
            # Where neither way helps they are left as they were: something else decides.
            vain = [limb for limb in wrong if found.modes.get(limb, mode) != mode]
            paths = {switch.path for limb in vain for switch in switches.pop(limb)}
            paths -= {switch.path for limb in switches.values() for switch in limb}
            for path in paths:
                bench.switch_back(path)
            if paths:
                found = kind(bench, roles, parts, travels, stands).run()
        return replace(
            found,
            switched=tuple(
                {
                    switch.path: (switch.path, switch.value(mode), switch.group)
                    for limb in switches.values()
                    for switch in limb
                    if mode is not None
                }.values()
            ),
            notes=(*found.notes, *_unlike(armature_object, parts, found, mode)),
        )


def _set_switches(bench: Bench, parts: Sequence[Part], mode: Mode) -> dict[str, list[Switch]]:
    """Set the switches of all limbs; by limb ("leg.L") those found."""
    found: dict[str, list[Switch]] = {}
    trunk = [part.bone for part in parts if part.key.split(".")[0] in ("root", "pelvis", *TRUNK)]
    for limb in limbs_of(parts):
        switches = find_switches(bench.object, _bones(parts, limb), trunk)
        if switches:
            found[limb] = switches
        for switch in switches:
            bench.switch(switch.path, switch.value(mode))
    return found


def limbs_of(parts: Sequence[Part]) -> tuple[str, ...]:
    """The limbs that parts make: "leg.L", "arm.R"; of animals "leg.hind.L"."""
    names = {name: limb for limb, parts_of in LIMBS.items() for name in parts_of}
    found: dict[str, None] = {}
    for part in parts:
        first, _, rest = part.key.partition(".")
        if first in names:
            found[f"{names[first]}.{rest}"] = None
        elif first == "leg":
            found[part.key.rpartition(".")[0]] = None
    return tuple(found)


def _bones(parts: Sequence[Part], limb: str) -> list[str]:
    """The bones of a limb ("leg.L")."""
    name, side = limb.split(".", 1)
    keys = {f"{part}.{side}" for part in LIMBS[name]}
    return [
        piece
        for part in parts
        for piece in part.pieces
        if part.key in keys or part.key.rpartition(".")[0] == limb
    ]


def _unlike(armature_object: Any, parts: Sequence[Part], found: Controls, mode: Mode | None) -> list[str]:
    words = {"ik": "inverse", "fk": "forward"}
    notes: list[str] = []
    for limb, other in found.modes.items():
        if mode is not None and other != mode:
            notes += find_held(armature_object, _bones(parts, limb)) or [
                f"The {WORDS[limb[-1]]} {limb.split('.')[0]} has no switch to {words[mode]} kinematics."
            ]
    return notes


class Chosen(list[tuple[str, str, bool, bool]]):
    """Controls as they are chosen: bone, part, and whether location and rotation are keyed."""

    def add(self, found: Iterable[tuple[str, str, bool, bool]]) -> None:
        """Those of bones that are not chosen yet."""
        taken = {bone for bone, *_ in self}
        for one in found:
            if one[0] not in taken:
                taken.add(one[0])
                self.append(one)


class Search:
    """One search on one rig; see the module."""

    def __init__(
        self, bench: Bench, roles: Roles, parts: Sequence[Part], travels: bool, stands: bool
    ) -> None:
        self.bench, self.parts, self.roles, self.travels = bench, parts, roles, travels
        self.stands = stands
        self.bones = bench.object.pose.bones
        self.part = {part.key: part for part in parts}
        self.decided = graph.decided(bench.evaluated())
        self.driven = graph.driven(bench.object)
        self.notes: list[str] = []
        self.modes: dict[str, Mode] = {}
        # The parts that the legs begin with.
        self.hips = [
            key for key in self.part if key.startswith("thigh.") or (key[:4] == "leg." and key[-2:] == ".0")
        ]
        self.active: set[str] = set()  # keys of parts that controls move
        self.seeds: dict[str, str] = {}  # by bone that inverse kinematics begins from, the part that it is
        depends = graph.sources(bench.object)
        self.mechanism = any(map(graph.is_mechanism, self.decided))
        candidates = sorted(b for b in graph.upstream(depends, {p.bone for p in parts}) if self._free(b))
        self.candidates = candidates
        self.things = [*(p.bone for p in parts), *candidates]
        self.at = {part.key: k for k, part in enumerate(parts)}
        self.watch = dict(self.at)  # by part, the thing whose motion is the part's
        self.row = {bone: len(parts) + k for k, bone in enumerate(candidates)}
        before = [self.at[p.key if p.parent in (None, "root") else p.parent] for p in parts]
        before += range(len(before), len(self.things))
        up, facing = np.array(roles.up), np.array(roles.facing)
        self.leg = max(leg.length for leg in roles.legs) or roles.leg_length
        self.trial = Trial(
            bench,
            self.things,
            np.array(before, dtype=np.intp),
            leg=self.leg,
            up=up,
            left=np.cross(up, facing),
            centre=np.array(bench.matrices()[bench.names.index(self.part["pelvis"].bone)][:3, 3]),
            reach=self._reach(),
        )
        self.turns = self.trial.turn(b for b in candidates if self._can(b, "rotation"))
        self.moves = self.trial.move(b for b in candidates if self._can(b, "location"))
        # What moves no part is moved far, to see whether it is a pole.
        poles = [b for b, answer in self.moves.items() if not answer.moved[: len(parts)].any()]
        self.asides = self.trial.move(poles, aside=True)

    def _reach(self) -> dict[str, npt.NDArray[np.bool_]]:
        """By candidate, which of the things it can move at all."""
        found = {}
        below = graph.downstream(graph.sources(self.bench.object, chains=True), self.candidates)
        for candidate, bones in below.items():
            found[candidate] = np.array([thing in bones for thing in self.things])
        return found

    # ---- which bones may be keyed ----

    def _free(self, name: str) -> bool:
        """Whether an animator may key the bone at all."""
        if name in self.decided or (self.mechanism and graph.is_mechanism(name)):
            return False
        return self._can(name, "rotation") or self._can(name, "location")

    def _can(self, name: str, channel: str) -> bool:
        bone = self.bones[name]
        if channel == "location":
            connected = bone.parent is not None and bone.bone.use_connect
            return not connected and not all(bone.lock_location) and (name, "location") not in self.driven
        path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
            bone.rotation_mode, "rotation_euler"
        )
        return not all(bone.lock_rotation) and (name, path) not in self.driven

    # ---- choice ----

    def run(self) -> Controls:
        """All controls, then what each hangs from."""
        chosen, root, pelvis = self._begun()
        add = chosen.add
        add(self._column("spine"))
        add(self._column("neck"))
        for side in SIDES:
            add(self._limb(side, LIMBS["leg"], needed=True))
            toe = self._turner(f"toe.{side}") if f"toe.{side}" in self.at else None
            add([(toe, f"toe.{side}", False, True)] if toe else [])
            if f"upper.{side}" in self.at:
                add(self._limb(side, LIMBS["arm"], needed=False))
        self.active = {key for _, key, *_ in chosen}
        # A segment's motion is best seen on the control that turns it.
        for bone, key, location, rotation in chosen:
            limb = key[:-2] in (*LIMBS["leg"], *LIMBS["arm"])
            if rotation and not location and limb and bone not in self.seeds:
                self.watch[key] = self.row[bone]
        for side in SIDES:
            self.active |= {f"{name}.{side}" for name in ("thigh", "shin", "foot")}
            if f"fore.{side}" in self.active:
                self.active |= {f"{name}.{side}" for name in ("upper", "hand")} & set(self.at)
        return self._controls(chosen, root, pelvis)

    def _begun(self) -> tuple[Chosen, Part | None, str]:
        """The first controls, of what carries the body forward and of what moves it; the part of the one, the
        bone of the other."""
        chosen, pelvis, root = Chosen(), self._pelvis(), self.part.get("root")
        if root is not None and self.travels and root.bone != pelvis and root.bone in self.moves:
            chosen.append((root.bone, "root", True, False))
        chosen.append((pelvis, "pelvis", True, True))
        return chosen, root, pelvis

    def _controls(
        self, chosen: Sequence[tuple[str, str, bool, bool]], root: Part | None, pelvis: str
    ) -> Controls:
        """The controls chosen, and what each hangs from. root: part that carries the body forward."""
        controls = self._anchored(chosen)
        self.notes.insert(0, f"Keyed: {', '.join(control.bone for control in controls)}.")
        names = {part.bone for part in self.parts} | {c.bone for c in controls}
        names |= {self.bones[c.bone].parent.name for c in controls if self.bones[c.bone].parent}
        return Controls(
            zero={name: self.trial.of(name) for name in names},
            controls=controls,
            parts=tuple(part for part in self.parts if part.key in self.active),
            modes=self.modes,
            carrier=root.bone if any(c.follows == "root" for c in controls) and root else pelvis,
            notes=tuple(self.notes),
        )

    def _pelvis(self) -> str:
        """The bone that carries hips and chest and nothing that it need not."""
        column = [p.key for p in self.parts if p.key.startswith(("spine", "trunk"))]
        hips = [self.at[key] for key in self.hips]

        def carries(bone: str) -> bool:
            move, turn = self.moves[bone], self.turns.get(bone)
            trunk = [self.at["pelvis"], *(self.at[key] for key in column)]
            if turn is None or (move.torn | turn.torn)[[*trunk, *hips]].any():
                return False
            whole = [trunk[0], trunk[-1]]
            return bool(
                move.carries[whole].all()
                and turn.carries[whole].all()
                and move.places[hips].all()
                and turn.places[hips].all()
            )

        fit = [bone for bone in self.moves if carries(bone)]
        role = self.part["pelvis"].bone
        root = self.part["root"].bone if "root" in self.part else None
        others = [bone for bone in fit if bone != root]
        if role in fit:
            return role
        best = self._best(others or fit, self.moves, lowest=True)
        if best is None:
            raise MissingRole(
                f'No free bone carries the body: "{role}" and those above it are locked, connected or decided'
                " by constraints. Free one of them, or set the role of the pelvis."
            )
        why = "is connected or locked" if role not in self.moves else "does not carry the whole body"
        self.notes.append(f'"{role}" {why}: "{best}" carries the body.')
        return best

    def _column(self, name: str) -> list[tuple[str, str, bool, bool]]:
        """Controls of spine or of neck and head: the last part's, and the others' unless the rig itself
        spreads the last one's turn over them."""
        keys = [part.key for part in self.parts if part.key.startswith(name + ".")]
        if not keys:
            return []
        last = self._turner(keys[-1], pivot=False)
        if last is None:
            self.notes.append(f'No free bone turns "{self.part[keys[-1]].bone}": it is not moved.')
            return []
        share = self.turns[last].share[[self.at[key] for key in keys]]
        spread = bool(((share > 0.05) & (share < 0.95)).any())
        found = []
        for k, key in enumerate(keys[:-1]):
            turner = self._turner(key, pivot=False)
            if turner is None or turner == last or (spread and (name != "neck" or k > 0)):
                continue
            found.append((turner, key, False, True))
        return [*found, (last, keys[-1], False, True)]

    def _limb(
        self, side: str, names: tuple[str, str, str], *, needed: bool
    ) -> list[tuple[str, str, bool, bool]]:
        upper, lower, end = (f"{name}.{side}" for name in names)
        return self._segments(f"{'leg' if needed else 'arm'}.{side}", (upper, lower, end), needed=needed)

    def _segments(
        self, limb: str, keys: tuple[str, str, str], *, needed: bool
    ) -> list[tuple[str, str, bool, bool]]:
        """Controls of a limb of two segments and an end."""
        upper, lower, end = keys
        side, found = limb[-1], []
        first = self._turner(upper, carries=True)
        second = self._turner(lower) if first is not None else None
        loose = second is not None and end in self.at and not self.turns[second].moved[self.at[end]]
        target = self._target(upper, lower, end, loose) if end in self.at else None
        if target is None and (first is None or second is None):
            spoken = f"{WORDS[side]} {'leg' if needed else 'arm'}"
            what = (
                f"No free bone moves the {spoken} ({self.part[upper].bone}, {self.part[lower].bone}): "
                "neither a target of inverse kinematics nor bones that turn it. Set its switch to one of the "
                "two"
            )
            if needed and self.stands:
                return []
            if needed:
                raise MissingRole(what + ", or limbs to ik or fk.")
            self.notes.append(what + ": it is not moved.")
            return []
        if first is not None:
            found.append((first, upper, False, True))
        if second is not None:
            found.append((second, lower, False, True))
        self.modes[limb] = "fk" if target is None or loose else "ik"
        follows = end if needed else lower
        turner = self._turner(end) if end in self.at else None
        if target is not None:
            whole = self._holds(target, end)
            found.append((target, follows, True, whole))
            pole = self._pole(upper, lower, end)
            found += [(pole, upper, True, False)] if pole else []
            if needed and pole is None and not self._turns_with(target, end):
                found += self._seeded(side, [upper, lower, end] if whole else [upper, lower], end)
            turner = None if whole else turner
        if turner is not None and needed:
            found.append((turner, end, False, True))
        return found

    def _seeded(self, side: str, keys: list[str], end: str) -> list[tuple[str, str, bool, bool]]:
        """The segments of a leg themselves, where inverse kinematics without a pole begins from their own
        turns: those decide where its knee goes, and how the foot rolls that hangs on it."""
        a, b, c = (self.at[key] for key in (*keys[:2], end))
        bones = [self.part[key].bone for key in keys]
        leg = f"The inverse kinematics of the {WORDS[side]} leg has no pole"
        free = all(self._can(x, "rotation") and not (self.mechanism and graph.is_mechanism(x)) for x in bones)
        if free:
            answer = self.trial.turn(bones[:1])[bones[0]]
            free = bool(answer.turned[[a, b]].all()) and not bool(
                answer.moved[c] or answer.torn[[b, c]].any()
            )
        if not free:
            self.notes.append(f'{leg}: its knee may swing, and "{self.part[end].bone}" with it.')
            return []
        self.notes.append(
            f"{leg}, and its foot hangs on the shin: {naming.spoken(bones)} are keyed too, from whose turns "
            "it begins."
        )
        self.seeds |= dict(zip(bones, keys, strict=True))
        return [(bone, key, False, True) for bone, key in zip(bones, keys, strict=True)]

    def _turner(self, key: str, *, pivot: bool = True, carries: bool = False) -> str | None:
        """The bone that turns a part, but not the one that carries it. pivot: about the part's own joint;
        carries: none that does not carry what hangs on the part."""
        part, parent = self.at[key], self.part[key].parent
        above = self.at[parent] if parent is not None else part
        below = [self.at[p.key] for p in self.parts if p.parent == key]
        near = [part, *below]
        # Legs may hang from the middle of the trunk: what turns the trunk and takes the hips along would move
        # planted feet, or draw out their legs.
        hips = [self.at[key] for key in self.hips] if key.split(".")[0] in ("spine", "neck") else []

        def turns(bone: str) -> bool:
            answer = self.turns[bone]
            if answer.torn[near].any() or answer.turns[above] or answer.moved[hips].any():
                return False
            # Skin that is made to twist by degrees takes over the swing of its segment alone; what hangs from
            # the segment goes along all the same.
            swings = bool(answer.moved[below].any())
            if not answer.turns[part] and not (swings and pivot and answer.carries[below].all()):
                return False
            # A bone that only turns about its own length is no control of its part.
            return (swings or self._locked(bone) < 2) and not (pivot and answer.moved[part])

        fit = [bone for bone in self.turns if turns(bone)]
        if below and pivot:
            # What turns skin and carries nothing that hangs on it is a helper.
            fit = [bone for bone in fit if self.turns[bone].moved[below].any()] or ([] if carries else fit)
        fit = [bone for bone in fit if self.turns[bone].turns[part]] or fit
        own = self.part[key].bone
        if own not in fit:
            return self._best(fit, self.turns, key if pivot else None)
        return self._best([bone for bone in fit if self._is_control_of(bone, own)], self.turns) or own

    def _is_control_of(self, bone: str, skin: str) -> bool:
        """Whether a bone that moves no skin itself lies just where one that does lies."""
        bones = self.bench.object.data.bones
        if bones[bone].use_deform or not bones[skin].use_deform:
            return False
        apart = np.array(bones[bone].matrix_local) - np.array(bones[skin].matrix_local)
        return bool(np.abs(apart[:3, :3]).max() < 1e-3 and np.abs(apart[:3, 3]).max() < SAME_PLACE * self.leg)

    def _locked(self, bone: str) -> int:
        return sum(self.bones[bone].lock_rotation)

    def _target(self, upper: str, lower: str, end: str, loose: bool) -> str | None:
        """The bone that carries the end of a limb along while its other bones adapt, or (loose) stay."""
        a, b, c, pelvis = (self.at[key] for key in (upper, lower, end, "pelvis"))

        def carries(bone: str) -> bool:
            move = self.moves[bone]
            return (loose or not move.torn[[b, c]].any()) and bool(
                move.places[c]
                and move.moved[c]
                and not (move.moved[a] or move.moved[pelvis] or move.carries[b])
            )

        fit = [bone for bone in self.moves if carries(bone)]
        turning = [bone for bone in fit if self._holds(bone, end)]
        return self._best(turning or fit, self.moves, end)

    def _holds(self, bone: str, key: str) -> bool:
        """Whether a bone decides how a part is turned, or at least where it points, however it rolls."""
        if bone not in self.turns:
            return False
        aimed = self._aims(self.turns[bone], key) and self._aims(self.moves[bone], key)
        return aimed or self._turns_with(bone, key)

    def _turns_with(self, bone: str, key: str) -> bool:
        row = self.at[key]
        return bone in self.turns and bool(self.turns[bone].turns[row] and self.moves[bone].turns[row])

    def _aims(self, answer: Answer, key: str) -> bool:
        """Whether a part points where a control that is nudged would have it point."""
        after = [p.bone for p in self.parts if p.parent == key]
        own = self.trial.of(self.part[key].bone)
        way = self.trial.of(after[0])[:3, 3] - own[:3, 3] if after else own[:3, 1]
        off = (answer.motion[self.at[key]] - answer.own)[:3, :3] @ (way / np.linalg.norm(way))
        return bool(np.linalg.norm(off) < SAME_TURN)

    def _pole(self, upper: str, lower: str, end: str) -> str | None:
        """The bone that swings the limb's middle joint and nothing else."""
        a, b, c = (self.at[key] for key in (upper, lower, end))

        def swings(bone: str) -> bool:
            move = self.asides.get(bone, self.moves[bone])
            return not move.torn[[b, c]].any() and bool(
                move.turned[a] and move.turned[b] and not move.moved[a] and not move.moved[c]
            )

        return self._best([bone for bone in self.moves if swings(bone)], self.moves)

    def _best(
        self,
        bones: Sequence[str],
        table: dict[str, Answer],
        key: str | None = None,
        *,
        lowest: bool = False,
    ) -> str | None:
        """Of bones that do the same (for a part: key) the one with the fewest locks; then the one that moves
        (or turns: table) the fewest parts, but for what hangs on the part; then the part's own bone, one with
        a custom shape, the one that the others depend on (lowest: that depends on them).
        """
        if not bones:
            return None
        role = None if key is None else self.part[key].bone
        others = [k for p, k in self.at.items() if key is None or key not in (p, *self._above(p))]

        def rank(bone: str) -> tuple[Any, ...]:
            answer = table[bone]
            size = int(
                (answer.turns & answer.turned if table is self.turns else answer.carries)[others].sum()
            )
            above = sum(self._moves(other, bone) for other in bones if other != bone)
            return (
                self._locked(bone),
                size,
                bone != role,
                self.bones[bone].custom_shape is None,
                -above if lowest else above,
                len(bone),
                bone,
            )

        return min(bones, key=rank)

    def _moves(self, mover: str, bone: str) -> bool:
        """Whether one candidate depends on another."""
        row = self.row[bone]
        tables = [table[mover] for table in (self.turns, self.moves) if mover in table]
        return any(bool(answer.turned[row] or answer.moved[row]) for answer in tables)

    # ---- what carries a control ----

    def _anchored(self, chosen: Sequence[tuple[str, str, bool, bool]]) -> tuple[Control, ...]:
        nudges: dict[str, list[Answer]] = {}
        for bone, _, location, rotation in chosen:
            used = [(self.moves, location), (self.turns, rotation)]
            nudges[bone] = [table[bone] for table, wanted in used if wanted and bone in table]
        controls = []
        for bone, key, location, rotation in chosen:
            # How inverse kinematics turns a bone says nothing about what carries it.
            seed = bone in self.seeds
            carried = Carried(self.part[key].parent) if seed else self._anchor(bone, key, location, nudges)
            controls.append(Control(bone, key, location, rotation, *carried))
        return tuple(controls)

    def _anchor(self, bone: str, key: str, location: bool, nudges: dict[str, list[Answer]]) -> Carried:
        """What a control hangs from: seen on the nudges of the others."""
        moved_by_it = np.zeros(len(self.things), dtype=bool)
        for answer in nudges[bone]:
            moved_by_it |= answer.turned | answer.moved
        keys = [k for k in (*self._above(key), *self.at) if k in self.active and not moved_by_it[self.at[k]]]
        carried, sure = find_carrier(
            [answer for mover, answers in nudges.items() if mover != bone for answer in answers],
            self.row[bone],
            self.trial.of(bone)[:3, 3],
            {key: self.watch[key] for key in keys},
            leg=self.leg,
            location=location,
        )
        if not sure and key.split(".")[0] not in TRUNK:
            name = "nothing" if carried.anchor is None else f'"{self.part[carried.anchor].bone}"'
            self.notes.append(f'"{bone}" hangs partly from several bones; it is taken to follow {name}.')
        return carried

    def _above(self, key: str) -> list[str]:
        """Keys of the parts that carry a part, nearest first."""
        found = []
        parent = self.part[key].parent
        while parent is not None:
            found.append(parent)
            parent = self.part[parent].parent
        return found
