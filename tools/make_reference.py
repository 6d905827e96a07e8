"""Make addon/data/walk_adult.json and run_adult.json, what gaits are built from and judged by.

    python tools/make_reference.py gait_reference.json [addon/data]

The input is the collection of published curves (51 points a cycle, 0 % = heel strike); the output keeps what
the add-on uses and may pass on: the adult walk and run with their spread, the means of pelvis, trunk and
arms, the formulas of stride and timing as numbers, the marks of the scorer, and for each its source, licence
and credit.

Formulas stand in the input as sentences. Each is repeated here as numbers together with its sentence, and the
tool stops when the sentence in the input has changed, so that the two cannot drift apart unseen.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

CLASSES = ("slow", "normal", "fast")
BODY_CURVES = ("pelvis_x", "pelvis_y", "pelvis_z", "shoulder", "elbow", "thorax_rot", "trunk_pitch")
SOURCES = ("fukuchi2018", "openacl_table", "schwartz2008", "cmu")

CMU_CREDIT = (
    "The data used in this project was obtained from mocap.cs.cmu.edu. "
    "The database was created with funding from NSF EIA-0196217."
)
FUKUCHI_CREDIT = (
    "Walking curves of adults: Fukuchi CA, Fukuchi RK, Duarte M (2018), A public dataset of overground and "
    "treadmill walking kinematics and kinetics in healthy individuals, PeerJ 6:e4640, doi "
    "10.7717/peerj.4640, data doi 10.6084/m9.figshare.5722711, licensed under CC BY 4.0 "
    "(https://creativecommons.org/licenses/by/4.0/). Changed: resampled to 51 points; thigh and foot pitch "
    "derived; slow and fast predicted with speed differences measured by Schwartz MH, Rozumalski A, Trost JP "
    "(2008), doi 10.1016/j.jbiomech.2008.03.015."
)

DUTY_TEXT = (
    "0.618 +-0.009, 0.603 +-0.011, 0.591 +-0.012 at vn 0.32, 0.42, 0.51 (force plates); line 0.663 - 0.142 vn"
)

# Where the collection's own words are about the collection and not about what is passed on.
REWORDED = {
    "schwartz2008": {
        "licence": "Facts from a journal's addendum: differences between speeds alone are used, no curve.",
        "mark": "V",
    },
    "openacl_table": {"via": "github antsal06/openacl, README of src/openacl/norm (its table of results)"},
    "cmu": {"mark": "M"},
}

# name: (key in human_scalars, place in its list, the sentence there, the same as numbers)
SCALARS: dict[str, tuple[str, int, str, dict[str, Any]]] = {
    "stride_over_leg": (
        "stride_length_over_L",
        0,
        "2.52 vn^0.51, residual 5 %",
        {"factor": 2.52, "power": 0.51, "residual_share": 0.05},
    ),
    "stride_over_leg_adults": (
        "stride_length_over_L",
        2,
        "1.30 / 1.48 / 1.55 at vn 0.32 / 0.42 / 0.51 (step 0.57, 0.65, 0.68 m; L 0.88)",
        {"vn": [0.32, 0.42, 0.51], "value": [1.30, 1.48, 1.55], "share_of_formula": 0.92},
    ),
    "cadence_steps_min": (
        "cadence_steps_min",
        0,
        "97.9 +-6.5 at 0.94 m/s, 114.7 +-5.6 at 1.24, 132.3 +-8.3 at 1.50",
        {
            "speed_m_s": [0.94, 1.24, 1.50],
            "value": [97.9, 114.7, 132.3],
            "sd": [6.5, 5.6, 8.3],
            "leg_m": 0.88,
        },
    ),
    "duty_factor": (
        "duty_factor",
        0,
        DUTY_TEXT,
        {"constant": 0.663, "per_vn": -0.142, "sd": 0.011},
    ),
    "double_support": (
        "double_support",
        0,
        "0.237 +-0.018, 0.204 +-0.019, 0.179 +-0.019 at 0.94, 1.24, 1.50 m/s",
        {
            "speed_m_s": [0.94, 1.24, 1.50],
            "value": [0.237, 0.204, 0.179],
            "sd": [0.018, 0.019, 0.019],
            "leg_m": 0.88,
        },
    ),
    "step_width_over_leg": (
        "step_width_over_L",
        1,
        "0.140 +-0.025 slow, 0.113 +-0.033 normal, 0.089 +-0.011 fast",
        {"vn": [0.332, 0.398, 0.579], "value": [0.140, 0.113, 0.089], "sd": [0.025, 0.033, 0.011]},
    ),
    "toe_out_deg": (
        "toe_out_deg",
        0,
        "8 +-5 in mid-stance, 10 at heel strike",
        {"stance": 8.0, "strike": 10.0, "sd": 5.0},
    ),
    "shoulder_swing_deg": (
        "arm_swing_deg",
        0,
        "shoulder peak to peak -8 + 98 vn, residual 13 (33 at vn 0.42)",
        {"constant": -8.0, "per_vn": 98.0, "residual": 13.0},
    ),
    "elbow_deg": (
        "arm_swing_deg",
        1,
        "elbow smallest 32 - 38 vn, largest 14 + 80 vn",
        {
            "smallest_constant": 32.0,
            "smallest_per_vn": -38.0,
            "largest_constant": 14.0,
            "largest_per_vn": 80.0,
        },
    ),
    "pelvis_vertical_over_leg": (
        "pelvis_vertical_pp_over_L",
        0,
        "0.009 + 0.067 vn, residual 0.008 (2.6 cm at 1.0 m/s, 4.2 cm at 1.67, L 0.86)",
        {"constant": 0.009, "per_vn": 0.067, "residual": 0.008},
    ),
    "pelvis_lateral_over_leg": (
        "pelvis_lateral_pp_over_L",
        0,
        "0.130 - 0.149 vn, residual 0.014; COM 0.108 - 0.132 vn",
        {"constant": 0.130, "per_vn": -0.149, "residual": 0.014},
    ),
    "fore_aft_over_leg": (
        "fore_aft_pp_over_L",
        0,
        "COM 0.044 - 0.023 vn, residual 0.009, two waves a stride",
        {"constant": 0.044, "per_vn": -0.023, "residual": 0.009, "waves_per_stride": 2},
    ),
    "pelvic_rotation_deg": ("pelvic_rotation_pp_deg", 0, "13.1 +-about 4", {"value": 13.1, "sd": 4.0}),
    "pelvic_list_deg": ("pelvic_list_pp_deg", 0, "11.0", {"value": 11.0}),
    "toe_clearance_mm": ("min_toe_clearance_mm", 0, "19 +-5 at 51 % of swing", {"value": 19.0, "sd": 5.0}),
}


def scalars(
    human: dict[str, Any], wanted: dict[str, tuple[str, int, str, dict[str, Any]]] = SCALARS
) -> dict[str, Any]:
    """The formulas as numbers, each with sentence, source and mark. Stops when a sentence is not the
    expected one.
    """
    made = {}
    for name, (key, place, sentence, numbers) in wanted.items():
        entry = human[key][place]
        if entry["value"] != sentence:
            sys.exit(f"human_scalars.{key}[{place}] now reads {entry['value']!r}: bring {name} up to date")
        made[name] = {**numbers, "text": sentence, "source": entry["source"], "mark": entry["mark"]}
    return made


def reference(source: dict[str, Any]) -> dict[str, Any]:
    """What walk_adult.json holds, from the whole collection."""
    walk = {name: source["walk_adult"][name] for name in CLASSES}
    body = {}
    for name in CLASSES:
        block = source["walk_measured_cmu"][name]
        body[name] = {
            "vn": block["vn"],
            "speed_m_s": block["speed_m_s"],
            "leg_m": block["L_m"],
            "people": len(block["subjects"]),
            "cycles": block["n_cycles"],
            "source": "cmu",
            "curves": {curve: block["curves"][curve]["mean"] for curve in BODY_CURVES},
        }
    scoring = source["scoring"]
    return {
        "title": "The measured walk of adults",
        "points": source["meta"]["points"],
        "units": source["meta"]["units"],
        "marks": "V read in the named source; M measured from the named clips; D derived",
        "conventions": source["conventions"],
        "credit": [FUKUCHI_CREDIT, CMU_CREDIT],
        "sources": {key: source["sources"][key] | REWORDED.get(key, {}) for key in SOURCES},
        "scalars": scalars(source["human_scalars"]),
        "scoring": {
            key: scoring[key]
            for key in ("reference", "curves", "pass_marks", "verdict", "features", "slow_rule")
        },
        "walk": walk,
        "body": body,
    }


# ---- the run ----

RUN_SOURCES = ("bmc_ric", "rbds", "cmu", "opensim")
RUNNERS_CREDIT = (
    "Running curves of adults: Fukuchi RK, Duarte M, Ferber R, Three-dimensional kinematics of running, "
    "inter-laboratory comparison (46 runners), and Fukuchi RK, Fukuchi CA, Duarte M (2017), A public dataset "
    "of running biomechanics, PeerJ 5:e3298, doi 10.7717/peerj.3298 (28 runners), both licensed under CC BY "
    "4.0 (https://creativecommons.org/licenses/by/4.0/). Changed: resampled to 51 points; thigh pitch "
    "derived; other speeds predicted."
)
RUN_CURVES = ("thigh_pitch", "knee_flexion", "ankle_dorsiflexion", "foot_pitch")
# Speeds of the group and of the two single runners whose mean is set beside it, and how far either way their
# difference is carried on.
RUN_VN = {"jog": 0.55, "easy": 0.85, "fast": 1.17, "faster": 1.7}
# Of what two single runners differ from the group, so much is taken for the speed's, the rest for their own.
SPEEDS_SHARE = 0.5

# As SCALARS. The sentences of three people's running stand in one list.
RUN_TIMES_TEXT = "duty 0.36 at 3.5 m/s, 0.395 at 2.6 m/s, 0.372 at 3.63 m/s; period 0.755, 0.79, 0.70 s"
RUN_SCALARS: dict[str, tuple[str, int, str, dict[str, Any]]] = {
    # Through the mean of four people (the optimum of the next line is the fourth), with the slope between the
    # two of one laboratory.
    "stride_over_leg": (
        "running",
        0,
        RUN_TIMES_TEXT,
        {"factor": 2.43, "power": 0.79, "residual_share": 0.12},
    ),
    "cadence_optimum": (
        "running",
        1,
        "84.8 +-3.6 strides/min is the optimum at 3.0 m/s",
        {"speed_m_s": 3.0, "strides_min": 84.8, "sd": 3.6},
    ),
    "duty_factor": ("running", 0, RUN_TIMES_TEXT, {"constant": 0.499, "per_vn": -0.114, "sd": 0.01}),
    "pelvis_vertical_over_leg": (
        "running",
        2,
        "pelvis vertical 9.3 cm (0.102 L) at 3.5 m/s, 7.6 cm (0.077 L) Hamner",
        {"constant": 0.09, "per_vn": 0.0, "residual": 0.013},
    ),
    "elbow_deg": (
        "running",
        3,
        "elbow 70-120 deg, shoulder 45 +-8 deg peak to peak",
        {"smallest": 80.0, "largest": 115.0, "shoulder_swing": 46.0},
    ),
    "walk_run_transition": (
        "walk_run_transition",
        0,
        "Froude 0.5 (vn 0.71); walking below about 2.0 m/s",
        {"froude": 0.5},
    ),
}


def mixed(rows: list[tuple[float, list[float]]]) -> list[float]:
    """Weighted sum of curves, to a tenth of a degree or a ten-thousandth of a leg."""
    digits = 1 if max(abs(x) for _, row in rows for x in row) > 1.0 else 4
    return [round(sum(w * row[i] for w, row in rows), digits) + 0.0 for i in range(len(rows[0][1]))]


def running(source: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The run's leg curves by speed: a group at 2.5 m/s; at 3.5 m/s the group changed by half of what two
    runners differ from it; and that change carried on in a straight line either way.

    The thigh's pitch is that of the foot less the ankle's bend plus the knee's. Its spread is the hip's.
    """
    blocks = {name: block["curves"] for name, block in source["run"].items()}
    group, feet = blocks["treadmill_2p5"], blocks["treadmill_2p5_foot_pelvis"]
    bends = {name: group[name] for name in RUN_CURVES[1:3]} | {"foot_pitch": feet["foot_pitch"]}

    def thigh(curves: dict[str, list[float]]) -> list[float]:
        parts = [(1.0, "foot_pitch"), (-1.0, "ankle_dorsiflexion"), (1.0, "knee_flexion")]
        return mixed([(sign, curves[name]) for sign, name in parts])

    easy = {name: curve["mean"] for name, curve in bends.items()}
    easy["thigh_pitch"] = thigh(easy)
    spread = {name: curve["sd"] for name, curve in bends.items()} | {
        "thigh_pitch": group["hip_flexion"]["sd"]
    }
    runners = []
    for name in ("cmu09_3p5", "hamner_3p6"):
        at = blocks[name]
        own = {
            "knee_flexion": at["knee"]["mean"],
            "ankle_dorsiflexion": at["ankle"]["mean"],
            "foot_pitch": at["foot_pitch"]["mean"],
        }
        runners.append({**own, "thigh_pitch": thigh(own)})
    fast = {
        name: mixed([(1.0 - SPEEDS_SHARE, easy[name]), *((0.5 * SPEEDS_SHARE, r[name]) for r in runners)])
        for name in RUN_CURVES
    }

    def carried(vn: float) -> dict[str, list[float]]:
        share = (vn - RUN_VN["easy"]) / (RUN_VN["fast"] - RUN_VN["easy"])
        return {name: mixed([(1.0 - share, easy[name]), (share, fast[name])]) for name in RUN_CURVES}

    made = {
        "jog": (carried(RUN_VN["jog"]), "easy, less the change from easy to fast in proportion [D]"),
        "easy": (easy, "bmc_ric (knee, ankle) and rbds (foot), 46 and 28 runners at 2.5 m/s [V]; thigh [D]"),
        "fast": (fast, "half way from easy to the mean of cmu (09, 3.53 m/s) and opensim (3.63 m/s) [D]"),
        "faster": (carried(RUN_VN["faster"]), "fast, and the change from easy to it carried on [D]"),
    }
    return {
        name: {
            "vn": RUN_VN[name],
            "source": text,
            "curves": {curve: {"mean": curves[curve], "sd": spread[curve]} for curve in RUN_CURVES},
        }
        for name, (curves, text) in made.items()
    }


