"""Layers of `dyad.mint.nn` with the constructors of PyTorch, for tests that walk all of them."""

from layer_inputs import floats, indices, one

from dyad import Tensor, int64, mint, nn


def unpooled():
    """Maxima of windows of two, and where each was in its image of four by four."""
    return floats(2, 3, 2, 2), Tensor([[[[0, 2], [9, 15]]] * 3] * 2, int64)


MINT_LAYERS = [
    one("nn.SyncBatchNorm", lambda: nn.SyncBatchNorm(3), 4, 3, 5, 5),
    one("mint.nn.SyncBatchNorm", lambda: mint.nn.SyncBatchNorm(3), 4, 3, 5, 5),
    one("mint.nn.Dropout2d", lambda: mint.nn.Dropout2d(0.4), 4, 8, 5, 3),
    ("mint.nn.Embedding", lambda: mint.nn.Embedding(7, 4), lambda: (indices(7, 2, 5),)),
    one("mint.nn.Hardtanh", lambda: mint.nn.Hardtanh(-0.5, 0.5), 4, 6),
    one("mint.nn.LeakyReLU", lambda: mint.nn.LeakyReLU(0.1), 4, 6),
    one("mint.nn.PReLU", lambda: mint.nn.PReLU(), 4, 6),
    one("mint.nn.Softplus", lambda: mint.nn.Softplus(2.0), 4, 6),
    one("mint.nn.Threshold", lambda: mint.nn.Threshold(0.1, 2.0), 4, 6),
    one("mint.nn.Conv1d", lambda: mint.nn.Conv1d(3, 4, 3, padding=1), 2, 3, 7),
    one("mint.nn.Conv3d", lambda: mint.nn.Conv3d(3, 4, 2, stride=2), 2, 3, 4, 5, 6),
    one("mint.nn.ConvTranspose2d", lambda: mint.nn.ConvTranspose2d(3, 4, 3, stride=2), 2, 3, 4, 5),
    one("mint.nn.BatchNorm1d", lambda: mint.nn.BatchNorm1d(3), 4, 3, 6),
    one("mint.nn.BatchNorm2d", lambda: mint.nn.BatchNorm2d(3), 4, 3, 5, 5),
    one("mint.nn.BatchNorm3d", lambda: mint.nn.BatchNorm3d(3), 4, 3, 2, 3, 4),
    one("mint.nn.LayerNorm", lambda: mint.nn.LayerNorm(6), 4, 3, 6),
    one("mint.nn.AdaptiveMaxPool1d", lambda: mint.nn.AdaptiveMaxPool1d(3), 2, 3, 7),
    one("mint.nn.AdaptiveMaxPool2d", lambda: mint.nn.AdaptiveMaxPool2d((3, 2)), 2, 3, 7, 5),
    one("mint.nn.AvgPool1d", lambda: mint.nn.AvgPool1d(2), 2, 3, 7),
    one("mint.nn.AvgPool2d", lambda: mint.nn.AvgPool2d(2, padding=1), 2, 3, 6, 6),
    one("mint.nn.AvgPool3d", lambda: mint.nn.AvgPool3d(2), 2, 3, 4, 4, 4),
    one("mint.nn.MaxPool2d", lambda: mint.nn.MaxPool2d(3, stride=2), 2, 3, 7, 7),
    ("mint.nn.MaxUnpool2d", lambda: mint.nn.MaxUnpool2d(2), unpooled),
    one("mint.nn.Fold", lambda: mint.nn.Fold((4, 5), (2, 2)), 2, 3 * 4, 12),
    one("mint.nn.Unfold", lambda: mint.nn.Unfold((2, 2)), 2, 3, 4, 5),
    one("mint.nn.UpsamplingBilinear2d", lambda: mint.nn.UpsamplingBilinear2d(scale_factor=2), 2, 3, 4, 5),
    one("mint.nn.UpsamplingNearest2d", lambda: mint.nn.UpsamplingNearest2d(scale_factor=2), 2, 3, 4, 5),
    one("mint.nn.ZeroPad1d", lambda: mint.nn.ZeroPad1d(2), 2, 3, 4),
    one("mint.nn.ZeroPad2d", lambda: mint.nn.ZeroPad2d((1, 2, 0, 1)), 2, 3, 4, 5),
    one("mint.nn.ZeroPad3d", lambda: mint.nn.ZeroPad3d(1), 2, 3, 4, 5, 2),
]
