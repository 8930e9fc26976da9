"""Every layer as a static graph: called in Graph mode and through `jit`, it does what it does in the dynamic graph."""

import pytest
from layer_agreement import require_agreement
from layer_cases import LAYER_CASES
from mint_layer_cases import MINT_LAYERS
from network_cases import NETWORK_CASES

import dyad
from dyad import Tensor, mint, nn

CASES = [*LAYER_CASES, *MINT_LAYERS, *NETWORK_CASES]
# They hold layers and do not run themselves, are bases, or differentiate: tests of training and transforms try these.
NOT_RUN = {
    *(
        "Cell",
        "CellList",
        "CellDict",
        "GraphCell",
        "LossBase",
        "LearningRateSchedule",
        "TensorArray",
        "SparseToDense",
    ),
    *(
        "DistributedGradReducer",
        "GradAccumulation",
        "GradAccumulationCell",
        "MicroBatchInterleaved",
        "PipelineCell",
        "PipelineGradReducer",
        "VirtualDatasetCellTriple",
    ),
    *(
        "ForwardValueAndGrad",
        "WithGradCell",
        "TrainOneStepCell",
        "TrainOneStepWithLossScaleCell",
        "Jvp",
        "Vjp",
    ),
}


def shown(value):
    """Values of a result that can be compared, with types and dtypes."""
    if isinstance(value, Tensor):
        return type(value).__name__, str(value.dtype), value.asnumpy()
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [shown(item) for item in value]
    return type(value).__name__, value


def dynamic(layer):
    return layer


def jitted(layer):
    return dyad.jit(layer)


def traced(layer):
    return dyad.jit(layer, capture_mode="trace")


def in_graph_mode(layer):
    def call(*arguments):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return layer(*arguments)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


def history(make, arguments, form, training):
    """Results of a new layer in each of three calls, and its Parameters after each."""
    dyad.set_seed(7)
    layer = make().set_train(training)
    call = form(layer)
    steps = []
    for _ in range(3):
        result = call(*arguments())
        steps.append((shown(result), [(p.name, shown(p)) for p in layer.get_parameters()]))
    return steps


@pytest.mark.parametrize("training", [False, True], ids=["eval", "train"])
@pytest.mark.parametrize("form", [jitted, traced, in_graph_mode])
@pytest.mark.parametrize(
    ("make", "arguments"), [pytest.param(*case[1:], id=case[0].removeprefix("dyad.")) for case in CASES]
)
def test_layer_as_a_graph(make, arguments, form, training):
    require_agreement(history(make, arguments, form, training), history(make, arguments, dynamic, training))


def test_every_layer_has_a_case():
    tried = {type(make()) for _, make, _ in CASES}
    missing = [
        f"{module.__name__}.{name}"
        for module in (nn, mint.nn)
        for name in module.__all__
        if isinstance(layer := getattr(module, name), type)
        and issubclass(layer, nn.Cell)
        and not issubclass(layer, nn.Optimizer)
        and name not in NOT_RUN
        and not any(issubclass(kind, layer) for kind in tried)
    ]
    assert not missing
