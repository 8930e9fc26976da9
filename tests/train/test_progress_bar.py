"""`ProgressBar`: the line it shows, where it shows it, and with tqdm where that is installed."""

import io
import re
import sys
import types

import pytest
from model_runs import Batches, make_model

from dyad.train import ProgressBar
from dyad.train.callback._progress_bar import PlainBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)


def last_states(text):
    """Final text of each line."""
    return [line.rpartition("\r")[2] for line in text.split("\n")[:-1]]


def test_a_line_for_each_epoch(without_tqdm):
    shown = Terminal()
    make_model().train(2, Batches(), ProgressBar(file=shown))
    lines = last_states(shown.getvalue())
    assert len(lines) == 2
    for number, line in enumerate(lines, 1):
        assert re.fullmatch(rf"epoch {number}/2 \[#{{24}}\] 3/3 [\d.]+ steps/s loss \S+ *", line)


def test_every_step_is_shown_if_there_is_time(without_tqdm):
    shown = Terminal()
    make_model().train(4, Batches(), ProgressBar(file=shown, interval=1e-9), initial_epoch=3)
    assert re.findall(r"epoch 4/4 \[(#*)\.*\] (\d)/3", shown.getvalue()) == [
        ("#" * 8, "1"),
        ("#" * 16, "2"),
        ("#" * 24, "3"),
        ("#" * 24, "3"),
    ]


def test_evaluation_has_a_line_of_its_own(without_tqdm):
    shown = Terminal()
    make_model(metrics={"loss"}).fit(1, Batches(), Batches(), callbacks=ProgressBar(file=shown))
    trained, evaluated = last_states(shown.getvalue())
    assert trained.startswith("epoch 1/1 [") and "3/3" in trained
    assert re.fullmatch(r"evaluation \[#{24}\] 3/3 [\d.]+ steps/s loss \S+ *", evaluated)


def test_a_shorter_line_covers_a_longer_one(without_tqdm):
    shown = Terminal()
    bar = PlainBar(2, "epoch", shown)
    for text in ("a longer text", "short"):
        bar.set_postfix_str(text)
    longer, shorter = shown.getvalue().split("\r")[1:]
    assert len(longer) == len(shorter) and shorter.rstrip().endswith("short")


@pytest.mark.parametrize("show, lines", [(None, 0), (True, 1), (False, 0)])
def test_a_file_is_written_to_if_asked(without_tqdm, show, lines):
    file = io.StringIO()
    make_model().train(1, Batches(), ProgressBar(show, file))
    assert len(last_states(file.getvalue())) == lines


def test_standard_output_is_not_a_terminal_here(capsys):
    make_model().train(1, Batches(), ProgressBar())
    assert capsys.readouterr().out == ""


def test_an_error_ends_the_line(without_tqdm):
    shown = Terminal()
    with pytest.raises(ValueError, match="a batch has 1 columns"):
        make_model().train(1, [([[1.0] * 4], [[1.0]]), ([[1.0] * 4],)], ProgressBar(file=shown))
    assert shown.getvalue().endswith("\n") and "1/2" in shown.getvalue()


def test_tqdm_is_used_where_it_is_installed(monkeypatch):
    bars = []

    class Bar:
        def __init__(self, **settings):
            self.settings, self.done, self.texts, self.closed = settings, 0, [], False
            bars.append(self)

        def update(self, steps):
            self.done += steps

        def set_postfix_str(self, text):
            self.texts.append(text)

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    make_model().train(2, Batches(), ProgressBar(show=True))
    assert [bar.settings["desc"] for bar in bars] == ["epoch 1/2", "epoch 2/2"]
    assert all(bar.done == bar.settings["total"] == 3 and bar.closed for bar in bars)
    assert bars[0].texts[-1].startswith("loss ")


def test_wrong_use_is_named():
    with pytest.raises(ValueError, match="interval is 0; need a number above 0"):
        ProgressBar(interval=0)
