"""The classes that mixed precision lowers, and those that it keeps in float32."""

from dyad import nn, ops

__all__ = ["AMP_BLACK_LIST", "AMP_WHITE_LIST", "get_black_list", "get_white_list"]

AMP_WHITE_LIST = [
    nn.Conv1d,
    nn.Conv2d,
    nn.Conv3d,
    nn.Conv1dTranspose,
    nn.Conv2dTranspose,
    nn.Conv3dTranspose,
    nn.Dense,
    nn.LSTMCell,
    nn.RNNCell,
    nn.GRUCell,
    ops.Conv2D,
    ops.Conv3D,
    ops.Conv2DTranspose,
    ops.Conv2DBackpropInput,
    ops.MatMul,
    ops.BatchMatMul,
    ops.PReLU,
    ops.ReLU,
    ops.Ger,
]

AMP_BLACK_LIST = [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm]


def get_white_list():
    """A new list of the classes of Cells and Primitives that level "O1" computes in the lower precision."""
    return AMP_WHITE_LIST.copy()


def get_black_list():
    """A new list of the classes of Cells that level "O2" keeps in float32."""
    return AMP_BLACK_LIST.copy()
