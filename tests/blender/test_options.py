"""Settings dataclasses as command-line options."""

import argparse
import dataclasses
import math
from typing import Any, Literal, NoReturn

import pytest
from amble import options
from amble.errors import BadSetting


def setting(default: Any, /, **metadata: Any):
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Settings:
    """One field of every kind."""

    speed: float = setting(1.4, help="ground speed", unit="m/s", above=0.0, max=12.0)
    count: int = setting(3, help="how many", min=1)
    rate: float | None = setting(None, help="rate", unit="1/s", default="the scene's")
    kind: Literal["walk", "run"] = setting("walk", help="which")
    mode: str = setting("fast", choices=("fast", "slow"))
    loop: bool = setting(True, help="close it")
    frames: tuple[int, int] = setting((1, 48), unit="frames", min=0)
    names: tuple[str, ...] = setting((), help="100 % of them")
    step_width: float = setting(0.1, option="width")
    internal: Any = dataclasses.field(default=None, metadata={"option": None})


class Refused(Exception):
    """What argparse says instead of exiting."""


class Parser(argparse.ArgumentParser):
    """A parser that raises."""

    def error(self, message: str) -> NoReturn:
        raise Refused(message)


def parser() -> Parser:
    made = Parser()
    options.add_options(made, Settings)
    return made


def parsed(*words: str) -> dict[str, Any]:
    return options.given(Settings, parser().parse_args(words))


def test_only_what_is_given_is_returned():
    assert parsed() == {}
    assert parsed("--speed", "2", "--no-loop") == {"speed": 2.0, "loop": False}


def test_every_kind_is_parsed_to_its_type():
    found = parsed(
        "--count", "5", "--rate", "23.976", "--kind", "run", "--mode", "slow", "--loop",
        "--frames", "0:7", "--names", "a, b,c", "--width", "0.25",
    )  # fmt: skip
    assert found == {
        "count": 5,
        "rate": 23.976,
        "kind": "run",
        "mode": "slow",
        "loop": True,
        "frames": (0, 7),
        "names": ("a", "b", "c"),
        "step_width": 0.25,
    }
    assert Settings(**found).frames == (0, 7)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--speed", "0"), "must be more than 0 m/s, not 0"),
        (("--speed", "12.5"), "must be at most 12 m/s, not 12.5"),
        (("--speed", "inf"), "must be a finite number, not inf"),
        (("--count", "0"), "must be at least 1, not 0"),
        (("--count", "1.5"), "'1.5' is no whole number"),
        (("--kind", "fly"), "must be one of walk, run, not fly"),
        (("--mode", "idle"), "must be one of fast, slow, not idle"),
        (("--frames", "1:2:3"), "write it as A:B, not '1:2:3'"),
        (("--frames=-1:5",), "must be at least 0 frames, not -1"),
        (("--frames", "a:5"), "'a' is no whole number"),
        (("--internal", "1"), "unrecognized"),
    ],
)
def test_refusals_say_what_is_allowed(words, told):
    with pytest.raises(Refused, match=told.replace("(", r"\(")):
        parsed(*words)


def test_help_has_unit_range_and_default():
    helps = {option.name: option.help() for option in options.options(Settings)}
    assert helps["speed"] == "ground speed (in m/s; over 0 up to 12; default: 1.4 m/s)"
    assert helps["count"] == "how many (from 1; default: 3)"
    assert helps["rate"] == "rate (in 1/s; default: the scene's)"
    assert helps["loop"] == "close it (default: yes)"
    assert helps["frames"] == "(in frames; from 0; default: 1:48)"
    assert helps["names"] == "100 %% of them (default: none)"
    assert "100 % of them" in parser().format_help()
    assert "internal" not in helps


def test_check_finds_the_same_faults_in_python():
    options.check(Settings())
    options.check(Settings(rate=None, frames=(0, 1)))
    with pytest.raises(BadSetting, match="speed must be more than 0 m/s, not -1"):
        options.check(Settings(speed=-1.0))
    with pytest.raises(BadSetting, match="frames must be at least 0 frames, not -3"):
        options.check(Settings(frames=(-3, 5)))
    with pytest.raises(BadSetting, match="kind must be one of walk, run, not fly"):
        options.check(Settings(kind="fly"))  # type: ignore[arg-type]
    with pytest.raises(BadSetting, match="step_width must be a finite number"):
        options.check(Settings(step_width=math.nan))


def test_a_type_without_an_option_is_a_mistake_in_the_dataclass():
    @dataclasses.dataclass
    class Odd:
        table: dict[str, int] = dataclasses.field(default_factory=dict)

    with pytest.raises(TypeError, match="metadata option=None"):
        list(options.options(Odd))
