"""Small networks learn, and their losses follow the curve that PyTorch 2.13 gives from the same start."""

import numpy as np
from training_data import scattered, stripes, successions

import dyad as ms
from dyad import Parameter, Tensor, nn, ops

# Recorded with PyTorch 2.13.0 on the CPU, one thread, float32.
CONVOLUTION_CURVE = """
1.567136 1.380680 1.268867 1.212238 1.087661 0.931691 0.821595 0.747436 0.621785 0.450581
0.339626 0.257395 0.155834 0.087245 0.063798 0.037457 0.017016 0.009175 0.006174 0.004777
0.003895 0.003145 0.002441 0.001812 0.001304 0.000919 0.000641 0.000449 0.000317 0.000227
"""
LANGUAGE_CURVE = """
3.273773 2.655879 2.435250 2.260817 2.100514 1.949401 1.800002 1.649854 1.502560 1.360413
1.224502 1.096366 0.976904 0.865922 0.765626 0.683273 0.616826 0.555881 0.500514 0.448710
0.403957 0.368459 0.334438 0.299909 0.268856 0.241705 0.215327 0.186349 0.157745 0.133801
0.112705 0.092464 0.074407 0.059671 0.048152 0.039427 0.032658 0.026972 0.022164 0.018487
0.015928 0.014068 0.012475 0.010994 0.009673 0.008548 0.007595 0.006781 0.006069 0.005428
0.004844 0.004323 0.003876 0.003502 0.003193 0.002935 0.002717 0.002531 0.002368 0.002225
"""


def figures(text):
    return np.array(text.split(), np.float64)


def weight(shape, scale, phase):
    return Tensor(scattered(shape, scale, phase))


def set_weights(layer, scale, phase):
    layer.weight.set_data(weight(layer.weight.shape, scale, phase))
    if layer.has_bias:
        layer.bias.set_data(weight(layer.bias.shape, 0.1, phase + 1))


class StripeNet(nn.Cell):
    """Two convolutions and a Dense layer."""

    def __init__(self):
        super().__init__()
        self.near = nn.Conv2d(1, 8, 3, has_bias=True)
        self.far = nn.Conv2d(8, 16, 3, has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.head = nn.Dense(144, 4)
        for layer, scale, phase in ((self.near, 0.5, 0.0), (self.far, 0.2, 2.0), (self.head, 0.1, 4.0)):
            set_weights(layer, scale, phase)

    def construct(self, images):
        images = self.pool(self.relu(self.near(images)))
        images = self.pool(self.relu(self.far(images)))
        return self.head(self.flatten(images))


WIDTH, HEADS, LENGTH, VOCABULARY = 32, 4, 16, 17


class Block(nn.Cell):
    """Attention over what came before, then two Dense layers, each beside a shortcut."""

    def __init__(self, phase):
        super().__init__()
        self.norm1 = nn.LayerNorm((WIDTH,), epsilon=1e-5)
        self.norm1.beta.set_data(weight((WIDTH,), 0.01, phase))
        self.qkv = Parameter(weight((3 * WIDTH, WIDTH), 0.2, phase + 1))
        self.proj = Parameter(weight((WIDTH, WIDTH), 0.2, phase + 2))
        self.norm2 = nn.LayerNorm((WIDTH,), epsilon=1e-5)
        self.norm2.beta.set_data(weight((WIDTH,), 0.01, phase + 3))
        self.up = Parameter(weight((4 * WIDTH, WIDTH), 0.2, phase + 4))
        self.up_bias = Parameter(weight((4 * WIDTH,), 0.01, phase + 5))
        self.down = Parameter(weight((WIDTH, 4 * WIDTH), 0.1, phase + 6))
        self.down_bias = Parameter(weight((WIDTH,), 0.01, phase + 7))
        self.mask = Tensor(np.triu(np.full((LENGTH, LENGTH), -1e9, np.float32), 1))

    def attention(self, x):
        size = WIDTH // HEADS
        parts = ops.matmul(x, self.qkv.T).reshape(-1, LENGTH, 3, HEADS, size).transpose(2, 0, 3, 1, 4)
        scores = ops.matmul(parts[0], parts[1].swapaxes(-1, -2)) / size**0.5 + self.mask
        mixed = ops.matmul(ops.softmax(scores, -1), parts[2])
        return ops.matmul(mixed.swapaxes(1, 2).reshape(-1, LENGTH, WIDTH), self.proj.T)

    def construct(self, x):
        x = x + self.attention(self.norm1(x))
        hidden = ops.gelu(ops.matmul(self.norm2(x), self.up.T) + self.up_bias, approximate="none")
        return x + ops.matmul(hidden, self.down.T) + self.down_bias


class LanguageNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.tokens = Parameter(weight((VOCABULARY, WIDTH), 0.5, 0.0))
        self.places = Parameter(weight((LENGTH, WIDTH), 0.1, 1.0))
        self.blocks = nn.SequentialCell([Block(10.0), Block(20.0)])
        self.head = Parameter(weight((VOCABULARY, WIDTH), 0.2, 99.0))

    def construct(self, tokens):
        x = ops.gather(self.tokens, tokens, 0) + self.places
        return ops.matmul(self.blocks(x), self.head.T).reshape(-1, VOCABULARY)


def train(net, optimizer, inputs, labels, steps):
    """The losses before each step."""
    inputs, labels = Tensor(inputs), Tensor(labels.reshape(-1))
    loss_function = nn.CrossEntropyLoss()
    net.set_train()

    def forward(inputs, labels):
        return loss_function(net(inputs), labels)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    losses = []
    for _ in range(steps):
        loss, gradients = step(inputs, labels)
        optimizer(gradients)
        losses.append(float(loss))
    return losses


def test_convolutions_follow_the_curve():
    net = StripeNet()
    losses = train(net, nn.SGD(net.trainable_params(), 0.05, momentum=0.9), *stripes(), 30)
    np.testing.assert_allclose(losses, figures(CONVOLUTION_CURVE), rtol=5e-3, atol=1e-4)
    assert losses[-1] < 0.001


def test_language_model_follows_the_curve():
    net = LanguageNet()
    losses = train(net, nn.Adam(net.trainable_params(), 3e-3), *successions(), 60)
    np.testing.assert_allclose(losses, figures(LANGUAGE_CURVE), rtol=5e-3, atol=1e-4)
    assert losses[-1] < 0.003
