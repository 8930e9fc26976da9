"""Capturing ends: where paths multiply, the program is refused with its line; where loops nest, they do not."""

import pytest

import dyad
from dyad import Tensor, _core
from dyad._src.capture import memories
from dyad._src.capture.semantics.control import budget

X = Tensor([1.0, 2.0])


def multiplying(x):
    n = 0
    for a in range(4):
        for b in range(4):
            for c in range(4):
                if x.sum() > a + b + c:
                    continue
                n += 1
    return n


def test_work_that_multiplies_is_refused_with_its_line(monkeypatch):
    monkeypatch.setattr(budget, "WORK_ALLOWED", 50)
    with pytest.raises(dyad._core.CaptureError, match="more than 50 statements") as refused:
        dyad.jit(multiplying, fullgraph=True)(X)
    assert __file__ in str(refused.value)
    assert "n += 1" in str(refused.value) or "continue" in str(refused.value)


def test_work_that_multiplies_is_left_to_python(monkeypatch):
    monkeypatch.setattr(budget, "WORK_ALLOWED", 50)
    compiled = dyad.jit(multiplying)
    for given in (X, X, X * -3):
        assert compiled(given) == multiplying(given)


def test_work_within_the_budget_is_done():
    assert dyad.jit(multiplying)(X) == multiplying(X)


def nested_tries(depth):
    """A program with that many `try` statements inside one another, each with exits on data."""
    lines = ["def program(x):", "    n = 0"]
    for level in range(depth):
        indent = "    " * (level + 1)
        lines += [
            f"{indent}try:",
            f"{indent}    if x.sum() < {level}:",
            f"{indent}        raise ValueError({level})",
        ]
    lines.append("    " * (depth + 1) + "n += 1")
    for level in reversed(range(depth)):
        indent = "    " * (level + 1)
        lines += [
            f"{indent}except ValueError:",
            f"{indent}    n += {level}",
            f"{indent}finally:",
            f"{indent}    n += 1",
        ]
    return "\n".join([*lines, "    return n", ""])


def statements_captured(tmp_path, monkeypatch, depth):
    path = tmp_path / f"nested_{depth}.py"
    path.write_text(nested_tries(depth))
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    counted = []
    spend = budget.Budget.spend
    monkeypatch.setattr(budget.Budget, "spend", lambda self: (counted.append(1), spend(self)))
    assert dyad.jit(space["program"])(X) == space["program"](X)
    return len(counted)


def test_nested_tries_grow_by_their_number(tmp_path, monkeypatch):
    few = statements_captured(tmp_path, monkeypatch, 4)
    many = statements_captured(tmp_path, monkeypatch, 8)
    assert many < 6 * few


def comparisons_of_memories(monkeypatch, turns):
    counted = []
    shares_storage = _core.shares_storage
    monkeypatch.setattr(_core, "shares_storage", lambda a, b: (counted.append(1), shares_storage(a, b))[1])

    def rotating(x):
        held = [x * 2, x * 3, x * 4]
        for turn in range(turns):
            held = held[1:] + held[:1] if x.sum() > turn else held
        return held[0]

    assert (dyad.jit(rotating)(X) == rotating(X)).all()
    monkeypatch.undo()
    return len(counted)


def test_what_a_branch_gives_is_not_looked_for_among_all_memories(monkeypatch):
    few = comparisons_of_memories(monkeypatch, 8)
    many = comparisons_of_memories(monkeypatch, 32)
    assert many < 5 * few


def questions_of_reach(monkeypatch, turns):
    counted = []
    reaches = memories.MemoryGraph._reaches
    monkeypatch.setattr(
        memories.MemoryGraph, "_reaches", lambda self, tensor: (counted.append(1), reaches(self, tensor))[1]
    )

    def growing(x):
        for turn in range(turns):
            x = x + turn if x.sum() > turn else x * 2
        return x

    assert (dyad.jit(growing)(X) == growing(X)).all()
    monkeypatch.undo()
    return len(counted)


def test_the_end_of_a_branch_checks_only_its_own_storages(monkeypatch):
    few = questions_of_reach(monkeypatch, 8)
    many = questions_of_reach(monkeypatch, 32)
    assert many < 5 * few
