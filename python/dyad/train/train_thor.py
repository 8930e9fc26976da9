"""`dyad.train.train_thor`: prepares networks and models for `nn.thor`."""

from typing import Any

from dyad.nn.optim.second_order import Thor, collect_factors
from dyad.train.model import Model

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = ["ConvertModelUtils", "ConvertNetUtils"]


class ConvertNetUtils:
    """Makes the layers of a network collect the statistics of `nn.thor`, which does so itself as well."""

    def convert_to_thor_net(self, net) -> None:
        """Dense and Conv2d layers of the network keep their second moments from now on."""
        collect_factors(net)
        net.update_cell_prefix()


class ConvertModelUtils:
    """Builds the Model that trains with `nn.thor`."""

    @staticmethod
    def convert_to_thor_model(
        model,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        amp_level="O0",
        loss_scale_manager=None,
        keep_batchnorm_fp32: bool = False,
    ):
        """A Model of these parts if the optimizer is one of `nn.thor`, or else the model as it is.

        A network that holds the optimizer does the whole step, and no other one is put around it.
        """
        if not isinstance(optimizer, Thor):
            return model
        settings: dict[str, Any] = {}
        if amp_level != "O0":
            settings["keep_batchnorm_fp32"] = keep_batchnorm_fp32
        if loss_scale_manager is not None:
            settings["loss_scale_manager"] = loss_scale_manager
        steps_itself = any(cell is optimizer for _, cell in network.cells_and_names())
        return Model(
            network,
            loss_fn=loss_fn,
            optimizer=None if steps_itself else optimizer,
            metrics=metrics,
            amp_level=amp_level,
            **settings,
        )
