"""Transformer: encoder and decoder layers, their stacks, and the whole model."""

import copy

from dyad import _core, ops
from dyad._src.base.argument_checks import require_int
from dyad._src.tensor.initialization import initializer
from dyad.nn.attention import MultiheadAttention
from dyad.nn.cell import Cell
from dyad.nn.containers import CellList
from dyad.nn.dense import Dense
from dyad.nn.dropout import Dropout
from dyad.nn.initializer import XavierUniform
from dyad.nn.normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

_ACTIVATIONS = ("relu", "gelu")


def _as_activation(owner, activation):
    if isinstance(activation, str):
        if activation not in _ACTIVATIONS:
            raise ValueError(f"{owner}: activation is {activation!r}; need relu, gelu or a callable")
        return getattr(ops, activation)
    if not callable(activation):
        raise ValueError(f"{owner}: activation is {activation!r}; need relu, gelu or a callable")
    return activation


class _TransformerLayer(Cell):
    """The feed-forward half that both kinds of layer share, and how a part is joined to the stream."""

    def _make_feed_forward(self, d_model, dim_feedforward, dropout, activation, dtype):
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.activation = _as_activation(type(self).__name__, activation)

    def _feed_forward(self, x):
        return self.dense2(self.dropout(self.activation(self.dense1(x))))

    def _joined(self, x, norm, dropout, part):
        """`x` plus `part(x)`, normalized before `part` or after the sum."""
        if self.norm_first:
            return x + dropout(part(norm(x)))
        return norm(x + dropout(part(x)))


class TransformerEncoderLayer(_TransformerLayer):
    """Transformer encoder layer: self-attention and a feed-forward network, each with dropout, a residual and a
    LayerNorm.

    `d_model` is the number of features, `nhead` the number of heads, `dim_feedforward` the inner size of the network.
    `activation` is 'relu', 'gelu' or a callable. With `norm_first` the input of each part is normalized, otherwise
    the sum of residual and part. `layer_norm_eps` is the epsilon of the normalizations. `batch_first` and the masks
    are those of `MultiheadAttention`.
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self._make_feed_forward(d_model, dim_feedforward, dropout, activation, dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(p=dropout)
        self.dropout2 = Dropout(p=dropout)

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        """Returns a tensor of the shape and dtype of `src`."""

        def attend(x):
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0]

        x = self._joined(src, self.norm1, self.dropout1, attend)
        return self._joined(x, self.norm2, self.dropout2, self._feed_forward)


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention over the encoder's result and a feed-forward network.

    Settings as of `TransformerEncoderLayer`.
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self.multihead_attn = MultiheadAttention(
            d_model, nhead, dropout, batch_first=batch_first, dtype=dtype
        )
        self._make_feed_forward(d_model, dim_feedforward, dropout, activation, dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm3 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(p=dropout)
        self.dropout2 = Dropout(p=dropout)
        self.dropout3 = Dropout(p=dropout)

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        """Returns a tensor of the shape and dtype of `tgt`."""

        def attend(x):
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0]

        def attend_to_memory(x):
            return self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)[0]

        x = self._joined(tgt, self.norm1, self.dropout1, attend)
        x = self._joined(x, self.norm2, self.dropout2, attend_to_memory)
        return self._joined(x, self.norm3, self.dropout3, self._feed_forward)


class TransformerEncoder(Cell):
    """`num_layers` copies of an encoder layer, and `norm` after them if given."""

    def __init__(self, encoder_layer, num_layers: int, norm=None) -> None:
        super().__init__()
        self.num_layers = require_int("TransformerEncoder", "num_layers", num_layers, low=0)
        self.layers = CellList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        """Returns a tensor of the shape and dtype of `src`."""
        for layer in self.layers:
            src = layer(src, src_mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """`num_layers` copies of a decoder layer, and `norm` after them if given."""

    def __init__(self, decoder_layer, num_layers: int, norm=None) -> None:
        super().__init__()
        self.num_layers = require_int("TransformerDecoder", "num_layers", num_layers, low=0)
        self.layers = CellList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        """Returns a tensor of the shape and dtype of `tgt`."""
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        for layer in self.layers:
            tgt = layer(tgt, memory, *masks)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder of the original architecture; either can be replaced by another Cell.

    The replacements are `custom_encoder` and `custom_decoder`; the other arguments are the numbers of layers and
    those of `TransformerEncoderLayer`. Called with source and target sequences, it returns the decoder's result for
    the target.
    """

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        layer_settings = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
        )

        def final_norm():
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*layer_settings, dtype=dtype), num_encoder_layers, final_norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*layer_settings, dtype=dtype), num_decoder_layers, final_norm()
        )
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first
        for parameter in self.get_parameters():
            if parameter.ndim > 1:
                parameter.set_data(initializer(XavierUniform(), parameter.shape, parameter.dtype))

    def construct(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
    ):
        """Returns a tensor with the shape and dtype of `tgt`; ValueError unless the last dimension of both is
        `d_model`.
        """
        if src.ndim != tgt.ndim or src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError(
                f"Transformer: src and tgt have shapes {src.shape} and {tgt.shape}; need as many dimensions in both "
                f"and a last size of {self.d_model}"
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
