"""Errors that a kernel reports after its call has returned name the operator and the line of the program."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops, runtime

HERE = __file__


def fails_at(function, line_text, pattern, kind=IndexError):
    function()
    with pytest.raises(kind) as caught:
        runtime.synchronize()
    message = str(caught.value)
    lines = Path(HERE).read_text(encoding="utf-8").splitlines()
    number = [text.strip() for text in lines].index(line_text) + 1
    assert re.search(pattern, message), message
    assert f'\n  File "{HERE}", line {number}' in message
    assert message.endswith(f"\n    {line_text}")
    runtime.synchronize()


def test_a_late_error_names_the_function_and_its_line():
    def program():
        gathered = ops.gather(Tensor(np.arange(4.0)), Tensor([0, 9]), 0)
        return gathered + 1

    fails_at(
        program,
        "gathered = ops.gather(Tensor(np.arange(4.0)), Tensor([0, 9]), 0)",
        "^gather: index 9 is out of range for an axis of size 4\n",
    )


def test_a_late_error_names_a_subscript_and_its_line():
    def program():
        return Tensor(np.arange(6.0).reshape(2, 3))[Tensor([2])]

    fails_at(
        program,
        "return Tensor(np.arange(6.0).reshape(2, 3))[Tensor([2])]",
        "^index: index 2 is out of range for an axis of size 2\n",
    )


def test_a_late_error_names_a_method_and_its_line():
    def program():
        return Tensor(np.arange(6.0)).index_select(0, Tensor([7]))

    fails_at(program, "return Tensor(np.arange(6.0)).index_select(0, Tensor([7]))", "^index_select: index 7 ")


def test_a_late_error_names_a_layer_and_its_line():
    table = nn.Embedding(3, 4)

    def program():
        return table(Tensor([1, 5]))

    fails_at(program, "return table(Tensor([1, 5]))", "^Embedding: index 5 is out of range")


def test_a_late_error_names_the_line_inside_a_compiled_function():
    @dyad.jit
    def compiled(x, i):
        doubled = x * 2
        return ops.gather(doubled, i, 0).sum()

    fails_at(
        lambda: compiled(Tensor(np.arange(4.0)), Tensor([6])),
        "return ops.gather(doubled, i, 0).sum()",
        "^gather: index 6 ",
    )


def test_class_of_a_loss():
    def program():
        logits = Tensor(np.zeros((2, 3), np.float32))
        return ops.cross_entropy(logits, Tensor([0, 3], dyad.int32))

    fails_at(
        program,
        "return ops.cross_entropy(logits, Tensor([0, 3], dyad.int32))",
        "^cross_entropy: target holds class 3; accepted are 0 to 2",
    )


def test_the_one_who_finds_it_is_not_blamed():
    """A call that has to wait for the device finds the fault of another one."""
    ops.gather(Tensor(np.arange(4.0)), Tensor([11]), 0)
    with pytest.raises(IndexError, match=r"^gather: index 11"):
        ops.nonzero(Tensor([0, 1])).asnumpy()
    runtime.synchronize()


def test_many_launches_between():
    values, good = Tensor(np.arange(4.0)), Tensor([1])
    ops.gather(values, Tensor([12]), 0)
    for _ in range(500):
        ops.gather(values, good, 0)
    with pytest.raises(IndexError, match=r"index 12 [\s\S]*ops.gather\(values, Tensor\(\[12\]\), 0\)$"):
        runtime.synchronize()


def test_code_without_source():
    namespace = {"ops": ops, "Tensor": Tensor}
    exec(compile("ops.gather(Tensor([1.0]), Tensor([8]), 0)", "<made up>", "exec"), namespace)
    with pytest.raises(IndexError, match=r'index 8 [\s\S]*File "<made up>", line 1, in <module>$'):
        runtime.synchronize()


def ended(tmp_path, *lines):
    """Status and standard error of a program that ends after these lines."""
    program = tmp_path / "program.py"
    start = ("import sys", "import dyad", "from dyad import Tensor, ops", "dyad.set_device('GPU', 0)")
    program.write_text("\n".join([*start, *lines]))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    return done.returncode, done.stderr


LOST = "ops.gather(Tensor([1.0]), Tensor([7]), 0)"


@pytest.mark.parametrize(("last", "status"), [("", 1), ("sys.exit(0)", 1), ("sys.exit(3)", 3)])
def test_an_error_that_nothing_waited_for_is_reported_at_the_end(tmp_path, last, status):
    found, errors = ended(tmp_path, LOST, last)
    assert found == status
    assert "did not wait for:\nIndexError: gather: index 7 is out of range for an axis of size 1\n" in errors
    assert errors.endswith(f'program.py", line 5, in <module>\n    {LOST}\n')


def test_an_error_that_was_handled_is_not_reported_at_the_end(tmp_path):
    waits = ("try:", f"    {LOST}.asnumpy()", "except IndexError:", "    pass")
    assert ended(tmp_path, *waits) == (0, "")
    assert ended(tmp_path, LOST.replace("7", "0")) == (0, "")
