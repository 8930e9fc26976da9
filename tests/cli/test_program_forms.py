"""Programs written for MindSpore, in each of the forms its pages teach, print what the dynamic graph prints."""

import re

import numpy as np
import pytest

NUMBER = r"-?\d+\.\d+"

HEAD = """
import numpy as np
import mindspore as ms
from mindspore import nn, Tensor
ms.set_seed(3)
"""

GRAPH_MODE = "ms.set_context(mode=ms.GRAPH_MODE)\n"

NETWORK = """
class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(28*28, 512),
            nn.ReLU(),
            nn.Dense(512, 512),
            nn.ReLU(),
            nn.Dense(512, 10)
        )

    def construct(self, x):
        x = self.flatten(x)
        logits = self.dense_relu_sequential(x)
        return logits
"""

INPUT = "input = Tensor(np.ones([64, 1, 28, 28]).astype(np.float32))\n"
CALL = "model = Network()\n" + INPUT + "print(model(input))\nprint(model(input))\n"
# A model that is made inside draws its weights in each call.
TWICE = "print(run(input))\nprint(run(input))\n"
RUN = "def run(x):\n    model = Network()\n    return model(x)\n\n"

PROGRAMS = {
    "graph mode": HEAD + GRAPH_MODE + NETWORK + CALL,
    "decorator": HEAD + NETWORK + INPUT + "@ms.jit\n" + RUN + TWICE,
    "transform": HEAD + NETWORK + INPUT + RUN + "run = ms.jit(run)\n" + TWICE,
    "construct": HEAD + NETWORK.replace("    def construct", "    @ms.jit\n    def construct") + CALL,
    "decorator in graph mode": HEAD
    + GRAPH_MODE
    + NETWORK.replace("    def construct", "    @ms.jit\n    def construct")
    + CALL,
}


@pytest.fixture(scope="module")
def printed(run_dyad, tmp_path_factory):
    def run(source):
        script = tmp_path_factory.mktemp("program") / "program.py"
        script.write_text(source)
        result = run_dyad(script)
        assert result.stderr == ""
        return result.stdout

    return run


@pytest.fixture(scope="module")
def dynamic_text(printed):
    return printed(HEAD + NETWORK + CALL)


def test_the_dynamic_program_prints_the_same_row_for_every_image(dynamic_text):
    rows = dynamic_text.replace("\n  ", " ").replace("[", " ").replace("]", " ").splitlines()
    values = {tuple(row.split()) for row in rows if row.strip() and "..." not in row}
    assert len(values) == 1
    assert len(values.pop()) == 10


@pytest.fixture(scope="module")
def text_of_two_models(printed):
    return printed(HEAD + NETWORK + INPUT + RUN + TWICE)


@pytest.mark.parametrize("form", PROGRAMS)
def test_a_form_prints_what_the_dynamic_program_prints(printed, dynamic_text, text_of_two_models, form):
    static_text = printed(PROGRAMS[form])
    truth_text = text_of_two_models if RUN in PROGRAMS[form] else dynamic_text
    shapes = ["".join(re.sub(NUMBER, "#,", text).split()) for text in (static_text, truth_text)]
    assert shapes[0] == shapes[1]
    # An optimised graph adds up in another order: the last digits may differ.
    found, truth = (np.array(re.findall(NUMBER, text), float) for text in (static_text, truth_text))
    np.testing.assert_allclose(found, truth, rtol=1e-5, atol=1e-6)
