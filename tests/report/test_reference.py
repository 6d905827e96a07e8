"""The reference data that ships with the add-on, and the formulas read from it."""

import importlib.util
import json

import numpy as np
import pytest
from amble.report import reference
from tests.data import ROOT


def test_the_shipped_files_are_what_the_tool_makes_of_the_collection(data_dir):
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "tools" / "make_reference.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    collection = json.loads((data_dir / "gait_reference.json").read_text(encoding="utf-8"))
    assert sorted(tool.FILES) == sorted(f"{gait}_adult.json" for gait in reference.GAITS)
    for name, make in tool.FILES.items():
        shipped = (reference.FOLDER / name).read_text(encoding="utf-8")
        assert tool.dumps(make(collection)) + "\n" == shipped


def test_the_credits_name_the_licences_and_all_sources():
    walkers, cmu, runners = reference.credit()
    assert "CC BY 4.0" in walkers
    assert "PeerJ 6:e4640" in walkers
    assert "CC BY 4.0" in runners
    assert "PeerJ 5:e3298" in runners
    assert cmu == (
        "The data used in this project was obtained from mocap.cs.cmu.edu. "
        "The database was created with funding from NSF EIA-0196217."
    )


def test_every_block_of_data_names_a_source():
    data = reference.data()
    assert all(
        block["source"]
        for block in (*data["walk"].values(), *data["body"].values(), *data["scalars"].values())
    )
    assert data["sources"]["fukuchi2018"]["licence"] == "CC BY 4.0"
    run = reference.data("run")
    assert all(block["source"] for block in (*run["run"].values(), run["body"], *run["scalars"].values()))
    assert run["sources"]["bmc_ric"]["licence"].startswith("CC BY 4.0")
    assert "only measured numbers" in run["sources"]["opensim"]["licence"]


def test_at_the_groups_speed_the_run_is_the_groups_own(data_dir):
    group = json.loads((data_dir / "gait_reference.json").read_text(encoding="utf-8"))["run"]
    curves, feet = group["treadmill_2p5"]["curves"], group["treadmill_2p5_foot_pelvis"]["curves"]
    for name, block in (("knee_flexion", curves), ("ankle_dorsiflexion", curves), ("foot_pitch", feet)):
        for what in ("mean", "sd"):
            assert reference.curve(name, 0.85, what, "run").tolist() == pytest.approx(block[name][what])
    # The thigh follows from the three; but for its zero it is the hip that was measured.
    bend = reference.curve("knee_flexion", 0.85, gait="run")
    ankle = reference.curve("ankle_dorsiflexion", 0.85, gait="run")
    foot = reference.curve("foot_pitch", 0.85, gait="run")
    thigh = reference.curve("thigh_pitch", 0.85, gait="run")
    np.testing.assert_allclose(thigh, foot - ankle + bend, atol=0.11)
    assert np.std(thigh - curves["hip_flexion"]["mean"]) < 3.0


def test_faster_runs_have_larger_angles_in_a_straight_line_with_speed():
    for name in ("thigh_pitch", "knee_flexion"):
        peaks = [reference.curve(name, vn, gait="run") for vn in (0.55, 0.85, 1.17, 1.7)]
        assert np.all(np.diff([p.max() for p in peaks]) > 4.0)
        change = (peaks[2] - peaks[1]) / (1.17 - 0.85)
        np.testing.assert_allclose(peaks[3], peaks[2] + (1.7 - 1.17) * change, atol=0.3)
        np.testing.assert_allclose(peaks[0], peaks[1] - (0.85 - 0.55) * change, atol=0.3)


def test_the_runs_times_are_peoples():
    # (speed m/s, leg m, duty factor, period s) of three people, and the optimum of 84.8 strides/min at 3 m/s.
    for speed, leg, duty, period in ((2.63, 0.887, 0.395, 0.792), (3.53, 0.913, 0.362, 0.757)):
        vn = reference.froude_speed(speed, leg)
        assert reference.linear("duty_factor", vn, "run") == pytest.approx(duty, abs=0.005)
        assert reference.stride_time_of_curves(vn, leg, "run") == pytest.approx(period, rel=0.1)
    vn = reference.froude_speed(3.0, 0.9)
    assert reference.cadence(vn, 0.9, "run") == pytest.approx(2 * 84.8, rel=0.06)
    vn = reference.froude_speed(3.63, 0.992)
    assert reference.linear("duty_factor", vn, "run") == pytest.approx(0.372, abs=0.01)
    assert reference.stride_time_of_curves(vn, 0.992, "run") == pytest.approx(0.70, rel=0.1)


