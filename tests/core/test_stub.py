"""The types in amble_core.pyi are those of the compiled module, as far as it tells them itself."""

import ast
import inspect
from pathlib import Path

import amble_core
import pytest

STUB = ast.parse((Path(__file__).parents[2] / "csrc" / "amble_core.pyi").read_text(encoding="utf-8"))
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CONSTANTS = {
    node.target.id: ast.unparse(node.annotation)
    for node in STUB.body
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
}


def signature_of(function: ast.FunctionDef) -> inspect.Signature:
    """Names, kinds and defaults of a function in the stub."""
    given = function.args
    assert not given.posonlyargs
    assert given.vararg is None
    assert given.kwarg is None
    nothing = [None] * (len(given.args) - len(given.defaults))
    plain = zip(given.args, [*nothing, *given.defaults], strict=True)
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return inspect.Signature(
        [
            inspect.Parameter(
                argument.arg,
                kind,
                default=inspect.Parameter.empty if default is None else ast.literal_eval(default),
            )
            for kind, arguments in (
                (inspect.Parameter.POSITIONAL_OR_KEYWORD, plain),
                (inspect.Parameter.KEYWORD_ONLY, named),
            )
            for argument, default in arguments
        ]
    )


def test_stub_and_module_hold_the_same_names():
    there = {name for name in dir(amble_core) if not name.startswith("__")}
    assert {*FUNCTIONS, *CONSTANTS} == there | {"__version__"}
    assert set(FUNCTIONS) == {name for name in there if callable(getattr(amble_core, name))}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_have_the_same_names_order_and_defaults(name: str):
    assert signature_of(FUNCTIONS[name]) == inspect.signature(getattr(amble_core, name))


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_of_the_type_that_the_stub_says(name: str):
    value = getattr(amble_core, name)
    inner = "" if not isinstance(value, tuple) else type(value[0]).__name__
    if inner == "tuple":
        inner = f"tuple[{', '.join(type(part).__name__ for part in value[0])}]"
    assert CONSTANTS[name] == (f"tuple[{inner}, ...]" if inner else type(value).__name__)
