"""The layers of `dyad.mint` by the names that they have here: `nameExt`."""

from dyad import mint, nn

_LAYERS = {
    f"{name}Ext": layer
    for name, layer in vars(mint.nn).items()
    if isinstance(layer, type) and issubclass(layer, nn.Cell) and layer is not nn.Cell and name in nn.__all__
}
globals().update(_LAYERS)

__all__ = sorted(_LAYERS)
