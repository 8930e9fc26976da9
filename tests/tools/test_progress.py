"""Progress that `./dev` shows while it builds."""

import sys

import pytest

from progress import Progress, run_build


def test_the_rest_takes_as_long_for_each_step_as_those_done():
    progress = Progress(start=100.0)
    progress.advance(50, 200, now=140.0)
    assert str(progress) == "building:  25%, 50 of 200 steps, about 2 min  0 s left"


def test_no_estimate_from_the_first_steps():
    progress = Progress(start=0.0)
    progress.advance(1, 200, now=3.0)
    assert str(progress) == "building:   0%, 1 of 200 steps"


def test_a_build_that_starts_again_is_timed_again():
    progress = Progress(start=0.0)
    progress.advance(0, 2, now=5.0)
    progress.advance(0, 1, now=6.0)
    assert progress.elapsed == 1.0


BUILD = """
for step in range(1, 41):
    print(f"[{step}/40] Building CXX object")
    if step == 20:
        print("a.cpp:1: warning: a word of the compiler")
    if step == 25 and failing:
        print("ninja: build stopped: subcommand failed.")
        raise SystemExit(1)
"""


@pytest.mark.parametrize("failing", [False, True])
def test_tenths_and_the_words_of_the_compiler_are_shown(tmp_path, capsys, failing):
    status = run_build([sys.executable, "-c", f"failing = {failing}{BUILD}"], tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert status == failing
    assert "a.cpp:1: warning: a word of the compiler" in lines
    assert sum(line.startswith("building: ") for line in lines) == (6 if failing else 9)
    assert lines[-1].startswith("25 of 40 steps in " if failing else "40 of 40 steps in ")
    assert not any("CXX" in line for line in lines)
