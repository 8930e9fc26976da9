"""`dyad.common._stub_tensor`: stand-ins for tensors that are still computed.

An operator here returns its tensor, so there are none; packages that extend Tensor extend this class as well.
"""

__all__ = ["StubTensor"]


class StubTensor:
    """No tensor is one."""


def _convert_stub(stub):
    """The tensor for which a result of an operator stands: itself."""
    return stub
