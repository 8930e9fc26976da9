"""Small models of mindnlp in both forms. Arguments: names of models; without one, prints all names."""

from __future__ import annotations

import sys

import both_forms
import mindspore as ms
import numpy as np
from mindnlp import transformers
from mindspore import nn

VOCABULARY = 99
BATCH, LENGTH = 2, 7
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}

# The configuration, the model with a loss, and the sizes that make it small.
MODELS = {
    "bert": ("BertConfig", "BertForMaskedLM", {**SMALL, **NO_DROPOUT, "max_position_embeddings": 64}),
    "roberta": (
        "RobertaConfig",
        "RobertaForMaskedLM",
        {**SMALL, **NO_DROPOUT, "max_position_embeddings": 64},
    ),
    "gpt2": (
        "GPT2Config",
        "GPT2LMHeadModel",
        {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "bos_token_id": 1, "eos_token_id": 2},
    ),
    "llama": ("LlamaConfig", "LlamaForCausalLM", {**SMALL, "max_position_embeddings": 64}),
    "t5": (
        "T5Config",
        "T5ForConditionalGeneration",
        {"d_model": 32, "d_ff": 37, "d_kv": 8, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0},
    ),
}
GENERATING = ("gpt2", "llama", "t5")


def ids(seed):
    """Random word ids, without special ones."""
    return ms.Tensor(np.random.default_rng(seed).integers(5, VOCABULARY, (BATCH, LENGTH)), ms.int64)


class Logits(nn.Cell):
    """The logits of a model."""

    def __init__(self, model, decodes):
        super().__init__(auto_prefix=False)
        self.model = model
        self.decodes = decodes

    def construct(self, words, labels):
        """Logits for words. A decoding model reads the labels."""
        if self.decodes:
            return self.model(input_ids=words, decoder_input_ids=labels, return_dict=False)[0]
        return self.model(input_ids=words, return_dict=False)[0]


class Loss(nn.Cell):
    """The loss of a model."""

    def __init__(self, model):
        super().__init__(auto_prefix=False)
        self.model = model

    def construct(self, words, labels):
        """The loss of labels for words."""
        return self.model(input_ids=words, labels=labels, return_dict=False)[0]


def make(name):
    """The small model of that name."""
    configuration, model, sizes = MODELS[name]
    ms.set_seed(1)
    return getattr(transformers, model)(getattr(transformers, configuration)(vocab_size=VOCABULARY, **sizes))


def generate(model):
    """Generates five words per sequence by greedy decoding."""
    model.set_train(False)
    made = model.generate(ids(0), max_new_tokens=5, do_sample=False)
    if made.shape[0] != BATCH or made.shape[1] < 2:
        raise AssertionError(f"generated shape {made.shape}")


def check(name):
    """Prints the row of one model."""
    report = both_forms.Report(name)
    model = report.run("created", lambda: make(name))
    if model is not None:
        inputs = (ids(0), ids(1))
        both_forms.check(report, Logits(model, name == "t5"), inputs, Loss(model), inputs)
        if name in GENERATING:
            report.run("generates", lambda: generate(model))
    report.print()


if __name__ == "__main__":
    if sys.argv[1:]:
        for given in sys.argv[1:]:
            check(given)
    else:
        print(*MODELS, sep="\n")
