"""Bodies as hypothesis draws them."""

from dataclasses import replace

from hypothesis import Phase, settings
from hypothesis import strategies as st
from tests.core.bodies import Figure


def examples(everyday: int) -> settings:
    """Settings for tests that draw whole bodies: that many where others draw a hundred values.

    A body that fails is told as it was drawn: to make it simpler would take minutes."""
    count = max(everyday * settings.default.max_examples // 100, 1)
    return settings(max_examples=count, phases=(Phase.explicit, Phase.reuse, Phase.generate))


ANGLES = st.floats(-180.0, 180.0)


@st.composite
def figures(draw: st.DrawFn, asymmetry: float = 0.04) -> Figure:
    """Bodies of people and of many a cartoon figure, in armatures of every kind."""
    foot = draw(st.floats(0.6, 1.6))
    return replace(
        draw(people(asymmetry)),
        size=10.0 ** draw(st.floats(-1.0, 2.0)),
        thigh=draw(st.floats(0.38, 0.5)),
        shin=draw(st.floats(0.38, 0.5)),
        ankle=draw(st.floats(0.05, 0.14)),
        heel=0.06 * foot,
        ball=0.14 * foot,
        tip=0.14 * foot + draw(st.floats(0.03, 0.1)),
        hips=draw(st.floats(0.1, 0.35)),
        toe_out=draw(st.floats(-5.0, 20.0)),
        knee=draw(st.floats(-5.0, 15.0)),
        toes=draw(st.booleans()),
    )


@st.composite
def people(draw: st.DrawFn, asymmetry: float = 0.02) -> Figure:
    """Bodies with the proportions of people, feet with toes."""
    foot = draw(st.floats(0.85, 1.15))
    return Figure(
        size=draw(st.floats(0.5, 2.0)),
        thigh=draw(st.floats(0.42, 0.47)),
        shin=draw(st.floats(0.42, 0.47)),
        ankle=draw(st.floats(0.07, 0.11)),
        heel=0.06 * foot,
        ball=0.14 * foot,
        tip=0.21 * foot,
        hips=draw(st.floats(0.15, 0.22)),
        toe_out=draw(st.floats(0.0, 12.0)),
        knee=draw(st.floats(0.0, 10.0)),
        asymmetry=draw(st.floats(-asymmetry, asymmetry)) if asymmetry else 0.0,
        spine=draw(st.integers(0, 6)),
        neck=draw(st.integers(0, 3)),
        arms=draw(st.booleans()),
        root=draw(st.booleans()),
        controls=draw(st.booleans()),
        helpers=draw(st.booleans()),
        rolls=draw(st.integers(0, 10**6)),
        flags=draw(st.sampled_from([0, 1, 2, 3])),
        turned=draw(st.tuples(ANGLES, ANGLES, ANGLES)),
        offset=draw(st.tuples(*[st.floats(-2.0, 2.0)] * 3)),
    )
