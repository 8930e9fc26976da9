"""Which C++ sources clang-tidy reads in `./dev check --tidy-share`."""

import pytest

import check


@pytest.fixture
def tree(tmp_path, monkeypatch):
    texts = {
        "src/base/error.h": "#pragma once\n",
        "src/ops/op.h": '#include "base/error.h"\n',
        "src/ops/op.cpp": '#include "ops/op.h"\n',
        "src/ops/add.cpp": "int main();\n",
        "include/dyad/api.h": "#pragma once\n",
        "src/api/api.cpp": '#include "dyad/api.h"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(check, "ROOT", tmp_path)
    return [name for name in texts if name.endswith(".cpp")]


@pytest.mark.parametrize(
    ("changed", "read"),
    [
        ("src/ops/add.cpp", {"src/ops/add.cpp"}),
        ("src/base/error.h", {"src/ops/op.cpp"}),
        ("include/dyad/api.h", {"src/api/api.cpp"}),
        ("docs/gpu.md", set()),
        (".clang-tidy", {"src/ops/op.cpp", "src/ops/add.cpp", "src/api/api.cpp"}),
    ],
)
def test_a_change_concerns_all_that_includes_it(tree, changed, read):
    assert check.concerned(tree, {changed}) == read


def test_the_shares_of_successive_commits_are_all_sources(monkeypatch):
    sources = [f"src/ops/{number}.cpp" for number in range(100)]
    monkeypatch.setattr(check, "concerned", lambda sources, changed: {"src/ops/7.cpp"})
    seen = set()
    for turn in range(4):
        monkeypatch.setattr(check, "git", lambda *arguments, turn=turn: f"{turn:08x}")
        chosen = check.tidy_sources(sources, 4)
        assert "src/ops/7.cpp" in chosen and 10 < len(chosen) < 45
        seen.update(chosen)
    assert seen == set(sources) == set(check.tidy_sources(sources, 1))


def test_changed_files_are_files_of_the_tree():
    assert all(not name.startswith("/") for name in check.changed_files())
