"""The package as a whole: its public names, its light import, and the build that brings its own compiler."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import quercus

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def backend():
    """The in-tree build backend, loaded from its file: it is not part of the installed package."""
    spec = importlib.util.spec_from_file_location("quercus_build", ROOT / "build_backend" / "quercus_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bare_path(tmp_path, monkeypatch):
    """A PATH on which nothing is found, and no CXX."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("CC", raising=False)
    return tmp_path / "bin"


def put_program(directory, name):
    program = directory / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


# --- the public names ---------------------------------------------------------------------------------------------


def test_every_public_name_is_there():
    for name in quercus.__all__:
        assert getattr(quercus, name) is not None
    assert set(quercus.__all__) <= set(dir(quercus))
    own = [name for name in dir(quercus) if not name.startswith("__") and name not in quercus.__all__]
    assert all(f"quercus.{name}" in sys.modules for name in own), own  # rooms, no names that the module itself uses


def test_type_checkers_see_the_public_names():
    tree = ast.parse(Path(quercus.__file__).read_text(encoding="utf-8"))
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    ]
    imports = [
        entry for block in blocks for node in block.body if isinstance(node, ast.ImportFrom) for entry in node.names
    ]
    assert all(entry.asname == entry.name for entry in imports)  # "X as X" is public, "X" alone is not
    assert sorted([*(entry.name for entry in imports), "__version__"]) == quercus.__all__


def test_the_version_is_that_of_the_metadata():
    assert quercus.__version__ == version("quercus")


def test_an_unknown_name_is_an_attribute_error_that_lists_the_names():
    with pytest.raises(AttributeError, match="C45Classifier"):
        _ = quercus.C50Classifier


