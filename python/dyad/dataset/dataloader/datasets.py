"""Datasets of a DataLoader: samples by index, or one after the other."""

from typing import Generic, TypeVar

from dyad._core import Tensor

_Sample = TypeVar("_Sample", covariant=True)


class Dataset(Generic[_Sample]):
    """Samples by index: a subclass has `__getitem__`, and `__len__` for samplers that need the number of samples."""

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} is a Dataset without __getitem__; write one")


class IterableDataset(Dataset[_Sample]):
    """Samples one after the other: a subclass has `__iter__`."""

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} is an IterableDataset without __iter__; write one")


class TensorDataset(Dataset):
    """Sample i is a tuple of row i of each Tensor.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.dataset.dataloader import TensorDataset
        >>> print(TensorDataset(Tensor([1.0, 2.0]), Tensor([3, 4]))[1])
        (Tensor(shape=[], dtype=Float32, value= 2), Tensor(shape=[], dtype=Int64, value= 4))
    """

    def __init__(self, *tensors):
        for at, tensor in enumerate(tensors):
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"TensorDataset: tensors[{at}] is of type {type(tensor).__name__}; need a Tensor"
                )
        if not tensors or any(tensor.ndim == 0 for tensor in tensors):
            raise ValueError("TensorDataset: need one or more Tensors of one or more dimensions")
        rows = [tensor.shape[0] for tensor in tensors]
        if len(set(rows)) > 1:
            raise ValueError(f"TensorDataset: the Tensors have {rows} rows; need as many in each")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].shape[0]
