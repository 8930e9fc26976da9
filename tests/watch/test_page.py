"""The page of `dyad watch` in a real browser, without a window: it draws a run, and goes on as the run grows."""

import math

import pytest
from browser import Browser, find_browser

from dyad import Tensor, ops
from dyad.train.summary import SummaryRecord

pytestmark = pytest.mark.skipif(find_browser() is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def browser():
    with Browser() as browser:
        yield browser
        assert not browser.errors


def add_step(record, step):
    record.add_value("scalar", "loss/auto", Tensor(2.0 * math.exp(-step / 20) + 0.1 * (step % 3)))
    record.add_value("scalar", "learning_rate/auto", Tensor(0.1))
    record.add_value("scalar", "eval/accuracy", Tensor(step / 100))
    record.add_value("scalar", "time/step_ms", Tensor(5.0))
    record.add_value("scalar", "<b>own</b>", Tensor(float("nan") if step == 3 else 1.0))
    record.add_value("histogram", "dense.weight/auto", Tensor([0.1 * step, 0.2, 0.3, -0.4 * step]))
    record.add_value("image", "input_data/auto", ops.ones((2, 3, 4, 4)) * (step / 100))
    record.add_value("custom_lineage_data", "note", {"author": "<img src=x>"})
    record.record(step)


POINTS = "Number(document.querySelector('[data-chart={}] path.curve:not(.raw)')?.dataset.points || 0)"


def test_the_page_follows_a_run(browser, serve, tmp_path):
    server = serve(tmp_path)
    browser.open(server.url)
    browser.wait_for("!document.getElementById('empty').hidden")
    with SummaryRecord(str(tmp_path)) as record:
        for step in range(1, 11):
            add_step(record, step)
        browser.wait_for(POINTS.format("loss") + " === 10")
        before = browser.evaluate(
            "document.querySelector('[data-chart=loss] path.curve:not(.raw)').getAttribute('d')"
        )
        for step in range(11, 31):
            add_step(record, step)
        browser.wait_for(POINTS.format("loss") + " === 30")
    after = browser.evaluate(
        "document.querySelector('[data-chart=loss] path.curve:not(.raw)').getAttribute('d')"
    )
    assert after != before and after.count("L") == 29
    assert browser.evaluate("document.getElementById('empty').hidden")
    box = browser.evaluate(
        "(() => { const box = document.querySelector('[data-chart=loss] path.curve:not(.raw)').getBBox();"
        " return [box.width, box.height]; })()"
    )
    assert box[0] > 300 and box[1] > 100
    for chart in ("learning-rate", "time", '"scalar:eval/accuracy"', '"scalar:<b>own</b>"'):
        assert browser.evaluate(POINTS.format(chart)) == 30, chart
    assert browser.evaluate("document.querySelectorAll('path.ridge').length") == 22
    browser.wait_for("document.querySelector('.pictures img').naturalWidth === 8")
    assert browser.evaluate("document.querySelectorAll('main b, pre img').length") == 0  # texts stay texts


def test_controls_change_the_curves_of_the_page(browser, serve, tmp_path):
    for name in ("one", "two"):
        with SummaryRecord(str(tmp_path / name)) as record:
            for step in range(1, 41):
                add_step(record, step)
    browser.open(serve(tmp_path).url)
    curves = "document.querySelectorAll('[data-chart=loss] path.curve:not(.raw)').length"
    browser.wait_for(curves + " === 2")
    raw = "document.querySelectorAll('[data-chart=loss] path.raw').length"
    assert browser.evaluate(raw) == 2
    browser.evaluate(
        "(() => { const slider = document.getElementById('smoothing');"
        " slider.value = 0; slider.dispatchEvent(new Event('input')); })()"
    )
    assert browser.evaluate(raw) == 0
    shape = "document.querySelector('[data-chart=loss] path.curve').getAttribute('d')"
    linear = browser.evaluate(shape)
    browser.evaluate("document.querySelector('[data-chart=loss] header button').click()")
    assert browser.evaluate(shape) != linear
    browser.evaluate("document.querySelector('#runs button').click()")
    assert browser.evaluate(curves) == 1
    browser.evaluate("document.querySelector('[data-axis=time]').click()")
    assert (
        browser.evaluate("document.querySelector('[data-axis=time]').getAttribute('aria-pressed')") == "true"
    )
    browser.evaluate("document.querySelector('[data-axis=step]').click()")
    theme = browser.evaluate("document.documentElement.dataset.theme")
    browser.evaluate("document.getElementById('theme').click()")
    assert {theme, browser.evaluate("document.documentElement.dataset.theme")} == {"light", "dark"}


def test_hover_and_zoom(browser, serve, tmp_path):
    with SummaryRecord(str(tmp_path)) as record:
        for step in range(1, 101):
            add_step(record, step)
    browser.open(serve(tmp_path).url)
    browser.wait_for(POINTS.format("loss") + " === 100")
    left, top, width, height = browser.evaluate(
        "(() => { const r = document.querySelector('[data-chart=loss] svg.plot').getBoundingClientRect();"
        " return [r.left, r.top, r.width, r.height]; })()"
    )
    middle = top + height / 2
    browser.mouse("mouseMoved", left + width / 2, middle)
    text = browser.wait_for(
        "!document.getElementById('tooltip').hidden && document.getElementById('tooltip').textContent"
    )
    step = int(text.split("step ")[1].split(":")[0])
    assert 40 < step < 60 and "loss/auto" in text
    value = 2.0 * math.exp(-step / 20) + 0.1 * (step % 3)
    assert f"{value:.4f}"[:5] in text
    browser.mouse("mousePressed", left + width * 0.5, middle, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseMoved", left + width * 0.75, middle, button="left", buttons=1)
    browser.mouse("mouseReleased", left + width * 0.75, middle, button="left", clickCount=1)
    browser.wait_for("!document.getElementById('reset').hidden")
    low, high = browser.evaluate("view.range")
    assert 45 < low < 55 and 70 < high < 80
    browser.evaluate("document.getElementById('reset').click()")
    assert browser.evaluate("view.range") is None
