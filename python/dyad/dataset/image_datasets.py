"""Datasets of images in files."""

from dyad.dataset.image_datasets_coco import CocoDataset
from dyad.dataset.image_datasets_digit_texts import SemeionDataset, USPSDataset
from dyad.dataset.image_datasets_digits import (
    EMnistDataset,
    FashionMnistDataset,
    KMnistDataset,
    MnistDataset,
    QMnistDataset,
)
from dyad.dataset.image_datasets_faces import CelebADataset, LFWDataset, WIDERFaceDataset
from dyad.dataset.image_datasets_folders import (
    Caltech256Dataset,
    ImageFolderDataset,
    LSUNDataset,
    OmniglotDataset,
    RenderedSST2Dataset,
    SUN397Dataset,
)
from dyad.dataset.image_datasets_lists import (
    FlickrDataset,
    Food101Dataset,
    ManifestDataset,
    Places365Dataset,
    SBUDataset,
)
from dyad.dataset.image_datasets_matlab import Caltech101Dataset, Flowers102Dataset, SBDataset, SVHNDataset
from dyad.dataset.image_datasets_records import (
    Cifar10Dataset,
    Cifar100Dataset,
    FakeImageDataset,
    PhotoTourDataset,
    STL10Dataset,
)
from dyad.dataset.image_datasets_scenes import CityscapesDataset, DIV2KDataset, KITTIDataset
from dyad.dataset.image_datasets_voc import VOCDataset

__all__ = [
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "Cifar10Dataset",
    "Cifar100Dataset",
    "CityscapesDataset",
    "CocoDataset",
    "DIV2KDataset",
    "EMnistDataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "ImageFolderDataset",
    "KITTIDataset",
    "KMnistDataset",
    "LFWDataset",
    "LSUNDataset",
    "ManifestDataset",
    "MnistDataset",
    "OmniglotDataset",
    "PhotoTourDataset",
    "Places365Dataset",
    "QMnistDataset",
    "RenderedSST2Dataset",
    "SBDataset",
    "SBUDataset",
    "STL10Dataset",
    "SUN397Dataset",
    "SVHNDataset",
    "SemeionDataset",
    "USPSDataset",
    "VOCDataset",
    "WIDERFaceDataset",
]
