"""NumPy statements of the losses."""

import numpy as np


def reduction(loss, how):
    return {"none": lambda: loss, "mean": lambda: np.mean(loss), "sum": lambda: np.sum(loss)}[how]()


def log_softmax(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def smooth_l1(x, y, beta):
    distance = np.abs(x - y)
    if beta == 0:
        return distance
    return np.where(distance < beta, distance**2 / (2 * beta), distance - beta / 2)


def binary_cross_entropy(p, y):
    with np.errstate(divide="ignore"):
        return -(y * np.maximum(np.log(p), -100) + (1 - y) * np.maximum(np.log(1 - p), -100))


def cross_entropy_with_logits(x, y, weight, positive):
    positive = 1 if positive is None else positive
    weight = 1 if weight is None else weight
    return weight * (positive * y * np.logaddexp(0, -x) + (1 - y) * np.logaddexp(0, x))


def kl_div(x, y, how):
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.where(y > 0, y * (np.log(y) - x), 0)
    return loss.sum() / len(x) if how == "batchmean" else reduction(loss, how)


def nll_loss(log_p, target, weight, ignored, how, smoothing):
    axis = 0 if log_p.ndim == 1 else 1
    classes = log_p.shape[axis]
    weight = np.ones(classes) if weight is None else weight
    rows = np.moveaxis(log_p, axis, -1).reshape(-1, classes)
    losses, weights = [], []
    for row, label in zip(rows, target.reshape(-1), strict=True):
        if label == ignored:
            losses.append(0.0)
            weights.append(0.0)
            continue
        spread = -(row * weight).sum() / classes
        losses.append(-(1 - smoothing) * weight[label] * row[label] + smoothing * spread)
        weights.append(weight[label])
    losses = np.array(losses).reshape(target.shape)
    return losses.sum() / np.sum(weights) if how == "mean" else reduction(losses, how)


def cross_entropy(x, target, weight, ignored, how, smoothing):
    axis = 0 if x.ndim == 1 else 1
    log_p = log_softmax(x, axis)
    if np.issubdtype(target.dtype, np.integer):
        return nll_loss(log_p, target, weight, ignored, how, smoothing)
    classes = x.shape[axis]
    spread = target * (1 - smoothing) + smoothing / classes
    weight = np.ones(classes) if weight is None else weight
    return reduction(-np.moveaxis(spread * log_p, axis, -1).dot(weight), how)


def class_loss(x, target, weight, ignored, how, smoothing, normalize):
    """Loss, logarithm of the sum of exponentials per position, and the weight that counted."""
    axis = 0 if x.ndim == 1 else 1
    log_p = log_softmax(x, axis) if normalize else x
    total = np.ones(x.shape[axis]) if weight is None else weight
    counted = target.reshape(-1)[target.reshape(-1) != ignored]
    log_sum = np.take(x - log_p, 0, axis)
    return nll_loss(log_p, target, weight, ignored, how, smoothing), log_sum, total[counted].sum()


def class_loss_grad(gradient, x, target, weight, ignored, how, smoothing, normalize):
    weight = np.ones(x.shape[1]) if weight is None else weight
    out = np.zeros_like(x)
    counted = target != ignored
    for i in np.flatnonzero(counted):
        wanted = smoothing / x.shape[1] * weight
        wanted[target[i]] += (1 - smoothing) * weight[target[i]]
        share = np.exp(log_softmax(x[i], 0)) * wanted.sum() if normalize else 0
        arrived = gradient[i] if how == "none" else gradient
        out[i] = arrived * (share - wanted) / (weight[target[counted]].sum() if how == "mean" else 1)
    return out


def distribution_loss(x, target):
    axis = 0 if x.ndim == 1 else 1
    log_p = log_softmax(x, axis)
    return -(log_p * target).sum(axis), np.take(x - log_p, 0, axis)


def multi_margin(x, target, p, margin, weight):
    losses = []
    for row, label in zip(x, target, strict=True):
        hinge = np.maximum(0, margin - row[label] + row) ** p * (1 if weight is None else weight[label])
        losses.append((hinge.sum() - hinge[label]) / len(row))
    return np.array(losses)


def cosine_embedding(a, b, target, margin):
    cosine = (a * b).sum(1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-8)
    return np.where(target == 1, 1 - cosine, np.maximum(0, cosine - margin))


def triplet_margin(anchor, positive, negative, margin, p, eps, swap):
    def distance(a, b):
        return (np.abs(a - b + eps) ** p).sum(-1) ** (1 / p)

    away = distance(anchor, negative)
    if swap:
        away = np.minimum(away, distance(positive, negative))
    return np.maximum(0, distance(anchor, positive) - away + margin)


def cdist(a, b, p):
    difference = np.abs(a[..., :, None, :] - b[..., None, :, :])
    if p == 0:
        return (difference != 0).sum(-1).astype(a.dtype)
    if p == np.inf:
        return difference.max(-1)
    return (difference**p).sum(-1) ** (1 / p)


def multilabel_margin(input, target):
    scores, labels = np.atleast_2d(input), np.atleast_2d(target)
    losses = []
    for row, given in zip(scores, labels, strict=True):
        ends = np.flatnonzero(given < 0)
        chosen = given[: ends[0]] if ends.size else given
        others = [c for c in range(row.size) if c not in chosen]
        losses.append(sum(max(0.0, 1 - (row[y] - row[c])) for y in chosen for c in others) / row.size)
    out = np.array(losses, input.dtype)
    return out if input.ndim == 2 else out.reshape(())


def multilabel_classes(target):
    marks = np.zeros_like(target)
    for row, out in zip(np.atleast_2d(target), np.atleast_2d(marks), strict=True):
        for label in row:
            if label < 0:
                break
            out[label] = 1
    return marks


def _state_sums(log_p, labels, blank, merge=True):
    """Σ over all alignments by trying every path; (time, classes) of one sequence."""
    states = [blank]
    for label in labels:
        states += [label, blank]
    totals = {0: np.exp(log_p[0, states[0]])}
    if len(states) > 1:
        totals[1] = np.exp(log_p[0, states[1]])
    table = [totals]
    for row in log_p[1:]:
        now = {}
        for s, label in enumerate(states):
            sources = [s - 1] + ([s] if merge or s % 2 == 0 else [])
            if s % 2 and s >= 2 and not (merge and states[s - 2] == label):
                sources.append(s - 2)
            now[s] = sum(table[-1].get(source, 0.0) for source in sources) * np.exp(row[label])
        table.append(now)
    return states, table


def _sequences(log_probs, targets, input_lengths, target_lengths):
    offsets = np.concatenate([[0], np.cumsum(target_lengths)])
    for n, (steps, count) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        labels = targets[n][:count] if targets.ndim == 2 else targets[offsets[n] : offsets[n] + count]
        yield n, log_probs[:steps, n], labels


def ctc_losses(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, merge=True):
    time, batch, _ = log_probs.shape
    losses = np.zeros(batch)
    alpha = np.full((batch, time, 2 * targets.shape[-1] + 1), -np.inf)
    with np.errstate(divide="ignore"):
        for n, log_p, labels in _sequences(log_probs, targets, input_lengths, target_lengths):
            if not len(log_p):
                losses[n] = 0.0 if not len(labels) else np.inf
                continue
            states, table = _state_sums(log_p, labels, blank, merge)
            for t, row in enumerate(table):
                for s, value in row.items():
                    alpha[n, t, s] = np.log(value)
            losses[n] = -np.log(
                sum(table[-1].get(s, 0.0) for s in {len(states) - 1, max(len(states) - 2, 0)})
            )
    return np.where(zero_infinity & np.isinf(losses), 0.0, losses), alpha


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, how, zero_infinity):
    losses, alpha = ctc_losses(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    if how == "mean":
        losses = losses / np.maximum(target_lengths, 1)
    return reduction(losses, how), alpha


def ctc_losses_grad(gradient, log_probs, targets, input_lengths, target_lengths, blank, merge=True):
    """By central differences, one log-probability at a time."""
    out = np.zeros_like(log_probs)
    wide = log_probs.astype(np.float64)
    for at in np.ndindex(*wide.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = wide.copy()
            moved[at] += step
            ends.append(ctc_losses(moved, targets, input_lengths, target_lengths, blank, False, merge)[0])
        with np.errstate(invalid="ignore"):
            slopes = ends[0] - ends[1]
        out[at] = np.sum(gradient * np.where(np.isinf(ends[0]), 0.0, slopes) / 2e-6)
    return out


def ctc_label_rows(indices, values, batch, classes, collapse):
    """Labels of each sequence without repetitions and without the blanks after them, and how many there are."""
    rows, before = [[] for _ in range(batch)], [-1] * batch
    for (n, _), label in zip(indices.tolist(), values.tolist(), strict=True):
        if label != classes - 1 and not (collapse and before[n] == label):
            rows[n].append(label)
        before[n] = label
    padded = np.zeros((batch, len(values)), np.int64)
    for row, found in zip(padded, rows, strict=True):
        row[: len(found)] = found
    return padded, np.array([len(row) for row in rows])


def aligned_ctc_loss(x, indices, values, steps, collapse, merge):
    rows, counts = ctc_label_rows(indices, values, x.shape[1], x.shape[2], collapse)
    wide = x.astype(np.float64)
    log_p = wide - np.log(np.exp(wide).sum(-1, keepdims=True))
    blank = x.shape[2] - 1
    losses = ctc_losses(log_p, rows, steps, counts, blank, False, merge)[0]
    by_log = ctc_losses_grad(np.ones_like(losses), log_p, rows, steps, counts, blank, merge)
    return losses, by_log - np.exp(log_p) * by_log.sum(-1, keepdims=True)
