"""MindSpore 1 name: everything of `vision`."""

from dyad.dataset._operation import PyTensorOperation as PyTensorOperation
from dyad.dataset.vision.augmenting import *  # noqa: F403
from dyad.dataset.vision.blurring import *  # noqa: F403
from dyad.dataset.vision.boxes import *  # noqa: F403
from dyad.dataset.vision.channels import *  # noqa: F403
from dyad.dataset.vision.color import *  # noqa: F403
from dyad.dataset.vision.conversions import *  # noqa: F403
from dyad.dataset.vision.cropping import *  # noqa: F403
from dyad.dataset.vision.decoding import *  # noqa: F403
from dyad.dataset.vision.enums import *  # noqa: F403
from dyad.dataset.vision.erasing import *  # noqa: F403
from dyad.dataset.vision.flipping import *  # noqa: F403
from dyad.dataset.vision.geometry import *  # noqa: F403
from dyad.dataset.vision.mixing import *  # noqa: F403
from dyad.dataset.vision.normalizing import *  # noqa: F403
from dyad.dataset.vision.padding import *  # noqa: F403
from dyad.dataset.vision.read_write import *  # noqa: F403
from dyad.dataset.vision.resizing import *  # noqa: F403
from dyad.dataset.vision.tones import *  # noqa: F403
