"""The pipelines of `./dev bench data` in MindSpore's API: one program for Dyad and for MindSpore."""

from __future__ import annotations

from pathlib import Path

import data_rows
from data_rows import BATCH


class MindSporeData:
    """The pipelines, over `dataset`: dyad.dataset or mindspore.dataset."""

    def __init__(self, dataset, text, transforms, vision, threads: int) -> None:
        self.dataset, self.text_module, self.transforms, self.vision = dataset, text, transforms, vision
        self.threads = threads
        dataset.config.set_num_parallel_workers(threads)
        dataset.config.set_seed(1)

    def epoch(self, pipeline):
        """The rows of one epoch, as lists of arrays of the framework."""
        return pipeline.create_tuple_iterator(num_epochs=1)

    def array(self, value):
        return value.asnumpy()

    def slices(self, folder: Path):
        pipeline = self.dataset.NumpySlicesDataset(data_rows.slices(), ["sample", "label"], shuffle=True)
        return pipeline.batch(BATCH)

    def generator(self, folder: Path):
        pipeline = self.dataset.GeneratorDataset(data_rows.Samples(), ["sample", "label"], shuffle=False)
        return pipeline.batch(BATCH)

    def workers(self, folder: Path):
        pipeline = self.dataset.GeneratorDataset(
            data_rows.Samples(), ["sample", "label"], shuffle=False, num_parallel_workers=2
        )
        return pipeline.batch(BATCH)

    def digits(self, folder: Path):
        pipeline = self.dataset.MnistDataset(str(folder / "digits"), "train", shuffle=False)
        vision = self.vision
        steps = [
            vision.Rescale(1 / 255, 0),
            vision.Normalize([data_rows.MEAN], [data_rows.DEVIATION]),
            vision.HWC2CHW(),
        ]
        pipeline = pipeline.map(steps, "image")
        return pipeline.map(self.transforms.TypeCast(self.int32), "label").batch(BATCH)

    def images(self, folder: Path):
        vision = self.vision
        pipeline = self.dataset.ImageFolderDataset(str(folder / "images"), shuffle=True)
        steps = [
            vision.RandomCropDecodeResize(data_rows.CROP),
            vision.RandomHorizontalFlip(),
            vision.Normalize(data_rows.IMAGE_MEAN, data_rows.IMAGE_DEVIATION),
            vision.HWC2CHW(),
        ]
        return pipeline.map(steps, "image").batch(32)

    def text(self, folder: Path):
        text = self.text_module
        words = text.Vocab.from_file(str(folder / "text/words.txt"))
        pipeline = self.dataset.TextFileDataset(str(folder / "text/lines.txt"), shuffle=False)
        steps = [
            text.WhitespaceTokenizer(),
            text.Lookup(words, unknown_token="<unk>"),
            self.transforms.PadEnd([data_rows.LENGTH], 0),
        ]
        return pipeline.map(steps, "text").batch(BATCH)


def load(name: str, threads: int) -> MindSporeData:
    """The pipelines of `dyad` or of `mindspore`."""
    if name == "dyad":
        import dyad as framework
        from dyad import dataset
        from dyad.dataset import text, transforms, vision
    else:
        import mindspore as framework
        from mindspore import dataset
        from mindspore.dataset import text, transforms, vision
    pipelines = MindSporeData(dataset, text, transforms, vision, threads)
    pipelines.int32 = framework.int32
    return pipelines