def running_body(source: dict[str, Any]) -> dict[str, Any]:
    """Pelvis and arms: one curve each for all speeds. The chest's turn, which nobody measured, is that of the
    fast walk.
    """
    blocks = {name: block["curves"] for name, block in source["run"].items()}

    def mean(curve: str, *people: str) -> list[float]:
        return mixed([(1.0 / len(people), blocks[name][curve]["mean"]) for name in people])

    feet = blocks["treadmill_2p5_foot_pelvis"]
    return {
        "source": "rbds (pelvis's list and rotation), means of cmu 09 and opensim (pelvis's path), of these "
        "and cmu 02 (arms), cmu walks (thorax)",
        "curves": {
            "pelvic_obliquity": feet["pelvic_obliquity"]["mean"],
            "pelvic_rotation": feet["pelvic_rotation"]["mean"],
            "pelvis_x": mean("pelvis_x", "cmu09_3p5", "hamner_3p6"),
            "pelvis_y": mean("pelvis_y", "cmu09_3p5", "cmu02_2p6", "hamner_3p6"),
            "pelvis_z": mean("pelvis_z", "cmu09_3p5", "hamner_3p6"),
            "shoulder": mean("shoulder", "cmu09_3p5", "cmu02_2p6", "hamner_3p6"),
            "elbow": mean("elbow", "cmu09_3p5", "cmu02_2p6", "hamner_3p6"),
            "trunk_pitch": blocks["cmu09_3p5"]["trunk_pitch"]["mean"],
            "thorax_rot": source["walk_measured_cmu"]["fast"]["curves"]["thorax_rot"]["mean"],
        },
    }


