import subprocess
import sys

import pytest


def run(code):
    command = [sys.executable, "-c", f"import dyad; dyad.install_as_mindspore()\n{code}"]
    return subprocess.run(command, capture_output=True, text=True)


def last_line(result):
    return result.stderr.strip().splitlines()[-1]


def test_modules_are_the_same_objects_and_keep_their_identity():
    result = run(
        "import mindspore, mindspore.nn, mindspore.nn.cell, mindspore.common.initializer as i, dyad.nn.cell\n"
        "assert mindspore is dyad and mindspore.nn is dyad.nn and mindspore.nn.cell is dyad.nn.cell\n"
        "assert i is dyad.common.initializer\n"
        "print(mindspore.__name__, mindspore.nn.__spec__.name, mindspore.nn.cell.__name__)\n"
        "dyad.install_as_mindspore()\n"
    )
    assert result.stdout == "dyad dyad.nn dyad.nn.cell\n"
    assert result.returncode == 0


def test_classes_made_before_and_after_are_the_same():
    result = run(
        "from mindspore.nn import Dense\nfrom mindspore import Tensor\n"
        "print(Dense is dyad.nn.Dense, Tensor is dyad.Tensor)"
    )
    assert result.stdout == "True True\n"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (
            "import mindspore; mindspore.set_contxt",
            "AttributeError: dyad has no 'set_contxt'; nearest is dyad.set_context",
        ),
        ("import mindspore.nn as nn; nn.dense_layer_x", "AttributeError: dyad.nn has no 'dense_layer_x'"),
        (
            "import mindspore.nn as nn; nn.Conv2D(1)",
            "AttributeError: dyad.nn has no 'Conv2D'; nearest is dyad.nn.Conv2d",
        ),
        (
            "import mindspore.ops as ops; ops.reluu",
            "AttributeError: dyad.ops has no 'reluu'; nearest is dyad.ops.relu",
        ),
        (
            "from mindspore import Parametr",
            "ModuleNotFoundError: dyad has no 'Parametr' (imported as mindspore.Parametr); nearest is dyad.Parameter",
        ),
        (
            "from mindspore.nn import Dens",
            "ModuleNotFoundError: dyad.nn has no 'Dens' (imported as mindspore.nn.Dens); nearest is dyad.nn.Dense",
        ),
        (
            "import mindspore.comon",
            "ModuleNotFoundError: dyad has no 'comon' (imported as mindspore.comon); nearest is dyad.common",
        ),
        (
            "from mindspore.common.initialiser import Normal",
            "ModuleNotFoundError: dyad.common has no 'initialiser' (imported as mindspore.common.initialiser); "
            "nearest is dyad.common.initializer",
        ),
    ],
)
def test_a_missing_name_says_so_and_names_the_nearest(code, text):
    assert last_line(run(code)) == text


def test_missing_names_are_import_errors_that_programs_can_catch():
    result = run(
        "try:\n"
        "    from mindspore import jit_of_the_future\n"
        "except ImportError:\n"
        "    print('caught')\n"
        "print(hasattr(dyad, 'nothing'))\n"
    )
    assert result.stdout == "caught\nFalse\n"


def test_another_mindspore_in_the_process_is_not_overwritten():
    code = (
        "import sys, types; sys.modules['mindspore'] = types.ModuleType('mindspore')\n"
        "import dyad; dyad.install_as_mindspore()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "RuntimeError: install_as_mindspore: another mindspore is already imported" in result.stderr


def test_names_of_the_static_graph_under_their_paths():
    result = run(
        "from mindspore import JitConfig, Symbol, enable_dynamic, jit, jit_class, set_recursion_limit\n"
        "from mindspore.common.api import jit as same\n"
        "from mindspore.common.lazy_inline import lazy_inline\n"
        "print(same is jit is dyad.jit, lazy_inline is dyad.lazy_inline)"
    )
    assert result.stdout == "True True\n"
