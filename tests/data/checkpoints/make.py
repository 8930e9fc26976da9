"""Makes the files beside it; run under MindSpore 2.10 for the CPU, in this folder: python make.py."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, save_checkpoint


class Net(nn.Cell):
    """One Parameter of every kind that files differ in."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(2, 3)
        self.bn = nn.BatchNorm1d(3)
        self.half = Parameter(Tensor(np.arange(4).reshape(2, 2), ms.float16), name="half")
        self.brain = Parameter(Tensor(np.arange(4), ms.bfloat16), name="brain")
        self.whole = Parameter(Tensor(np.array([1, -2, 3], np.int32)), name="whole")
        self.single = Parameter(Tensor(2.5, ms.float64), name="single")
        self.flags = Parameter(Tensor(np.array([True, False])), name="flags")


net = Net()
net.fc.weight.set_data(Tensor(np.arange(6).reshape(3, 2) / 4, ms.float32))
net.fc.bias.set_data(Tensor(np.arange(3), ms.float32))
numbers = {"epoch": 3, "rate": 0.5, "done": True}
save_checkpoint(net, "plain.ckpt", append_dict={**numbers, "note": "hé"})
save_checkpoint(net, "checksum.ckpt", append_dict={**numbers, "note": "hé"}, crc_check=True)
save_checkpoint(net, "plain.safetensors", append_dict=dict(numbers), format="safetensors")
for mode in ("AES-GCM", "AES-CBC", "SM4-CBC"):
    save_checkpoint(net, f"{mode}.ckpt", enc_key=b"0123456789abcdef", enc_mode=mode)