def test_the_import_loads_no_table_library():
    code = (
        "import sys, sklearn.base; before = set(sys.modules);"
        "from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier;"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'matplotlib'} & (set(sys.modules) - before)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_typed_stub_of_the_core_is_in_step_with_it():
    from quercus import _core

    stub = ast.parse((Path(quercus.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
    places = {"": stub.body} | {f"{node.name}.": node.body for node in stub.body if isinstance(node, ast.ClassDef)}
    written = {
        place + node.name: [argument.arg for argument in node.args.args if argument.arg != "self"]
        for place, body in places.items()
        for node in body
        if isinstance(node, ast.FunctionDef)
    }
    compiled = {name: getattr(_core, name) for name in dir(_core) if not name.startswith("_")}
    for name, kind in [(name, kind) for name, kind in compiled.items() if isinstance(kind, type)]:
        del compiled[name]
        methods = {method for method in vars(kind) if method in ("__init__", "__len__") or not method.startswith("_")}
        if kind.__init__.__doc__ == object.__init__.__doc__:  # only the core makes one
            methods.discard("__init__")
        compiled |= {f"{name}.{method}": getattr(kind, method) for method in methods}
    signatures = {name: made.__doc__.split("\n")[0] for name, made in compiled.items() if callable(made)}
    assert written == {
        name: re.findall(r"[(,] ?(\w+):", signature.rpartition(" -> ")[0]) for name, signature in signatures.items()
    }


def test_the_package_is_marked_as_typed():
    assert (Path(quercus.__file__).parent / "py.typed").exists()


# --- the demonstration --------------------------------------------------------------------------------------------


def test_the_demo_tells_its_story_in_order_with_the_right_figures(capsys, tmp_path):
    from quercus import demo

    demo.main(tmp_path)
    shown = capsys.readouterr().out
    place = 0
    for text in (
        "1. The data",
        "D14  Rain      Mild         High      Strong  No",
        "−5/14·log2(5/14) − 9/14·log2(9/14) = 0.940",
        "2. Which question first?",
        "Outlook      0.2467             1.5774      0.1564",
        "Temperature  0.0292",
        "Outlook wins, 0.247 bits against 0.152 of Humidity",
        "3. ID3 asks again",
        "|   Humidity = Normal: Yes (2)",
        "8 nodes, 5 leaves, depth 2; right on 14 of the 14 days",
        "accuracy 1.00",
        "C4.5 divides the gain by the split information; here that gives the same tree.",
        "4. The same as rules",
        "2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)",
        "Yes = (Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak)",
        "∨ (Outlook = Sunny ∧ Humidity = Normal)",
        "5. A new day: rain, hot, high, weak wind.",
        "Answer: Yes.",
        "6. The same day, but nobody knows the wind.",
        "3/5 = 60 % of it",
        "No: 2/2·2/5 = 0.4",
        "7. A fifteenth day: sunny, hot, normal, strong wind, and yet No.",
        "|   |   Temperature = Hot: No (1)",
        "11 nodes instead of 8, all 15 days right: overfitting.",
        "8. Reduced-error pruning",
        "reduced_error: 11 nodes → 8 nodes, 7 leaves → 5 leaves",
        "|   Humidity = Normal: Yes (3: 2 Yes, 1 No)",
        "The questions of step 3 again",
        "9. The report",
        str((tmp_path / "report.html").resolve()),
        "Now you. Each line works as it stands:",
        "quercus fit play_tennis -o model.json",
        "quercus report model.json",
    ):
        assert text in shown[place:], f"{text!r} is missing, or comes too early"
        place = shown.index(text, place) + len(text)
    assert "PlayTennis with D15" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert max(map(len, shown.replace(str(tmp_path.resolve()), "").splitlines())) <= 100
    assert "Grown by C4.5 with min_objects=1" in shown


def test_the_demo_names_the_program_as_it_can_be_typed(monkeypatch, tmp_path):
    from quercus import demo

    program = tmp_path / ".venv" / "bin" / ("quercus.exe" if os.name == "nt" else "quercus")
    program.parent.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(program.parent / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert demo.program_name() == f"{program.parent / 'python'} -m quercus"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert demo.program_name() == str(Path(".venv") / "bin" / program.name)
    monkeypatch.setenv("PATH", str(program.parent))
    assert demo.program_name() == "quercus"


def test_make_says_nothing_of_building_unless_it_fails():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(" -qq " in line for line in text.splitlines() if "pip install" in line and "echo" not in line)
    assert re.search(
        r"cmake --build build/editable >build/core\.log 2>&1 \|\| \{ cat build/core\.log; exit 1; \}", text
    )


def test_slow_tests_are_left_out_by_make_test_alone():
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = dict(re.findall(r"^(test|test-all):.*\n((?:\t.*\n)+)", make, re.MULTILINE))
    assert '-m "not slow"' in recipes["test"] and "make test-all" in recipes["test"], "and it says so"
    assert "pytest" in recipes["test-all"] and "slow" not in recipes["test-all"]
    assert re.search(r"^make test-all ", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_readme_shows_what_its_example_prints(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code, printed = re.search(r"```python\n(.*?)```\n```\n(.*?)```", text, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    tree, rest = capsys.readouterr().out.split("['Outlook", maxsplit=1)
    assert tree == printed
    assert "['Outlook" + rest == "['Outlook = Overcast', 'Outlook = Rain', 'Outlook = Sunny']\n['Yes'] [[0.4 0.6]]\n"
    for comment in rest.splitlines():
        assert comment.removesuffix("\n") in code


# --- a machine without a compiler ---------------------------------------------------------------------------------


def test_a_compiler_on_path_is_used(backend, bare_path):
    for name in ("c++", "g++", "clang++"):
        put_program(bare_path, name)
        assert not backend.needs_zig()
        (bare_path / name).unlink()


def test_cxx_is_respected(backend, bare_path):
    assert not backend.needs_zig({"CXX": "/opt/bin/c++-14", "PATH": str(bare_path)})
    assert backend.needs_zig({"CXX": "", "PATH": str(bare_path)})


def test_a_c_compiler_alone_is_not_enough(backend, bare_path):
    put_program(bare_path, "gcc")
    assert backend.needs_zig()


def test_an_empty_environment_needs_zig(backend):
    assert backend.needs_zig({"PATH": ""})


def test_windows_is_left_to_cmake(backend, bare_path):
    assert not backend.needs_zig({"PATH": str(bare_path)}, platform="win32")


def test_requirements_name_zig_only_without_a_compiler(backend, bare_path, monkeypatch):
    pytest.importorskip("scikit_build_core")
    monkeypatch.chdir(ROOT)
    for hook in (backend.get_requires_for_build_wheel, backend.get_requires_for_build_editable):
        assert backend.ZIG_REQUIREMENT in hook()
    assert backend.ZIG_REQUIREMENT not in backend.get_requires_for_build_sdist()
    put_program(bare_path, "g++")
    for hook in (backend.get_requires_for_build_wheel, backend.get_requires_for_build_editable):
        assert backend.ZIG_REQUIREMENT not in hook()


def test_the_scripts_call_zig_with_this_python_for_a_portable_processor(backend, tmp_path):
    variables = backend.write_scripts(tmp_path / "zig with space")
    assert set(variables) == {"CC", "CXX", "AR", "RANLIB"}
    for script in variables.values():
        assert os.access(script, os.X_OK)
        assert f'"{sys.executable}" -m ziglang ' in Path(script).read_text()
    assert "ziglang c++ -mcpu=baseline" in Path(variables["CXX"]).read_text()


def test_the_environment_is_restored_after_a_build(backend, bare_path, monkeypatch):
    monkeypatch.setenv("AR", "kept")
    with backend.compiler():
        assert Path(os.environ["CXX"]).exists()
        assert os.environ["AR"] != "kept"
        script = Path(os.environ["CXX"])
    assert "CXX" not in os.environ and os.environ["AR"] == "kept"
    assert not script.exists()


def test_a_development_install_keeps_its_scripts(backend, bare_path, tmp_path):
    with backend.compiler(tmp_path / "kept"):
        script = Path(os.environ["CXX"])
    assert script.exists()


def test_nothing_is_touched_where_there_is_a_compiler(backend, bare_path):
    put_program(bare_path, "c++")
    before = dict(os.environ)
    with backend.compiler():
        assert dict(os.environ) == before


def test_the_room_of_forests_lists_its_files() -> None:
    import quercus.forests

    files = {path.stem for path in Path(quercus.forests.__file__).parent.glob("*.py")} - {"__init__"}
    assert set(re.findall(r"``(\w+)``:", quercus.forests.__doc__ or "")) == files
