"""The package as a user gets it: names, layers, documentation, and the built wheel."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import classinet

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "classinet"

# A module may import modules of its own layer or of a lower one; nothing points back.
LAYERS = [
    ("_kernels", "exceptions", "_optional", "_typing"),
    ("_sparse", "_decomposition", "_validation", "_keys", "_files", "_container", "_cloning", "edits", "engine"),
    ("vertices", "overlaps", "associations", "predictors", "text"),
    ("labels", "graph"),
    ("neighbors",),
    ("edges",),
    ("first_hop", "net"),
    ("expansion",),
    ("merging",),
    ("build",),
    ("model",),
    ("expander",),
    ("explain",),
    ("pipeline",),
    ("persistence", "datasets", "evaluation", "curves", "baselines"),
    ("plotting", "server"),
    ("bench",),
    ("__init__", "demo"),
    ("cli",),
    ("__main__",),
]
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}


def imported(path):
    """Names of classinet's own top modules that a file imports when it runs (not only for type checkers)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    checked = {
        id(n)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.dump(branch.test)
        for n in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and id(node) not in checked
            and (node.module or "").split(".")[0] == "classinet"
        ):
            parts = node.module.split(".")
            yield from ([parts[1]] if len(parts) > 1 else [alias.name for alias in node.names if alias.name in LAYER])


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_downward(path):
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert own in LAYER, f"say in LAYERS where {own} belongs"
    for name in imported(path):
        assert LAYER[name] <= LAYER[own], f"{own} imports {name}, which stands above it"


def public_modules():
    for info in pkgutil.walk_packages([str(SOURCE)], "classinet."):
        if "._" not in info.name:
            yield importlib.import_module(info.name)


def test_what_is_exported_exists_and_is_documented():
    for module in [classinet, *public_modules()]:
        assert module.__doc__, module.__name__
        for name in getattr(module, "__all__", []):
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                assert inspect.getdoc(thing), f"{module.__name__}.{name} has no docstring"


def test_constructors_stay_small():
    # The door, where every choice about labels is made; and how texts are read, where each is about other characters.
    more = {"ClassiNetClassifier": 10, "Tokenizer": 9}
    for module in public_modules():
        for name, thing in vars(module).items():
            if inspect.isclass(thing) and thing.__module__ == module.__name__ and hasattr(thing, "get_params"):
                assert len(inspect.signature(thing).parameters) <= more.get(name, 8), name


def test_importing_the_package_does_not_load_numba():
    code = "import sys, classinet; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_version_is_one():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == classinet.__version__
    assert f"## {classinet.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert {d.split(">")[0] for d in project["dependencies"]} == {"numpy", "scipy", "scikit-learn", "numba"}


def test_the_built_wheel_works(tmp_path):
    """Build it, unpack it away from the sources, and use it in a process that cannot see them."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(ROOT)],
        check=True,
        capture_output=True,
        text=True,
    )
    (wheel,) = (tmp_path / "dist").glob("classinets-*.whl")
    target = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--target",
            str(target),
            str(wheel),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    assert (target / "classinet" / "py.typed").exists()
    # Building a net with it is left to `make test-system`: without a cache, compiling takes most of a minute.
    code = (
        f"import sys; sys.path.insert(0, {str(target)!r})\n"
        "import classinet, classinet.demo, classinet.cli.app\n"
        f"assert classinet.__file__.startswith({str(target)!r}), classinet.__file__\n"
        "for name in classinet.__all__: getattr(classinet, name)\n"
        "print(classinet.TextNet())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "TextNet()"
