"""Short-time Fourier transform, and the Primitive for transforms of the last dimensions."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import (
    SettingError,
    held_number,
    require_flag,
    require_int,
    require_sequence,
)
from dyad._src.operators import arange, fftn, gather, ifftn, irfftn, pad, rfftn, stack
from dyad._src.primitive.primitive import Primitive

__all__ = ["FFTWithSize", "stft"]

_NORMS = ("backward", "forward", "ortho")


class FFTWithSize(Primitive):
    """Discrete Fourier transform of the last `signal_ndim` dimensions, or its inverse.

    With `real` the signal is real, and its transform is kept to the half that holds it all unless `onesided` is False;
    `signal_sizes` says how large the signal is, which half of a transform does not tell.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.FFTWithSize(1, False, True)(Tensor([1.0, 2.0, 3.0, 4.0])).abs()[0])
        10.0
    """

    _parameters = ("signal_ndim", "inverse", "real", "norm", "onesided", "signal_sizes")

    def __init__(
        self, signal_ndim, inverse, real, norm="backward", onesided: bool = True, signal_sizes=()
    ) -> None:
        super().__init__("FFTWithSize")
        if type(signal_ndim) is not int:
            raise TypeError(f"FFTWithSize: signal_ndim is {signal_ndim!r}; need an int")
        if not 1 <= signal_ndim <= 3:
            raise ValueError(f"FFTWithSize: signal_ndim is {signal_ndim}; need 1, 2 or 3")
        for name, value in (("inverse", inverse), ("real", real), ("onesided", onesided)):
            if type(value) is not bool:
                raise TypeError(f"FFTWithSize: {name} is {value!r}; need a bool")
        if norm not in _NORMS:
            raise SettingError(f"FFTWithSize: norm is {norm!r}; need one of {', '.join(_NORMS)}")
        self.signal_ndim, self.inverse, self.real = signal_ndim, inverse, real
        self.norm, self.onesided = norm, onesided
        self.signal_sizes = require_sequence("FFTWithSize", "signal_sizes", signal_sizes)

    def __call__(self, x):
        if not isinstance(x, Tensor):
            raise TypeError(f"FFTWithSize: x is of type {type(x).__name__}; need a Tensor")
        if x.ndim < self.signal_ndim:
            raise ValueError(
                f"FFTWithSize: x has shape {x.shape}; need {self.signal_ndim} dimensions or more"
            )
        axes = tuple(range(x.ndim - self.signal_ndim, x.ndim))
        if not self.real:
            return (ifftn if self.inverse else fftn)(x, None, axes, self.norm)
        if not self.inverse:
            return (rfftn if self.onesided else fftn)(x, None, axes, self.norm)
        if self.onesided:
            return irfftn(x, self.signal_sizes or None, axes, self.norm)
        return ifftn(x, None, axes, self.norm).real()

    def __reduce__(self):
        return type(self), tuple(getattr(self, name) for name in self._parameters)


def stft(
    x: Tensor,
    n_fft,
    hop_length=None,
    win_length=None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode="REFLECT",
    normalized: bool = False,
    onesided=None,
    return_complex=None,
):
    """Short-time Fourier transform (STFT).

        y[f, t] = Σ_n window[n] · x[t · hop_length + n] · exp(-2πi · f · n / n_fft)

    Args:
        x (Tensor): signal of shape (length,) or (batch, length).
        n_fft (int): size of the transform.
        hop_length (int or None): distance of the windows. Default: n_fft // 4.
        win_length (int or None): size of the window, padded with zeros to `n_fft`. Default: n_fft.
        window (Tensor or None): window of `win_length` numbers; None for ones. Default: None.
        center (bool): pads the signal so that the first window is centered at its first element. Default: True.
        pad_mode (str): padding with `center`, as in `ops.pad`. Default: 'REFLECT'.
        normalized (bool): divides the result by √n_fft. Default: False.
        onesided (bool or None): returns the frequencies up to n_fft // 2. Default: True for real signals.
        return_complex (bool or None): returns complex numbers. Default: True for complex signals.

    Returns:
        Tensor of shape (..., frequencies, frames); if not complex, a last dimension has the real and imaginary parts.

    Example:
        >>> from dyad import ops
        >>> print(ops.stft(ops.ones(8), 4, center=False).shape)
        (3, 5, 2)
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"stft: x is of type {type(x).__name__}; need a Tensor")
    if x.ndim not in (1, 2):
        raise ValueError(f"stft: x has shape {x.shape}; need 1 or 2 dimensions")
    if window is not None and not isinstance(window, Tensor):
        raise TypeError(f"stft: window is of type {type(window).__name__}; need a Tensor or None")
    for name, value in (("center", center), ("normalized", normalized)):
        require_flag("stft", name, value)
    n_fft, hop_length, win_length = (held_number(size) for size in (n_fft, hop_length, win_length))
    require_int("stft", "n_fft", n_fft)
    hop_length = n_fft // 4 if hop_length is None else require_int("stft", "hop_length", hop_length)
    win_length = n_fft if win_length is None else require_int("stft", "win_length", win_length)
    if hop_length < 1 or not 0 < win_length <= n_fft:
        raise ValueError(
            f"stft: hop_length is {hop_length}, win_length {win_length} and n_fft {n_fft}; "
            "need a hop of 1 or more, and a window of 1 to n_fft"
        )
    is_complex = x.dtype.is_complex or (window is not None and window.dtype.is_complex)
    frames = _framed(x, n_fft, hop_length, pad_mode if center else None)
    if window is not None or win_length < n_fft:
        frames = frames * _centered(window, win_length, n_fft)
    half = not is_complex if onesided is None else onesided
    norm = "ortho" if normalized else "backward"
    result = (rfftn if half else fftn)(frames, None, (-1,), norm).swapaxes(-1, -2)
    if is_complex if return_complex is None else return_complex:
        return result
    return stack((result.real(), result.imag()), -1)


def _framed(x, n_fft, hop_length, pad_mode):
    """Returns the windows of the signal as rows."""
    if pad_mode is not None:
        x = pad(x.reshape(-1, x.shape[-1]), (n_fft // 2,) * 2, pad_mode.lower()).reshape(*x.shape[:-1], -1)
    if x.shape[-1] < n_fft:
        raise ValueError(f"stft: n_fft is {n_fft} and the signal has {x.shape[-1]} elements; need as many")
    starts = arange(0, x.shape[-1] - n_fft + 1, hop_length).reshape(-1, 1)
    return gather(x, starts + arange(n_fft), x.ndim - 1)


def _centered(window, win_length, n_fft):
    window = Tensor([1.0] * win_length, _core.float32) if window is None else window
    if window.shape != (win_length,):
        raise ValueError(f"stft: window has shape {window.shape}; need ({win_length},)")
    before = (n_fft - win_length) // 2
    return pad(window, (before, n_fft - win_length - before), "constant", 0)
