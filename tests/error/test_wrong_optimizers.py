"""Wrong optimisers, schedulers and gradients."""

import numpy as np
from wrong_program import NAMES, check, programs

from dyad import Tensor
from dyad.experimental import optim
from dyad.experimental.optim import lr_scheduler


def g(*shape):
    return Tensor(np.ones(shape or (2, 3), np.float32))


NAMES.update(g=g, optim=optim, schedulers=lr_scheduler)


@programs(
    (
        "nn.SGD([])",
        ValueError,
        "SGD: params is []. For 'Optimizer', the argument parameters must not be empty",
    ),
    ("nn.SGD(None)", ValueError, "SGD: params is None; need at least one Parameter"),
    ("nn.SGD(3)", TypeError, "SGD: params is of type int; need a list of Parameters"),
    ("nn.SGD(p())", TypeError, "SGD: params is of type Parameter; need a list of Parameters"),
    (
        "nn.SGD([ones(2)])",
        TypeError,
        "SGD: an element of params is of type Tensor; need only Parameters or only",
    ),
    ("nn.SGD([p(), {'params': [p('v')]}])", TypeError, "SGD: an element of params is of type dict"),
    ("nn.SGD([p(), p('w', 4)])", ValueError, "SGD: 'w' in params is the name of two different Parameters"),
    ("(lambda w: nn.SGD([w, w]))(p())", ValueError, "SGD: 'w' in params is given twice; need distinct"),
    (
        "(lambda w: nn.SGD([{'params': [w]}, {'params': [w]}]))(p())",
        RuntimeError,
        "SGD: 'w' in params is given twice",
    ),
    (
        "nn.SGD([{'params': [p()], 'lr': [0.1, 0.2, 0.3]}, {'params': [p('v')]}], [0.1, 0.2])",
        ValueError,
        "SGD: the groups have lists of 2, 3 learning rates; need one length",
    ),
    (
        "nn.SGD([{'params': [p()], 'rate': 1}])",
        KeyError,
        "SGD: a group in params has the key 'rate'; need one of",
    ),
    ("nn.SGD([{'lr': 0.1}])", KeyError, "SGD: a group in params has no key 'params'; every group needs one"),
    (
        "nn.SGD([{'params': []}])",
        ValueError,
        "SGD: params of a group is []. For 'Optimizer', the argument parameters must not be empty",
    ),
    (
        "nn.SGD([{'params': [1]}])",
        TypeError,
        "SGD: an element of a group's params is of type int; need a Parameter",
    ),
    (
        "nn.SGD([{'params': [p()], 'grad_centralization': 1}])",
        TypeError,
        "SGD: grad_centralization of a group is 1; need a bool",
    ),
    (
        "nn.SGD([{'params': [p()], 'weight_decay': -1.0}])",
        ValueError,
        "SGD: weight_decay is -1.0; need a number",
    ),
    (
        "nn.SGD([{'params': [p()], 'lr': -0.5}])",
        ValueError,
        "SGD: learning_rate is -0.5; need a number of at",
    ),
    (
        "nn.SGD([{'order_params': [p()]}])",
        ValueError,
        "SGD: params has only order_params; need at least one group",
    ),
    (
        "nn.SGD([{'params': [p()]}, {'order_params': [p(), p('v')]}])",
        ValueError,
        "SGD: order_params has 2 Parameters and the groups have 1; need the same Parameters",
    ),
    (
        "nn.SGD([{'params': [p()]}, {'order_params': [p('v')]}])",
        ValueError,
        "SGD: 'v' in order_params is in no group; need the same Parameters",
    ),
    (
        "nn.SGD([{'params': [p()]}, {'order_params': [p()], 'lr': 0.1}])",
        ValueError,
        "SGD: the group with order_params also has 'lr'; need no other key",
    ),
    (
        "nn.SGD([{'params': [p()]}, {'order_params': 1}])",
        TypeError,
        "SGD: order_params is of type int; need a list",
    ),
)
def test_wrong_params(program, error, text):
    check(program, error, text)


