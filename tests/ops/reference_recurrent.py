"""Recurrent layers in NumPy, one sequence and one step at a time."""

import numpy as np
from scipy import special


def _rnn_tanh(from_input, from_state, state):
    return (np.tanh(from_input + from_state),)


def _rnn_relu(from_input, from_state, state):
    return (np.maximum(from_input + from_state, 0),)


def _gru(from_input, from_state, state):
    reset_x, update_x, new_x = np.split(from_input, 3)
    reset_h, update_h, new_h = np.split(from_state, 3)
    update = special.expit(update_x + update_h)
    new = np.tanh(new_x + special.expit(reset_x + reset_h) * new_h)
    return ((1 - update) * new + update * state[0],)


def _lstm(from_input, from_state, state):
    accept, keep, new, show = np.split(from_input + from_state, 4)
    cell = special.expit(keep) * state[1] + special.expit(accept) * np.tanh(new)
    return special.expit(show) * np.tanh(cell), cell


STEPS = {"RNNtanh": _rnn_tanh, "RNNrelu": _rnn_relu, "GRU": _gru, "LSTM": _lstm}


def recurrent_layer(kind, x, states, weight_ih, weight_hh, bias_ih, bias_hh, lengths, reverse):
    length, batch, _ = x.shape
    bias_ih = 0 if bias_ih is None else bias_ih
    bias_hh = 0 if bias_hh is None else bias_hh
    output = np.zeros((length, batch, weight_hh.shape[1]), x.dtype)
    finals = [np.array(state) for state in states]
    for b in range(batch):
        state = tuple(initial[b] for initial in states)
        order = range(length if lengths is None else min(length, lengths[b]))
        for t in reversed(order) if reverse else order:
            state = STEPS[kind](x[t, b] @ weight_ih.T + bias_ih, state[0] @ weight_hh.T + bias_hh, state)
            output[t, b] = state[0]
        for final, value in zip(finals, state, strict=True):
            final[b] = value
    return output, *finals
