"""Build the package `amble` (folder addon/) and its native core `amble_core` (folder csrc/).

The core is one stable-ABI module: built once with NumPy 2 headers, the same file loads in CPython 3.11 and
newer with NumPy 1.22 and newer. Switches are environment variables, so that they work through any front-end:

AMBLE_STRICT=1     warnings are errors (what `make` sets; not the default, so that a newer compiler's new
                   warning never keeps a user from installing)
AMBLE_SANITIZE=1   AddressSanitizer and UndefinedBehaviorSanitizer (GCC or Clang)
AMBLE_SCALAR=1     the scalar vector back-end instead of SSE2 or NEON
AMBLE_COVERAGE=1   gcov counters, no optimisation
AMBLE_CORE_ONLY=1  a distribution `amble_core` that holds nothing but the core: the wheel inside the extension
"""

import os
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ABI = "cp311"
# What belongs to the package and is no module of it.
FILES = ("data/*", "data/styles/*", "py.typed", "window/presets/*/*/*.py", "window/languages/*")


def version() -> str:
    """The version, read from the extension's manifest."""
    text = (ROOT / "blender_manifest.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["version"])


def switch(name: str) -> bool:
    """Whether the environment variable `name` is set to something other than nothing or 0."""
    return os.environ.get(name, "") not in ("", "0")


def defines() -> list[tuple[str, str]]:
    """Preprocessor definitions of every build of the core."""
    return [
        ("Py_LIMITED_API", "0x030B0000"),
        ("NPY_TARGET_VERSION", "NPY_1_22_API_VERSION"),
        ("NPY_NO_DEPRECATED_API", "NPY_1_22_API_VERSION"),
        ("AMBLE_VERSION", f'"{version()}"'),
        *([("AMBLE_SIMD_SCALAR", "1")] if switch("AMBLE_SCALAR") else []),
    ]


def compile_flags() -> list[str]:
    """Compiler options: no fused multiply-add, no fast-math, as results must not depend on the machine."""
    if sys.platform == "win32":
        return ["/std:c11", "/O2", "/fp:precise", "/W3", *(["/WX"] if switch("AMBLE_STRICT") else [])]
    # sqrt() as one instruction, without the branch that would set errno: the value is the same.
    flags = ["-std=c11", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden", "-Wall", "-Wextra"]
    if switch("AMBLE_STRICT"):
        flags += ["-Werror"]
    if switch("AMBLE_COVERAGE"):
        return [*flags, "-O0", "-g", "--coverage"]
    if switch("AMBLE_SANITIZE"):
        return [*flags, "-O1", "-g", "-fno-omit-frame-pointer", *sanitizers()]
    return [*flags, "-O3"]


def sanitizers() -> list[str]:
    """Options of the sanitized build, for compiler and linker; undefined behaviour ends the run."""
    return ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]


def link_flags() -> list[str]:
    """Linker options that go with `compile_flags`."""
    if switch("AMBLE_COVERAGE"):
        return ["--coverage"]
    return sanitizers() if switch("AMBLE_SANITIZE") else []


def main() -> None:
    """Run setuptools."""
    import numpy
    from setuptools import Extension, find_packages, setup

    if int(numpy.__version__.split(".")[0]) < 2:
        sys.exit("amble_core must be built with NumPy 2, as a module built with NumPy 1 loads only there")

    core = Extension(
        "amble_core",
        sources=sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "csrc").glob("*.c")),
        depends=sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "csrc").glob("*.h")),
        include_dirs=["csrc", numpy.get_include()],
        define_macros=defines(),
        extra_compile_args=compile_flags(),
        extra_link_args=link_flags(),
        libraries=[] if sys.platform == "win32" else ["m"],
        py_limited_api=True,
    )
    core_only = switch("AMBLE_CORE_ONLY")
    packages = ["amble", *(f"amble.{name}" for name in find_packages("addon"))]
    setup(
        name="amble_core" if core_only else "amble",
        version=version(),
        description="Walks with planted feet for any armature, as Blender actions",
        long_description=(ROOT / "README.md").read_text(encoding="utf-8"),
        long_description_content_type="text/markdown",
        license="GPL-3.0-or-later",
        license_files=["LICENSE"],
        python_requires=">=3.11",
        install_requires=["numpy>=1.22"],
        package_dir={"amble": "addon"},
        packages=[] if core_only else packages,
        package_data={} if core_only else {"amble": list(FILES)},
        py_modules=[],
        ext_modules=[core],
        options={"bdist_wheel": {"py_limited_api": ABI}},
        zip_safe=False,
    )


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