@pytest.mark.parametrize(
    ("vn", "peak"), [(0.30, 58.4), (0.42, 62.2), (0.56, 63.8), (0.1, 58.4), (0.9, 63.8), (0.36, 60.3)]
)
def test_the_knees_swing_peak_is_the_measured_one_linear_between_speeds_and_held_outside(vn, peak):
    assert reference.curve("knee_flexion", vn).max() == pytest.approx(peak, abs=0.06)


@pytest.mark.parametrize(
    "name", ["pelvis_x", "pelvis_y", "pelvis_z", "shoulder", "elbow", "thorax_rot", "trunk_pitch"]
)
def test_curves_of_the_body_are_there_at_every_speed(name):
    for vn in (0.2, 0.398, 0.5, 0.7):
        row = reference.body_curve(name, vn)
        assert row.shape == (51,)
        assert np.all(np.isfinite(row))
        assert np.ptp(row) > 0


def test_arm_is_back_at_own_strike_and_forward_in_mid_cycle():
    shoulder = reference.body_curve("shoulder", 0.4)
    assert shoulder[0] < shoulder[25] - 15.0


@pytest.mark.parametrize(("speed", "steps"), [(0.94, 97.9), (1.24, 114.7), (1.50, 132.3)])
def test_cadence_at_the_measured_speeds_for_the_measured_leg(speed, steps):
    assert reference.cadence(reference.froude_speed(speed, 0.88), 0.88) == pytest.approx(steps, rel=1e-9)


def test_cadence_of_a_leg_four_times_as_long_is_half():
    assert reference.cadence(0.42, 4 * 0.88) == pytest.approx(0.5 * reference.cadence(0.42, 0.88))


def test_stride_duty_and_pelvis_follow_their_formulas():
    assert reference.stride_length(0.42, 0.9) == pytest.approx(2.52 * 0.42**0.51 * 0.9)
    assert reference.linear("duty_factor", 0.42) == pytest.approx(0.663 - 0.142 * 0.42)
    assert reference.linear("pelvis_vertical_over_leg", 0.42) == pytest.approx(0.009 + 0.067 * 0.42)
    assert reference.linear("pelvis_lateral_over_leg", 0.42) == pytest.approx(0.130 - 0.149 * 0.42)


def test_knee_peaks_at_124_m_s_are_380_degrees_s_and_7600_degrees_s2():
    speed, acceleration = reference.knee_peaks(reference.froude_speed(1.24, 0.88), 0.88)
    assert speed == pytest.approx(380.0, rel=0.005)
    assert acceleration == pytest.approx(7600.0, rel=0.01)


def test_knee_peaks_are_those_of_the_curve_for_a_curve_known_in_closed_form(monkeypatch):
    phase = np.linspace(0.0, 2.0 * np.pi, 51)
    row = 30.0 - 25.0 * np.cos(phase) + 4.0 * np.cos(25.0 * phase)  # highest harmonic that 50 points hold
    monkeypatch.setattr(reference, "curve", lambda *_, **__: row)
    stride = reference.stride_time_of_curves(0.42, 0.88)
    _, acceleration = reference.knee_peaks(0.42, 0.88)
    fine = np.linspace(0.0, 2.0 * np.pi, 2001)
    bend = (2.0 * np.pi) ** 2 * (25.0 * np.cos(fine) - 4.0 * 625.0 * np.cos(25.0 * fine))
    assert acceleration == pytest.approx(np.abs(bend).max() / stride**2, rel=1e-9)
    smooth = 30.0 - 25.0 * np.cos(phase) + 3.0 * np.sin(3.0 * phase)
    monkeypatch.setattr(reference, "curve", lambda *_, **__: smooth)
    speed, _ = reference.knee_peaks(0.42, 0.88)
    rate = 2.0 * np.pi * (25.0 * np.sin(fine) + 9.0 * np.cos(3.0 * fine))
    assert speed == pytest.approx(np.abs(rate).max() / stride, rel=1e-4)


def test_longer_legs_at_the_same_vn_bend_more_slowly():
    short, long = reference.knee_peaks(0.42, 0.5), reference.knee_peaks(0.42, 2.0)
    assert short[0] == pytest.approx(2.0 * long[0])
    assert short[1] == pytest.approx(4.0 * long[1])