def run_reference(source: dict[str, Any]) -> dict[str, Any]:
    """What run_adult.json holds, from the whole collection."""
    limits = dict(source["scoring"]["limits_run_2p5"])
    limits["thigh_pitch"] = limits.pop("hip_flexion")
    body = running_body(source)
    return {
        "title": "The measured run of adults",
        "points": source["meta"]["points"],
        "units": source["meta"]["units"],
        "marks": "V read in the named source; M measured from the named clips; D derived",
        "conventions": source["conventions"],
        "credit": [RUNNERS_CREDIT, CMU_CREDIT],
        "sources": {key: source["sources"][key] | REWORDED.get(key, {}) for key in RUN_SOURCES},
        "scalars": {
            **scalars(source["human_scalars"], RUN_SCALARS),
            "pelvis_lateral_over_leg": {
                "constant": round(max(body["curves"]["pelvis_z"]) - min(body["curves"]["pelvis_z"]), 3),
                "per_vn": 0.0,
                "text": "peak to peak of pelvis_z, a mean of two people",
                "source": "cmu 09, opensim",
                "mark": "M",
            },
        },
        "scoring": {
            "reference": "run, linear in vn between its speeds, held constant outside",
            "curves": list(RUN_CURVES),
            "limits": {name: limits[name] for name in RUN_CURVES},
            "limits_from": "46 runners at 2.5 m/s, each left out in turn; those of the thigh are the hip's",
        },
        "run": running(source),
        "body": body,
    }


def dumps(value: Any, depth: int = 0) -> str:
    """JSON with an object's entries on lines of their own and each list of numbers on one line."""
    if isinstance(value, dict):
        pad = "  " * (depth + 1)
        entries = [f"{pad}{json.dumps(key)}: {dumps(item, depth + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(entries) + "\n" + "  " * depth + "}"
    return json.dumps(value, ensure_ascii=False)


FILES = {"walk_adult.json": reference, "run_adult.json": run_reference}


def main(arguments: list[str] | None = None) -> None:
    """Read the collection, write the references."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("source", type=Path, help="the collection, gait_reference.json")
    default = Path(__file__).resolve().parents[1] / "addon" / "data"
    parser.add_argument("target", type=Path, nargs="?", default=default, help="the folder to write to")
    options = parser.parse_args(arguments)
    collection = json.loads(options.source.read_text(encoding="utf-8"))
    for name, make in FILES.items():
        path = options.target / name
        path.write_text(dumps(make(collection)) + "\n", encoding="utf-8", newline="\n")
        print(f"{name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
