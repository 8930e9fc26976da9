"""MindRecord: rows of named fields in files with an index."""

from dyad.mindrecord.common.enums import MSRStatus
from dyad.mindrecord.common.exceptions import *  # noqa: F403
from dyad.mindrecord.encrypted_files import set_dec_mode, set_enc_key, set_enc_mode
from dyad.mindrecord.filereader import FileReader
from dyad.mindrecord.filewriter import FileWriter
from dyad.mindrecord.mindpage import MindPage
from dyad.mindrecord.tools.cifar_to_mr import Cifar10ToMR, Cifar100ToMR
from dyad.mindrecord.tools.csv_to_mr import CsvToMR
from dyad.mindrecord.tools.imagenet_to_mr import ImageNetToMR
from dyad.mindrecord.tools.mnist_to_mr import MnistToMR
from dyad.mindrecord.tools.tfrecord_to_mr import TFRecordToMR

SUCCESS = MSRStatus.SUCCESS
FAILED = MSRStatus.FAILED

__all__ = [
    "FAILED",
    "SUCCESS",
    "Cifar10ToMR",
    "Cifar100ToMR",
    "CsvToMR",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MindPage",
    "MnistToMR",
    "TFRecordToMR",
    "set_dec_mode",
    "set_enc_key",
    "set_enc_mode",
]
