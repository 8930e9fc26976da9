"""The server of `dyad watch`, asked over HTTP while runs grow."""

import http.client
import json
import os

import numpy as np
import pytest

from dyad import Tensor
from dyad._src.observe.events.records import framed
from dyad.train.summary import SummaryRecord


def get(server, address, host=None):
    """(status, headers, content)."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    connection.request("GET", address, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    found = answer.status, answer.headers, answer.read()
    connection.close()
    return found


def updates(server, start=0):
    status, _, content = get(server, f"/updates?from={start}")
    assert status == 200
    return json.loads(content)


def record(folder, steps, first=1):
    """A run of these steps; returns the path of its file."""
    with SummaryRecord(str(folder)) as summary:
        for step in range(first, first + steps):
            summary.add_value("scalar", "loss/auto", Tensor(1.0 / step))
            summary.record(step)
    return summary.log_dir


def test_the_page_needs_nothing_else(serve, tmp_path):
    status, headers, content = get(serve(tmp_path), "/")
    text = content.decode()
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert "<title>dyad watch</title>" in text and "class Chart" in text and "--accent" in text
    outside = text.replace("http://www.w3.org/2000/svg", "")
    assert "http://" not in outside and "https://" not in outside and '<link rel="stylesheet"' not in outside
    assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_a_run_that_grows(serve, tmp_path):
    server = serve(tmp_path)
    assert updates(server)["values"] == [] and updates(server)["runs"] == []
    with SummaryRecord(str(tmp_path)) as summary:
        taken = 0
        for step in range(1, 4):
            summary.add_value("scalar", "loss/auto", Tensor(float(step)))
            summary.record(step)
            answer = updates(server, taken)
            assert [value[:4] for value in answer["values"]] == [[0, "scalar", "loss/auto", step]]
            assert answer["values"][0][5] == step and answer["next"] == step and not answer["more"]
            taken = answer["next"]
    assert updates(server)["runs"] == [tmp_path.name]
    assert len(updates(server)["values"]) == 3


def test_several_runs(serve, tmp_path):
    record(tmp_path / "b", 2)
    record(tmp_path / "a" / "first", 1)
    server = serve(tmp_path)
    answer = updates(server)
    assert answer["runs"] == [os.path.join("a", "first"), "b"]
    assert [value[0] for value in answer["values"]] == [0, 1, 1]
    record(tmp_path, 1)
    assert updates(server)["runs"][2] == tmp_path.name


def test_every_kind_of_value(serve, tmp_path):
    with SummaryRecord(str(tmp_path)) as summary:
        summary.add_value("scalar", "nan", Tensor(float("nan")))
        summary.add_value("scalar", "inf", Tensor(float("-inf")))
        summary.add_value("histogram", "weights", Tensor(np.arange(100.0)))
        summary.add_value("image", "inputs", Tensor(np.full((1, 1, 2, 2), 9, np.uint8)))
        summary.add_value("tensor", "not shown", Tensor([1.0]))
        summary.add_value("custom_lineage_data", "note", {"a": "</script>"})
        summary.record(1)
    server = serve(tmp_path)
    found = {tag: (kind, content) for _, kind, tag, _, _, content in updates(server)["values"]}
    assert found["nan"] == ("scalar", "NaN") and found["inf"] == ("scalar", "-Infinity")
    kind, (low, limits, counts) = found["weights"]
    assert kind == "histogram" and low == 0 and limits[-1] == 99 and sum(counts) == 100
    assert "not shown" not in found and "</script>" in found["note"][1]
    status, headers, content = get(server, f"/image/{found['inputs'][1]}")
    assert status == 200 and headers["Content-Type"] == "image/png" and content.startswith(b"\x89PNG")


def test_a_torn_record_is_read_when_it_is_whole(serve, tmp_path):
    with open(record(tmp_path, 3), "rb") as file:
        whole = file.read()
    folder = tmp_path / "torn"
    folder.mkdir()
    server = serve(folder)
    path = folder / "events.out.tfevents.1"
    seen = []
    for size in range(0, len(whole) + 1, 7):
        path.write_bytes(whole[:size])
        seen.append(updates(server)["next"])
        assert updates(server)["damage"] == []
    path.write_bytes(whole)
    assert updates(server)["next"] == 3
    assert seen == sorted(seen) and {0, 1, 2} <= set(seen)


def test_damage_ends_a_file_and_is_told(serve, tmp_path):
    path = record(tmp_path, 3)
    with open(path, "r+b") as file:
        file.seek(-6, os.SEEK_END)
        file.write(b"!")
    answer = updates(serve(tmp_path))
    assert answer["next"] == 2 and len(answer["damage"]) == 1 and "checksum" in answer["damage"][0]


def test_records_of_another_kind_are_passed_over(serve, tmp_path):
    with open(record(tmp_path, 1), "ab") as file:
        file.write(framed(b"\xff\xff no event") + framed(b"\x2a\x01\x0a"))
    (tmp_path / "events.out.tfevents.empty").write_bytes(b"")
    answer = updates(serve(tmp_path))
    assert answer["next"] == 1 and answer["damage"] == []


@pytest.mark.parametrize(
    "address",
    [
        "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/image/../../etc/passwd", "/image/0",
        "/image/-1", "/image/99999999999999", "/image/0x0", "/events.out.tfevents.1", "/updates/..", "/favicon.ico",
    ],
)  # fmt: skip
def test_no_other_address_is_answered(serve, tmp_path, address):
    (tmp_path / "events.out.tfevents.1").write_bytes(b"")
    status, _, content = get(serve(tmp_path), address)
    assert status == 404 and b"root:" not in content


def test_bad_questions(serve, tmp_path):
    server = serve(tmp_path)
    for start in ("-1", "x", "1e3", "9" * 30, "%C2%B2"):
        assert get(server, f"/updates?from={start}")[0] == 400
    assert get(server, "/", host="evil.example")[0] == 403
    assert get(server, "/", host=f"localhost:{server.server_address[1]}")[0] == 200
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    connection.request("POST", "/updates")
    assert connection.getresponse().status == 501
    connection.close()


def test_a_link_out_of_the_folder_is_not_followed(serve, tmp_path):
    record(tmp_path / "outside", 1)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "outside")
    assert updates(serve(tmp_path / "inside"))["runs"] == []
