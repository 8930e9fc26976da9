"""`./dev mutate`: which changes are made of a source, and in which order they are drawn."""

import ast
import itertools

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
