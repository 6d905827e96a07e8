"""The source's examples come out right: as it is, mirrored, and neither."""

import pytest
from tests.blender import mirror_scenes


@pytest.mark.parametrize(
    ("name", "outcome", "mirrored"),
    [
        ("wall on the left", "original", False),
        ("wall on the right", "mirrored", True),
        ("walls on both sides", "neither", False),
        ("wall with pipes", "mirrored", True),
        ("ledge with an overhang", "mirrored", True),
    ],
)
def test_M4_to_M7_examples_of_the_source(name, outcome, mirrored):
    example = mirror_scenes.make(name)
    verdict = example.result.verdict
    assert verdict is not None
    assert verdict.outcome == outcome, verdict.words()
    assert example.result.mirrored == mirrored
    assert example.rig.animation_data.action == example.result.action
