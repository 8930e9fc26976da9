"""Datasets of text files and of record files."""

from dyad.dataset.record_datasets_mindrecord import MindDataset
from dyad.dataset.record_datasets_tfrecord import TFRecordDataset
from dyad.dataset.schema import Schema
from dyad.dataset.text_datasets import (
    AGNewsDataset,
    AmazonReviewDataset,
    CSVDataset,
    DBpediaDataset,
    EnWik9Dataset,
    PennTreebankDataset,
    SogouNewsDataset,
    TextFileDataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
from dyad.dataset.text_datasets_structured import (
    CLUEDataset,
    CoNLL2000Dataset,
    SQuADDataset,
    SST2Dataset,
    UDPOSDataset,
)
from dyad.dataset.text_datasets_translation import (
    IMDBDataset,
    IWSLT2016Dataset,
    IWSLT2017Dataset,
    Multi30kDataset,
)

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "CLUEDataset",
    "CSVDataset",
    "CoNLL2000Dataset",
    "DBpediaDataset",
    "EnWik9Dataset",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "MindDataset",
    "Multi30kDataset",
    "PennTreebankDataset",
    "SQuADDataset",
    "SST2Dataset",
    "Schema",
    "SogouNewsDataset",
    "TFRecordDataset",
    "TextFileDataset",
    "UDPOSDataset",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]