@programs(
    ("nn.SGD([p()], -0.1)", ValueError, "SGD: learning_rate is -0.1; need a number of at least 0"),
    ("nn.SGD([p()], float('nan'))", ValueError, "SGD: learning_rate is nan; need a number of at least 0"),
    (
        "nn.SGD([p()], True)",
        TypeError,
        "SGD: learning_rate is True of type bool; need a number, a Tensor, a list",
    ),
    ("nn.SGD([p()], 'fast')", TypeError, "SGD: learning_rate is 'fast' of type str; need a number, a Tensor"),
    ("nn.SGD([p()], [])", ValueError, "SGD: learning_rate is empty; need at least one rate"),
    (
        "nn.SGD([p()], [0.1, -0.2])",
        ValueError,
        "SGD: an entry of learning_rate is -0.2; need a number of at least 0",
    ),
    (
        "nn.SGD([p()], [0.1, 'a'])",
        TypeError,
        "SGD: an entry of learning_rate is 'a' of type str; need a number",
    ),
    (
        "nn.SGD([p()], ones(2, 2))",
        ValueError,
        "SGD: learning_rate has shape (2, 2); need a Tensor of 0 or 1 dimens",
    ),
    (
        "nn.SGD([p()], Tensor([0.1, -0.5]))",
        ValueError,
        "SGD: learning_rate has the entry -0.5; need finite rates of at least",
    ),
    ("nn.SGD([p()], momentum=-1)", ValueError, "SGD: momentum is -1; need a number of at least 0"),
    ("nn.SGD([p()], momentum='a')", TypeError, "SGD: momentum is 'a' of type str; need a number"),
    ("nn.SGD([p()], dampening=-0.1)", ValueError, "SGD: dampening is -0.1; need a number of at least 0"),
    ("nn.SGD([p()], nesterov=1)", TypeError, "SGD: nesterov is 1 of type int; need a bool"),
    (
        "nn.SGD([p()], nesterov=True)",
        ValueError,
        "SGD: nesterov is True with momentum 0.0 and dampening 0.0; need a",
    ),
    (
        "nn.SGD([p()], weight_decay=-0.1)",
        ValueError,
        "SGD: weight_decay is -0.1; need a number of at least 0",
    ),
    ("nn.SGD([p()], weight_decay='a')", TypeError, "SGD: weight_decay is 'a' of type str; need a number"),
    ("nn.SGD([p()], loss_scale=0)", ValueError, "SGD: loss_scale is 0; need a number above 0"),
    ("nn.Momentum([p()], 0.1, -0.9)", ValueError, "Momentum: momentum is -0.9; need a number of at least 0"),
    (
        "nn.Momentum([p()], 0.1, 0.9, use_nesterov='a')",
        TypeError,
        "Momentum: use_nesterov is 'a' of type str",
    ),
    ("nn.Adam([p()], beta1=1.0)", ValueError, "Adam: beta1 is 1.0; need a number in (0, 1)"),
    ("nn.Adam([p()], beta2=0)", ValueError, "Adam: beta2 is 0; need a number in (0, 1)"),
    ("nn.Adam([p()], eps=0)", ValueError, "Adam: eps is 0; need a number above 0"),
    (
        "nn.Adam([p()], use_fast=True)",
        KeyError,
        "Adam: unexpected keyword 'use_fast'; further ones are use_lazy",
    ),
    (
        "nn.Adam([p()], use_lazy=True, use_amsgrad=True)",
        ValueError,
        "there is no parameter named 'use_amsgrad'",
    ),
    (
        "nn.Adam([p()], use_lazy=True, use_offload=True)",
        ValueError,
        "For 'Adam', 'use_lazy' and 'use_offload' can not both be True",
    ),
    (
        "nn.AdamWeightDecay([p()], beta1=-1)",
        ValueError,
        "AdamWeightDecay: beta1 is -1; need a number in (0, 1)",
    ),
    ("nn.RMSProp([p()], epsilon=0.0)", ValueError, "RMSProp: epsilon is 0.0; need a float above 0"),
    ("nn.RMSProp([p()], centered=2)", TypeError, "RMSProp: centered is 2 of type int; need a bool"),
    ("nn.Adagrad([p()], accum=-1)", ValueError, "Adagrad: accum is -1; need a number of at least 0"),
    ("nn.FTRL([p()], lr_power=0.5)", ValueError, "FTRL: lr_power is 0.5; need a number of at most 0"),
    ("nn.FTRL([p()], learning_rate=0.0)", ValueError, "FTRL: learning_rate is 0.0; need a number above 0"),
    (
        "nn.ProximalAdagrad([p()], l1=-1)",
        ValueError,
        "ProximalAdagrad: l1 is -1; need a number of at least 0",
    ),
    ("nn.Adadelta([p()], rho=1.5)", ValueError, "Adadelta: rho is 1.5; need a number in [0, 1]"),
    ("nn.Rprop([p()], etas=(1.5, 1.2))", ValueError, "Rprop: etas[0] is 1.5; need a number in (0, 1)"),
    (
        "nn.Rprop([p()], etas=[0.5, 1.2])",
        TypeError,
        "Rprop: etas is of type list; need a tuple of two numbers",
    ),
    (
        "nn.Rprop([p()], step_sizes=(2.0, 1.0))",
        ValueError,
        "Rprop: step_sizes is (2.0, 1.0); need the smaller size",
    ),
    ("nn.ASGD([p()], alpha='a')", TypeError, "ASGD: alpha is 'a' of type str; need a float"),
    ("nn.ASGD([p()], t0=1)", TypeError, "ASGD: t0 is 1 of type int; need a float"),
    ("nn.RMSProp([p()], momentum=1)", TypeError, "RMSProp: momentum is 1 of type int; need a float"),
    ("nn.Lamb([p()], 0.1, beta2=2)", ValueError, "Lamb: beta2 is 2; need a number in (0, 1)"),
    ("nn.LARS(3)", TypeError, "LARS: optimizer is of type int; need an Optimizer"),
    ("nn.LARS(nn.SGD([p()]), lars_filter=1)", TypeError, "LARS: lars_filter is of type int; need a callable"),
    (
        "nn.AdaFactor([p()], 0.1)",
        ValueError,
        "AdaFactor: learning_rate is 0.1 with relative_step True; need a rate",
    ),
    ("nn.AdaFactor([p()], eps=(1, 2, 3))", ValueError, "AdaFactor: eps has 3 entries; need two"),
    (
        "nn.AdaFactor([p()], 0.1, relative_step=False, warmup_init=True)",
        ValueError,
        "AdaFactor: warmup_init is True without relative_step; it needs relative_step",
    ),
)
def test_wrong_settings(program, error, text):
    check(program, error, text)


