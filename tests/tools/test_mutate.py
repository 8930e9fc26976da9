"""`./dev mutate`: which changes are made of a source, and in which order they are drawn."""

import ast
import itertools
import subprocess
import sys

import pytest

import mutate

PYTHON = '''
def f(a, b):
    """A text - that stays."""
    if (a - b) < 3 and not b:
        g(a, b)
    raise ValueError(f"{a + 1}")
'''
CPP = """
// a == b
int f(int a, int b) {
  if (a == b) return g(a, b);
  done();
  std::vector<int> sizes = {a - b};
  return 2;
}
"""


def mutants(source, changes):
    return {kind: source[:start] + text + source[end:] for kind, start, end, text in changes}


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("comparison", "if (a - b) <= 3 and not b:"),
        ("arithmetic", "if (a + b) < 3 and not b:"),
        ("operands swapped", "if ((b) - (a)) < 3 and not b:"),
        ("number", "if (a - b) < 2 and not b:"),
        ("and, or", "if (a - b) < 3 or not b:"),
        ("negation dropped", "if (a - b) < 3 and (b):"),
        ("condition negated", "if not ((a - b) < 3 and not b):"),
        ("statement dropped", "        pass"),
        ("arguments swapped", "        g(b, a)"),
    ],
)
def test_a_change_of_python_is_made_in_one_place(kind, line):
    found = mutants(PYTHON, mutate.python_changes(PYTHON))
    assert line in found[kind]
    ast.parse(found[kind])
    assert len(set(found[kind].splitlines()) - set(PYTHON.splitlines())) == 1


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("comparison", "  if (a != b) return g(a, b);"),
        ("condition negated", "  if (!(a == b)) return g(a, b);"),
        ("arguments swapped", "  if (a == b) return g(b, a);"),
        ("statement dropped", "  ;"),
        ("arithmetic", "  std::vector<int> sizes = {a + b};"),
        ("operands swapped", "  std::vector<int> sizes = {b - a};"),
        ("number", "  return 1;"),
    ],
)
def test_a_change_of_cpp_is_made_in_code_alone(kind, line):
    found = mutants(CPP, mutate.cpp_changes(CPP))
    assert line in found[kind].splitlines()
    assert "// a == b" in found[kind]


def test_texts_and_exceptions_are_left_alone():
    changed = "".join(mutants(PYTHON, mutate.python_changes(PYTHON)).values())
    assert changed.count('"""A text - that stays."""') == changed.count('raise ValueError(f"{a + 1}")') > 5


def test_a_seed_draws_the_same_mutants_of_a_room_whatever_the_others_are():
    def names(rooms, seed):
        return [mutant.name for mutant in itertools.islice(mutate.drawn(rooms, seed, None), 20)]

    alone, together = names(["plan"], 1), names(["plan", "program"], 1)
    assert together[::2] == alone[:10]
    assert names(["plan"], 2) != alone


def test_every_room_has_sources_and_tests_that_are_there():
    for room in mutate.ROOMS:
        assert mutate.files_of(room, None)
        for stage in mutate.ROOMS[room].stages:
            paths = [argument for argument in stage if not argument.startswith("--")]
            assert paths and all((mutate.ROOT / path).exists() for path in paths)


def test_a_source_belongs_to_the_innermost_room():
    names = {str(path.relative_to(mutate.ROOT)) for path in mutate.files_of("capture", None)}
    assert not any("/capture/semantics/" in name for name in names)
    assert any(name.startswith("src/capture/guards/") for name in names)


def test_a_run_tells_caught_from_survived_and_continues(tmp_path, monkeypatch, capsys):
    tree = tmp_path / "tree"
    (tree / "room").mkdir(parents=True)
    (tree / "room/steps.py").write_text("def twice(x):\n    return x + x\n\n\ndef unused():\n    return 1\n")
    (tree / "room/test_steps.py").write_text(
        "from steps import twice\n\n\ndef test_twice():\n    assert twice(3) == 6\n"
    )
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    (tree / ".gitignore").write_text("__pycache__\n")
    monkeypatch.setattr(mutate, "ROOT", tree)
    room = mutate.Room(("room",), (("room",),))
    monkeypatch.setattr(mutate, "ROOMS", {"room": room})
    monkeypatch.setattr(mutate, "files_of", lambda room, language: [tree / "room/steps.py"])

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            monkeypatch.setattr(
                sys, "argv", ["mutate", "--rooms", "room", "--in", str(tmp_path / "m"), *arguments]
            )
            mutate.main()
        assert ended.value.code == 0
        return capsys.readouterr().out

    text = run("--count", "3")
    assert text.count("\ncaught: ") + text.startswith("caught: ") + text.count("\nsurvived: room") > 0
    everything = run("--count", "100")
    assert "caught: room/steps.py:2: arithmetic: + -> - (room/test_steps.py::test_twice)" in text + everything
    assert "survived: room/steps.py:6: result dropped: return 1 -> return None" in everything
    assert "2 of 5 caught (40 %)" in everything
    assert (tmp_path / "m/tree/room/steps.py").read_text() == (tree / "room/steps.py").read_text()
    assert run("--count", "100").startswith("2 of 5 caught")  # nothing is tried twice
