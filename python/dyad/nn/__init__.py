"""Layers and what networks are built from."""

import typing as _typing

from dyad._src.tensor.initialization import no_init_parameters
from dyad.nn import (
    activation,
    adaptive_pooling,
    attention,
    cell,
    combined,
    containers,
    convolution,
    convolution_transpose,
    dense,
    dropout,
    dynamic_lr,
    embedding,
    fractional_pooling,
    graph_cell,
    image,
    learning_rate_schedule,
    loss,
    math,
    normalization,
    optim,
    padding,
    pooling,
    recurrent,
    recurrent_cells,
    resizing,
    shape,
    softmax,
    sparse,
    sync_batch_norm,
    tensor_array,
    timedistributed,
    transformer,
    unpooling,
    wrap,
)
from dyad.nn.activation import *  # noqa: F403
from dyad.nn.adaptive_pooling import *  # noqa: F403
from dyad.nn.attention import *  # noqa: F403
from dyad.nn.cell import *  # noqa: F403
from dyad.nn.combined import *  # noqa: F403
from dyad.nn.containers import *  # noqa: F403
from dyad.nn.convolution import *  # noqa: F403
from dyad.nn.convolution_base import _Conv as _Conv
from dyad.nn.convolution_base import _deconv_output_length as _deconv_output_length
from dyad.nn.convolution_transpose import *  # noqa: F403
from dyad.nn.dense import *  # noqa: F403
from dyad.nn.dropout import *  # noqa: F403
from dyad.nn.dynamic_lr import *  # noqa: F403
from dyad.nn.embedding import *  # noqa: F403
from dyad.nn.fractional_pooling import *  # noqa: F403
from dyad.nn.graph_cell import *  # noqa: F403
from dyad.nn.image import *  # noqa: F403
from dyad.nn.learning_rate_schedule import *  # noqa: F403
from dyad.nn.loss import *  # noqa: F403
from dyad.nn.math import *  # noqa: F403
from dyad.nn.normalization import *  # noqa: F403
from dyad.nn.optim import *  # noqa: F403
from dyad.nn.padding import *  # noqa: F403
from dyad.nn.pooling import *  # noqa: F403
from dyad.nn.recurrent import *  # noqa: F403
from dyad.nn.recurrent_cells import *  # noqa: F403
from dyad.nn.resizing import *  # noqa: F403
from dyad.nn.shape import *  # noqa: F403
from dyad.nn.softmax import *  # noqa: F403
from dyad.nn.sparse import *  # noqa: F403
from dyad.nn.sync_batch_norm import *  # noqa: F403
from dyad.nn.tensor_array import *  # noqa: F403
from dyad.nn.timedistributed import *  # noqa: F403
from dyad.nn.transformer import *  # noqa: F403
from dyad.nn.unpooling import *  # noqa: F403
from dyad.nn.wrap import *  # noqa: F403

__all__ = [
    "no_init_parameters",
    *activation.__all__,
    *adaptive_pooling.__all__,
    *attention.__all__,
    *cell.__all__,
    *combined.__all__,
    *containers.__all__,
    *convolution.__all__,
    *convolution_transpose.__all__,
    *dense.__all__,
    *dropout.__all__,
    *dynamic_lr.__all__,
    *embedding.__all__,
    *fractional_pooling.__all__,
    *graph_cell.__all__,
    *image.__all__,
    *learning_rate_schedule.__all__,
    *loss.__all__,
    *math.__all__,
    *normalization.__all__,
    *optim.__all__,
    *padding.__all__,
    *pooling.__all__,
    *recurrent.__all__,
    *recurrent_cells.__all__,
    *resizing.__all__,
    *shape.__all__,
    *softmax.__all__,
    *sparse.__all__,
    *sync_batch_norm.__all__,
    *tensor_array.__all__,
    *timedistributed.__all__,
    *transformer.__all__,
    *unpooling.__all__,
    *wrap.__all__,
]

if _typing.TYPE_CHECKING:
    # More names are found when they are asked for: see `_src/base/compat_finder.py`.
    def __getattr__(name): ...