@programs(
    (
        "o = nn.SGD([p()]); o.learning_rate.set_data(ones(2)); o((g(),))",
        ValueError,
        "SGD: learning_rates has shape (2,); need a Tensor of one number",
    ),
    ("nn.SGD([p()])((g(), g()))", ValueError, "SGD: got 2 gradients for 1 Parameters; need one for each"),
    (
        "nn.Adam([p(), p('v')])((g(),))",
        ValueError,
        "Adam: got 1 gradients for 2 Parameters; need one for each",
    ),
    (
        "nn.Momentum([p()], 0.1, 0.9)(())",
        ValueError,
        "Momentum: got 0 gradients for 1 Parameters; need one for each",
    ),
    ("nn.SGD([p()])(g(1, 2, 3))", TypeError, "SGD: gradients is of type Tensor; need a tuple of 1 Tensors"),
    ("nn.SGD([p()])(None)", TypeError, "SGD: gradients is of type NoneType; need a tuple of 1 Tensors"),
    ("nn.SGD([p()])((None,))", TypeError, "SGD: the gradient of 'w' is None; need a Tensor"),
    ("nn.SGD([p()])((1.0,))", TypeError, "SGD: the gradient of 'w' is of type float; need a Tensor"),
    (
        "nn.Lamb([p()], 0.1)((g(3),))",
        ValueError,
        "Lamb: the gradient of 'w' has shape (3,); need (2, 3), as the Par",
    ),
    (
        "nn.SGD([p()])((ints(2, 3),))",
        TypeError,
        "SGD: the gradient of 'w' has dtype Int64; need a float dtype",
    ),
    (
        "nn.SGD([Parameter(ints(2), 'n')])((g(2),))",
        TypeError,
        "SGD: the Parameter 'n' has dtype Int64; need a float dtype",
    ),
    (
        "nn.LARS(nn.SGD([p()]))((g(), g()))",
        ValueError,
        "LARS: got 2 gradients for 1 Parameters; need one for each",
    ),
    (
        "nn.SGD([{'params': [p()], 'grad_centralization': True}])((g(4),))",
        ValueError,
        "SGD: the gradient of 'w' has shape (4,); need (2, 3), as the Parameter",
    ),
    (
        "nn.AdaFactor([p()])((g(3),))",
        ValueError,
        "AdaFactor: the gradient of 'w' has shape (3,); need (2, 3)",
    ),
    (
        "nn.SGD([p()]).get_lr_parameter(p())",
        ValueError,
        "get_lr_parameter: 'w' is not in this SGD; need one of its",
    ),
    (
        "nn.SGD([p()]).get_lr_parameter(1)",
        TypeError,
        "get_lr_parameter: param is of type int; need a Parameter or a",
    ),
    (
        "setattr(nn.SGD([p()]), 'target', 'GPU')",
        ValueError,
        "SGD: target is 'GPU'; need 'CPU', where the program runs",
    ),
    ("setattr(nn.SGD([p()]), 'unique', 1)", TypeError, "SGD: unique is 1 of type int; need a bool"),
    (
        "nn.Optimizer(0.1, [p()])((g(),))",
        NotImplementedError,
        "Optimizer: construct is not defined; define it to make",
    ),
)
def test_wrong_gradients_and_uses(program, error, text):
    check(program, error, text)


