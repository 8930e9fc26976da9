"""Changes between the steps of a static graph reach the next one: weights, rates, modes, batches, forms."""

import numpy as np
import pytest
from step_forms import classified, perceptron, whole

import dyad
from dyad import Parameter, Tensor, jit, nn, ops

BATCHES = classified()


class Trainer:
    """A network, its optimizer and a step in some form."""

    def __init__(self, form, optimizer_of=lambda parameters: nn.Adam(parameters, 0.02), net=None):
        dyad.set_seed(4)
        self.net = perceptron(nn.BatchNorm1d(16), nn.Dropout(p=0.2)) if net is None else net
        self.loss_fn = nn.CrossEntropyLoss()
        self.optimizer = optimizer_of(self.net.trainable_params())
        self.gradients_of = dyad.value_and_grad(self.forward, None, self.optimizer.parameters, has_aux=True)
        self.plain = self.take
        self.run = form(self.take)
        dyad.set_seed(9)

    def forward(self, x, y):
        logits = self.net(x)
        return self.loss_fn(logits, y), logits

    def take(self, x, y):
        (loss, logits), gradients = self.gradients_of(x, y)
        self.optimizer(gradients)
        return loss, logits

    def state(self):
        held = [*self.net.get_parameters(), *self.optimizer.get_parameters()]
        return [parameter.asnumpy().copy() for parameter in held]


def same_in_both(history, **settings):
    """Runs it with a dynamic and a static Trainer; returns the compiled function."""
    dynamic, static = Trainer(lambda step: step, **settings), Trainer(whole, **settings)
    truth = history(dynamic)
    dyad.set_seed(9)
    np.testing.assert_equal(history(static), truth)
    np.testing.assert_equal(static.state(), dynamic.state())
    return static.run


def losses(trainer, batches):
    return [float(trainer.run(*batch)[0]) for batch in batches]


def test_weights_written_between_steps():
    def history(trainer):
        found = losses(trainer, BATCHES)
        weight = trainer.net[0].weight
        weight.set_data(Tensor(np.full(weight.shape, 0.1, np.float32)))
        found += losses(trainer, BATCHES)
        ops.assign(trainer.net[0].bias, ops.ones_like(trainer.net[0].bias))
        weight[0] = 0.5
        return found + losses(trainer, BATCHES)

    assert len(same_in_both(history).entries) == 1


def test_checkpoint_loaded_between_steps(tmp_path):
    def history(trainer):
        path = str(tmp_path / "kept.ckpt")
        dyad.save_checkpoint(trainer.net, path)
        found = losses(trainer, BATCHES)
        dyad.load_param_into_net(trainer.net, dyad.load_checkpoint(path))
        return found + losses(trainer, BATCHES)

    same_in_both(history)


@pytest.mark.parametrize("kind", [nn.Adam, nn.SGD])
def test_rate_of_the_optimizer_written_between_steps(kind):
    def history(trainer):
        found = losses(trainer, BATCHES)
        trainer.optimizer.learning_rate.set_data(Tensor(0.5))
        return found + losses(trainer, BATCHES)

    assert len(same_in_both(history, optimizer_of=lambda p: kind(p, learning_rate=0.01)).entries) == 1


def test_evaluation_between_steps():
    """Without training the dropout and the statistics rest; going back finds the first graph again."""

    def history(trainer):
        found = []
        evaluate = trainer.net
        for batch in BATCHES:
            found += losses(trainer, [batch])
            trainer.net.set_train(False)
            found.append(evaluate(batch[0]).asnumpy())
            trainer.net.set_train(True)
        return found

    assert len(same_in_both(history).entries) == 1


def test_step_of_a_network_that_does_not_train():
    def history(trainer):
        found = losses(trainer, BATCHES)
        trainer.net.set_train(False)
        found += losses(trainer, BATCHES)
        trainer.net.set_train(True)
        return found + losses(trainer, BATCHES)

    assert len(same_in_both(history).entries) == 2


def test_last_batch_is_smaller():
    smaller = [(x[:5], y[:5]) for x, y in BATCHES[:1]]

    def history(trainer):
        return losses(trainer, [*BATCHES, *smaller, *BATCHES, *smaller])

    assert len(same_in_both(history).entries) == 2


def test_forms_take_turns():
    """A dynamic step after a static one goes on where that ended."""
    dynamic, mixed = Trainer(lambda step: step), Trainer(whole)
    dyad.set_seed(9)
    truth = losses(dynamic, BATCHES * 2)
    dyad.set_seed(9)
    found = [
        float((mixed.run if number % 2 else mixed.plain)(*batch)[0])
        for number, batch in enumerate(BATCHES * 2)
    ]
    assert found == truth
    np.testing.assert_equal(mixed.state(), dynamic.state())


def test_results_of_a_step_stay_what_they_were():
    """The next step does not reuse the memory of a step's results."""
    trainer = Trainer(whole)
    given = [trainer.run(*batch) for batch in BATCHES]
    kept = [(loss.asnumpy().copy(), logits.asnumpy().copy()) for loss, logits in given]
    losses(trainer, BATCHES)
    np.testing.assert_equal([(loss.asnumpy(), logits.asnumpy()) for loss, logits in given], kept)


def test_old_values_of_a_parameter_stay():
    """A copy taken before a step, and a view of the weights, keep their meaning."""
    trainer = Trainer(whole)
    weight = trainer.net[0].weight
    before, view = weight.copy(), weight[0]
    old = before.asnumpy().copy()
    losses(trainer, BATCHES)
    np.testing.assert_array_equal(before.asnumpy(), old)
    np.testing.assert_array_equal(view.asnumpy(), weight.asnumpy()[0])
    assert not np.array_equal(weight.asnumpy(), old)


def test_gradient_around_a_static_step_sees_the_weights_it_used():
    """A loss recorded before a step is differentiated at the weights it was computed with."""
    weight = Parameter(Tensor([2.0, 3.0]), "w")
    optimizer = nn.SGD([weight], 0.5)

    @jit
    def update(gradient):
        optimizer((gradient,))
        return weight.sum()

    def forward(x):
        value = (weight * weight * x).sum()
        update(Tensor([1.0, 1.0]))
        return value

    found = dyad.grad(forward, None, weight)(Tensor([1.0, 1.0]))
    np.testing.assert_array_equal(found.asnumpy(), [4.0, 6.0])
    np.testing.assert_array_equal(weight.asnumpy(), [1.5, 2.5])


def test_step_fails_half_way_as_in_the_dynamic_graph():
    """An error after the update leaves the update done."""

    def history(form):
        trainer = Trainer(lambda step: step)

        def step(x, y):
            loss, _ = trainer.take(x, y)
            if loss < 100.0:
                raise ValueError("stop here")
            return loss

        run = form(step)
        dyad.set_seed(9)
        with pytest.raises(ValueError, match="stop here"):
            run(*BATCHES[0])
        return trainer.state()

    np.testing.assert_equal(history(jit), history(lambda step: step))
