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


def _rnn_tanh_grad(gate, hidden):
    return (hidden * (1 - np.tanh(gate) ** 2),), 0


def _rnn_relu_grad(gate, hidden):
    return (np.where(gate > 0, hidden, 0),), 0


def _gru_grad(from_input, from_state, before, hidden):
    reset, update = special.expit((from_input + from_state)[: 2 * before.size].reshape(2, -1))
    new_x, new_h = from_input[2 * before.size :], from_state[2 * before.size :]
    new = np.tanh(new_x + reset * new_h)
    of_new = hidden * (1 - update) * (1 - new**2)
    of_reset = of_new * new_h * reset * (1 - reset)
    of_update = hidden * (before - new) * update * (1 - update)
    gates = [np.concatenate([of_reset, of_update, last]) for last in (of_new, of_new * reset)]
    return gates, hidden * update


def _lstm_grad(gate, before, hidden, cell):
    accept, keep, new, show = np.split(gate, 4)
    accept, keep, show, new = special.expit(accept), special.expit(keep), special.expit(show), np.tanh(new)
    shown = np.tanh(keep * before + accept * new)
    of_cell = cell + hidden * show * (1 - shown**2)
    gradient = [
        of_cell * new * accept * (1 - accept),
        of_cell * before * keep * (1 - keep),
        of_cell * accept * (1 - new**2),
        hidden * shown * show * (1 - show),
    ]
    return np.concatenate(gradient), of_cell * keep


def recurrent_layer_grad(
    kind,
    gates,
    state_gates,
    before,
    cell,
    weight_hh,
    lengths,
    reverse,
    output_gradient,
    hidden_gradient,
    cell_gradient,
):
    """Gradients of the gates, of both shares for GRU, and of the state's tensors."""
    length, batch, _ = gates.shape
    found = [np.zeros_like(gates) for _ in range(2 if kind == "GRU" else 1)]
    hidden = np.array(hidden_gradient)
    cells = None if cell is None else np.array(cell_gradient)
    for b in range(batch):
        order = list(range(length if lengths is None else min(length, lengths[b])))
        if reverse:
            order.reverse()
        held = {}
        if kind == "LSTM":
            state = cell[b]
            for t in order:
                held[t] = state
                accept, keep, new, _ = np.split(gates[t, b], 4)
                state = special.expit(keep) * state + special.expit(accept) * np.tanh(new)
        for t in reversed(order):
            total = hidden[b] + output_gradient[t, b]
            if kind == "LSTM":
                gate, cells[b] = _lstm_grad(gates[t, b], held[t], total, cells[b])
                made, past = (gate,), 0
            elif kind == "GRU":
                made, past = _gru_grad(gates[t, b], state_gates[t, b], before[t, b], total)
            else:
                made, past = (_rnn_tanh_grad if kind == "RNNtanh" else _rnn_relu_grad)(gates[t, b], total)
            for each, gradient in zip(found, made, strict=True):
                each[t, b] = gradient
            hidden[b] = made[-1] @ weight_hh + past
    return (*found, hidden) if cells is None else (*found, hidden, cells)