@programs(
    (
        "optim.SGD([], 0.1)",
        ValueError,
        "SGD: params is []. For 'Optimizer', the argument parameters must not be empty",
    ),
    ("optim.SGD([p()], -0.1)", ValueError, "SGD: lr is -0.1; need a number of at least 0"),
    ("optim.SGD([p()], ones(2))", ValueError, "SGD: lr has shape (2,); need a number or a Tensor of one"),
    ("optim.SGD([{'lr': 1}], 0.1)", KeyError, "SGD: a group has no key 'params'; every group needs one"),
    (
        "optim.SGD([{'params': {p()}}], 0.1)",
        TypeError,
        "SGD: params of a group is a set, which has no order; need a",
    ),
    (
        "(lambda w: optim.SGD([w, w], 0.1))(p())",
        ValueError,
        "SGD: 'w' in params is given twice; need distinct",
    ),
    (
        "optim.SGD([p()], 0.1).add_param_group(p('v'))",
        TypeError,
        "SGD: a group is of type Parameter; need a dict",
    ),
    ("optim.Adam([p()], betas=(0.9,))", ValueError, "Adam: betas has 1 entries; need two"),
    ("optim.Adam([p()], betas=(0.9, 1.0))", ValueError, "Adam: betas[1] is 1.0; need a number in [0, 1)"),
    ("optim.AdamW([p()], amsgrad=1)", TypeError, "AdamW: amsgrad is 1 of type int; need a bool"),
    ("optim.Adagrad([p()], lr_decay=-1)", ValueError, "Adagrad: lr_decay is -1; need a number of at least 0"),
    (
        "optim.NAdam([p()], momentum_decay=-1)",
        ValueError,
        "NAdam: momentum_decay is -1; need a number of at least 0",
    ),
    ("optim.RMSprop([p()], alpha=-1)", ValueError, "RMSprop: alpha is -1; need a number of at least 0"),
    (
        "optim.Adam([p()])((g(), g()))",
        ValueError,
        "Adam: got 2 gradients for 1 Parameters; need one for each",
    ),
    ("optim.Adam([p()])(g())", TypeError, "Adam: gradients is of type Tensor; need a tuple of 1 Tensors"),
    ("optim.Optimizer([p()], {'lr': 0.1})((g(),))", AttributeError, "Optimizer: construct is not defined"),
    (
        "schedulers.StepLR(nn.SGD([p()]), 2)",
        TypeError,
        "StepLR: optimizer is of type SGD; need an Optimizer of experimental.optim",
    ),
    (
        "schedulers.StepLR(optim.SGD([p()], 0.1), 0)",
        ValueError,
        "StepLR: step_size is 0; need an int of at least 1",
    ),
    (
        "schedulers.StepLR(optim.SGD([p()], 0.1), 2, 'a')",
        TypeError,
        "StepLR: gamma is 'a' of type str; need a number",
    ),
    (
        "schedulers.StepLR(optim.SGD([p()], 0.1), 2, last_epoch=3)",
        KeyError,
        "StepLR: last_epoch is 3 and group 0 has no 'initial_lr'",
    ),
    (
        "schedulers.LinearLR(optim.SGD([p()], 0.1), 0)",
        ValueError,
        "LinearLR: start_factor is 0; need a number in (0",
    ),
    (
        "schedulers.LambdaLR(optim.SGD([p()], 0.1), [abs, abs])",
        ValueError,
        "LambdaLR: lr_lambda has 2 functions and there are 1 groups; need one for each",
    ),
    (
        "schedulers.LambdaLR(optim.SGD([p()], 0.1), 3)",
        TypeError,
        "LambdaLR: lr_lambda is 3 of type int; need a funct",
    ),
    (
        "schedulers.PolynomialLR(optim.SGD([p()], 0.1), 2, -1)",
        ValueError,
        "PolynomialLR: power is -1; need a number",
    ),
    (
        "schedulers.CyclicLR(optim.SGD([p()], 0.1), 0.1, 1, mode='a')",
        ValueError,
        "CyclicLR: mode is 'a' without scal",
    ),
    (
        "schedulers.CyclicLR(optim.SGD([p()], 0.1), [1, 2], 1)",
        ValueError,
        "CyclicLR: base_lr has 2 entries and there",
    ),
    (
        "schedulers.CosineAnnealingWarmRestarts(optim.SGD([p()], 0.1), 2).step(-1)",
        ValueError,
        "CosineAnnealingWarmRestarts: epoch is -1; need a number of at least 0",
    ),
    (
        "schedulers.ReduceLROnPlateau(optim.SGD([p()], 0.1), 'mid')",
        ValueError,
        "ReduceLROnPlateau: mode is 'mid'; need",
    ),
    (
        "schedulers.ReduceLROnPlateau(optim.SGD([p()], 0.1), factor=1.0)",
        ValueError,
        "ReduceLROnPlateau: factor is 1.0",
    ),
    (
        "(lambda o: schedulers.SequentialLR(o, [schedulers.StepLR(o, 2)], [1]))(optim.SGD([p()], 0.1))",
        ValueError,
        "SequentialLR: there are 1 schedulers and 1 milestones; need one milestone less than schedulers",
    ),
)
def test_wrong_groups_and_schedulers(program, error, text):
    check(program, error, text)
