import textwrap


def write(path, source):
    path.write_text(textwrap.dedent(source))
    return path


def test_runs_a_program_that_imports_mindspore(run_dyad, tmp_path):
    script = write(
        tmp_path / "program.py",
        """
        import sys
        import numpy as np
        import mindspore as ms
        import mindspore.nn as nn
        import mindspore.ops as ops
        import mindspore.ops.operations as P
        import mindspore.ops.functional as F
        import mindspore.common.dtype
        from mindspore import Parameter, Tensor, context
        from mindspore.common import dtype as mstype
        from mindspore.common.initializer import Normal, initializer
        from mindspore.nn.cell import Cell
        from mindspore.ops import composite as C

        context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU")
        ms.set_seed(1)

        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.dense = nn.Dense(2, 2, weight_init=Normal(0.1))
                self.relu = P.ReLU()

            def construct(self, x):
                return self.relu(self.dense(x))

        net = Net()
        print(net(Tensor(np.ones((1, 2)), mstype.float32)).shape, __name__, sys.argv[1:])
        assert ms is sys.modules["dyad"] and nn is ms.nn and C.HyperMap is ops.HyperMap
        assert F.relu is ops.relu and Cell is nn.Cell
        """,
    )
    result = run_dyad(script, "one", "--two")
    assert result.stderr == ""
    assert result.stdout == "(1, 2) __main__ ['one', '--two']\n"


def test_the_script_s_folder_is_on_the_path(run_dyad, tmp_path):
    write(tmp_path / "neighbour.py", "from mindspore import nn\nlayer = nn.ReLU()\n")
    script = write(tmp_path / "program.py", "import neighbour\nprint(neighbour.layer)\n")
    assert run_dyad(script).stdout == "ReLU()\n"


def test_the_exit_status_is_the_script_s(run_dyad, tmp_path):
    assert run_dyad(write(tmp_path / "leave.py", "import sys; sys.exit(3)")).returncode == 3
    failed = run_dyad(write(tmp_path / "fail.py", "1 / 0\n"))
    assert failed.returncode == 1
    assert 'fail.py", line 1' in failed.stderr and "ZeroDivisionError" in failed.stderr


def test_objects_of_the_script_can_be_pickled(run_dyad, tmp_path):
    script = write(
        tmp_path / "program.py",
        """
        import pickle
        class Record:
            value = 3
        print(pickle.loads(pickle.dumps(Record())).value)
        """,
    )
    assert run_dyad(script).stdout == "3\n"


def test_code_and_modules(run_dyad, tmp_path):
    assert (
        run_dyad("-c", "import mindspore, sys; print(mindspore.nn.ReLU(), sys.argv)", "x").stdout
        == "ReLU() ['-c', 'x']\n"
    )
    write(tmp_path / "tool.py", "import mindspore, sys\nprint(mindspore.__name__, sys.argv[1:])\n")
    assert run_dyad("-m", "tool", "a", cwd=tmp_path).stdout == "dyad ['a']\n"


def test_a_wrong_command_line_shows_the_usage_and_exits_with_2(run_dyad, tmp_path):
    assert run_dyad("--help").stdout.startswith("usage: python -m dyad script.py")
    nothing = run_dyad()
    assert nothing.returncode == 2 and nothing.stderr.startswith("usage:")
    absent = run_dyad(tmp_path / "absent.py")
    assert absent.returncode == 2 and "dyad: there is no file" in absent.stderr
    assert run_dyad("-c").returncode == 2
