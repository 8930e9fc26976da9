"""`dyad.profiler`: which steps are recorded, and what is written of them."""

import csv
import json
import os
import subprocess
import sys

import pytest

import dyad
from dyad import Tensor, nn, ops, profiler
from dyad.profiler import mstx, schedule, tensorboard_trace_handler
from dyad.profiler.profiler import analyse
from dyad.profiler.schedule import ProfilerAction
from dyad.train import Model

NONE, WARM_UP, RECORD, SAVE = ProfilerAction


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def said(monkeypatch):
    """The messages that are logged."""
    messages = []
    monkeypatch.setattr(dyad.log, "warning", lambda text, *args: messages.append(text % args))
    return messages


def work():
    return ops.cumsum(ops.matmul(ops.ones((4, 8)), ops.ones((8, 2))), 0)


def recordings(path):
    return sorted(path.iterdir()) if path.exists() else []


def events(folder):
    return json.loads((folder / "trace_view.json").read_text())["traceEvents"]


def names(folder, category):
    return [event["name"] for event in events(folder) if event["cat"] == category]


def table(folder, name):
    with open(folder / name, newline="") as file:
        return list(csv.DictReader(file))


class TestSchedule:
    def test_a_schedule_repeats_its_rounds(self):
        plan = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
        one = [NONE, WARM_UP, RECORD, SAVE]
        assert [plan(step) for step in range(11)] == [NONE, *one, *one, NONE, NONE]

    def test_without_an_end(self):
        plan = schedule(wait=0, active=1)
        assert {plan(step) for step in range(20)} == {SAVE}

    def test_wrong_numbers(self):
        with pytest.raises(ValueError, match="schedule: active is 0; need an int of at least 1"):
            schedule(wait=0, active=0)
        with pytest.raises(TypeError, match="schedule: wait is '1'"):
            schedule(wait="1", active=1)
        with pytest.raises(ValueError, match="schedule: step is -1"):
            schedule(wait=0, active=1)(-1)


class TestProfile:
    def test_it_records_what_runs_inside(self, tmp_path):
        work()
        with profiler.profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path / "out"))):
            work()
            work()
        work()
        (folder,) = recordings(tmp_path / "out")
        assert names(folder, "kernel").count("matmul") == 2
        assert names(folder, "step") == []

    @pytest.mark.cpu("code is generated for the CPU alone")
    def test_kernels_of_a_graph(self, tmp_path):
        step = dyad.jit(lambda x: ops.exp(ops.tanh(x) * 2.0))
        step(ops.ones((64, 64)))
        with profiler.profile():
            step(ops.ones((64, 64)))
        (folder,) = recordings(tmp_path / "data")
        done = [event["args"]["operators"] for event in events(folder)]
        assert "tanh mul exp" in done

    def test_the_schedule_chooses_steps(self, tmp_path):
        handler = tensorboard_trace_handler(str(tmp_path / "out"), worker_name="me")
        plan = schedule(wait=1, warmup=1, active=2, repeat=2)
        with profiler.profile(schedule=plan, on_trace_ready=handler) as made:
            for step in range(10):
                for _ in range(step):
                    work()
                made.step()
        first, second = recordings(tmp_path / "out")
        assert first.name.startswith("me_")
        assert names(first, "step") == ["ProfilerStep#2", "ProfilerStep#3"]
        assert names(first, "kernel").count("matmul") == 2 + 3
        assert names(second, "step") == ["ProfilerStep#6", "ProfilerStep#7"]
        assert names(second, "kernel").count("matmul") == 6 + 7

    def test_a_recording_has_tables_of_kernels_and_steps(self, tmp_path):
        with profiler.profile(schedule=schedule(wait=0, active=3, repeat=1)) as made:
            for step in range(3):
                for _ in range(step + 1):
                    work()
                made.step()
        (folder,) = recordings(tmp_path / "data")
        products = [row for row in table(folder, "kernel_details.csv") if row["Name"] == "matmul"]
        assert [row["Step ID"] for row in products] == ["0", "1", "1", "2", "2", "2"]
        assert products[0]["Operands"] == "Float32 (4, 8), Float32 (8, 2) -> Float32 (4, 2)"
        assert products[0]["Line"].startswith(f"{__file__}:")
        (product,) = [row for row in table(folder, "op_statistic.csv") if row["Name"] == "matmul"]
        assert int(product["Count"]) == 6
        spent = [float(row["Duration(us)"]) for row in products]
        assert float(product["Total Time(us)"]) == pytest.approx(sum(spent))
        assert float(product["Max Time(us)"]) == max(spent)
        for step, row in enumerate(table(folder, "step_trace_time.csv")):
            assert int(row["Step"]) == step
            assert 0 < float(row["Computing(us)"]) <= float(row["Stage(us)"])

    def test_steps_without_a_schedule(self, tmp_path):
        made = profiler.profile(start_profile=False)
        made.start()
        work()
        made.step()
        made.stop()
        (folder,) = recordings(tmp_path / "data")
        assert names(folder, "step") == ["ProfilerStep#0", "ProfilerStep#1"]

    def test_a_handler_of_a_program(self, tmp_path):
        seen = []

        def handle(made):
            seen.append(made.step_num)
            made.analyse()

        with profiler.profile(schedule=schedule(wait=1, active=1), on_trace_ready=handle) as made:
            for _ in range(4):
                work()
                made.step()
        assert seen == [2, 4]
        assert len(recordings(tmp_path / "data")) == 2

    def test_an_exception_ends_the_recording(self, tmp_path):
        with pytest.raises(KeyError), profiler.profile():
            work()
            raise KeyError("inside")
        (folder,) = recordings(tmp_path / "data")
        assert "matmul" in names(folder, "kernel")
        with profiler.profile():
            work()

    def test_one_at_a_time(self):
        with (
            profiler.profile(),
            pytest.raises(RuntimeError, match="another profile is under way; stop it before"),
        ):
            profiler.profile()

    def test_metadata_is_written_as_json(self, tmp_path):
        with profiler.profile() as made:
            made.add_metadata("run", "seven")
            made.add_metadata_json("sizes", "[1, 2]")
        (folder,) = recordings(tmp_path / "data")
        assert json.loads((folder / "profiler_metadata.json").read_text()) == {
            "run": "seven",
            "sizes": [1, 2],
        }
        with pytest.raises(TypeError, match="add_metadata: value is of type int"):
            made.add_metadata("run", 7)

    def test_calls_at_the_wrong_time_are_logged(self, said):
        made = profiler.profile(start_profile=False)
        made.stop()
        made.step()
        made.start()
        made.start()
        made.stop()
        made.analyse()
        assert [message.split(",")[0] for message in said] == [
            "profiler: stop is called",
            "profiler: step is called",
            "profiler: start is called",
            "profiler: nothing is left to analyse; it was written already",
        ]

    def test_options_of_other_devices_are_taken(self, said):
        level, metrics = profiler.ProfilerLevel.Level1, profiler.AicoreMetrics.PipeUtilization
        config = profiler._ExperimentalConfig(profiler_level=level, aic_metrics=metrics)
        with profiler.profile(activities=[profiler.ProfilerActivity.NPU], experimental_config=config):
            work()
        assert any("aic_metrics has no effect: it is measured on another device" in text for text in said)
        assert not any("record_shapes" in text for text in said)

    @pytest.mark.parametrize(
        "options, text",
        [
            ({"schedule": 3}, "schedule is of type int; need a callable"),
            ({"on_trace_ready": "data"}, "on_trace_ready is of type str"),
            ({"experimental_config": {}}, "experimental_config is of type dict"),
        ],
    )
    def test_wrong_options(self, options, text):
        with pytest.raises(TypeError, match=text):
            profiler.profile(**options)
        with profiler.profile():
            work()


class TestProfiler:
    def test_it_writes_when_it_analyses(self, tmp_path):
        made = dyad.Profiler(output_path=str(tmp_path / "out"), profile_communication=False)
        work()
        made.stop()
        assert recordings(tmp_path / "out") == []
        made.analyse()
        (folder,) = recordings(tmp_path / "out")
        assert [row["Name"] for row in table(folder, "op_statistic.csv")].count("matmul") == 1

    def test_analyse_stops(self, tmp_path):
        made = profiler.Profiler()
        work()
        made.analyse()
        work()
        (folder,) = recordings(tmp_path / "data")
        assert names(folder, "kernel").count("matmul") == 1

    def test_unknown_options(self):
        with pytest.raises(TypeError, match="there is no option 'output_dir'; nearest is"):
            profiler.Profiler(output_dir="x")


class TestAnalyse:
    def test_tables_of_chosen_steps_are_made_later(self, tmp_path):
        handler = tensorboard_trace_handler(str(tmp_path / "out"), analyse_flag=False)
        with profiler.profile(schedule=schedule(wait=0, active=2), on_trace_ready=handler) as made:
            for _ in range(4):
                work()
                made.step()
        folders = recordings(tmp_path / "out")
        assert not list(tmp_path.glob("out/*/*.csv"))
        analyse(str(tmp_path / "out"), step_list=[1, 2])
        rows = [table(folder, "step_trace_time.csv") for folder in folders]
        assert [[row["Step"] for row in part] for part in rows[:2]] == [["1"], ["2"]]
        profiler.Profiler.offline_analyse(str(folders[0]))
        assert len(table(folders[0], "step_trace_time.csv")) == 2

    def test_there_must_be_a_recording(self, tmp_path):
        with pytest.raises(ValueError, match="there is no recording at"):
            analyse(str(tmp_path / "nothing"))


class TestMarks:
    def recorded(self, tmp_path, **options):
        config = profiler._ExperimentalConfig(**options)
        with profiler.profile(experimental_config=config):
            outer = mstx.range_start("outer")
            mstx.mark("moment", domain="data")
            work()
            mstx.range_end(outer)
        folder = recordings(tmp_path / "data")[-1]
        return {event["name"]: event for event in events(folder)}

    def test_a_range_holds_the_kernels_inside(self, tmp_path):
        made = self.recorded(tmp_path, mstx=True)
        outer, product, moment = made["outer"], made["matmul"], made["moment"]
        assert outer["ts"] <= product["ts"]
        assert product["ts"] + product["dur"] <= outer["ts"] + outer["dur"]
        assert moment["dur"] == 0 and moment["cat"] == "mstx:data"

    def test_marks_are_filtered_by_domain(self, tmp_path):
        assert "moment" not in self.recorded(tmp_path, mstx=True, mstx_domain_exclude=["data"])
        assert "outer" not in self.recorded(tmp_path, mstx=True, mstx_domain_include=["data"])

    def test_nobody_listens(self, tmp_path):
        assert mstx.range_start("outer") == 0
        mstx.range_end(0)
        assert "moment" not in self.recorded(tmp_path)

    def test_a_mark_has_a_text(self):
        with pytest.raises(TypeError, match=r"mstx.mark: message is ''; need a text"):
            mstx.mark("")


class TestDynamicMonitor:
    def test_a_file_chooses_the_steps_of_a_loop(self, tmp_path):
        monitor = profiler.DynamicProfilerMonitor(str(tmp_path / "cfg"), str(tmp_path / "out"))
        config = tmp_path / "cfg" / "profiler_config.json"
        assert json.loads(config.read_text())["start_step"] == -1
        config.write_text(json.dumps({"start_step": 3, "stop_step": 4}))
        for _ in range(6):
            monitor.step()
            work()
        monitor.step()
        (folder,) = recordings(tmp_path / "out" / "rank0_start3_stop4")
        assert names(folder, "kernel").count("matmul") == 2

    def test_a_callback(self, tmp_path):
        (tmp_path / "profiler_config.json").write_text('{"start_step": 2, "stop_step": 3}')
        net = nn.Dense(3, 1)
        rows = [(Tensor([[1.0, 2.0, 3.0]]), Tensor([[1.0]]))] * 5
        model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        model.train(1, rows, profiler.DynamicProfilerMonitor(str(tmp_path), str(tmp_path / "out")))
        (folder,) = recordings(tmp_path / "out" / "rank0_start2_stop3")
        assert names(folder, "kernel")

    def test_a_broken_file_is_logged(self, tmp_path, said):
        (tmp_path / "profiler_config.json").write_text("{")
        profiler.DynamicProfilerMonitor(str(tmp_path)).step()
        assert "cannot be read" in said[0]


def test_what_was_recorded_of_an_operator():
    recorder = profiler.Profiler()
    work()
    work()
    recorder.stop()
    report = json.loads(recorder.op_analyse(["MatMul", "cumsum"]))
    assert report["device_id"] == 0
    [entry] = report["MatMul"]
    assert entry["op_occurrences"] == 2 and entry["op_side"] == "cpu"
    assert entry["op_total_time(us)"] == pytest.approx(2 * entry["op_avg_time(us)"], abs=1e-3)
    assert report["cumsum"][0]["op_occurrences"] == 2
    with pytest.raises(RuntimeError, match="nothing was recorded of 'Conv2D'; need one of "):
        recorder.op_analyse("Conv2D")
    with pytest.raises(TypeError, match="op_name is an int; need a str or a list"):
        recorder.op_analyse(5)
    with pytest.raises(TypeError, match="device_id is '0' of type str; need an int"):
        recorder.op_analyse("MatMul", "0")


def run_with_options(options):
    code = "import dyad; dyad.ops.matmul(dyad.ops.ones((4, 8)), dyad.ops.ones((8, 2)))"
    environment = {**os.environ, "MS_PROFILER_OPTIONS": options}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )


def test_the_environment_asks_for_a_profile_of_the_program(tmp_path):
    options = {"start": True, "output_path": str(tmp_path / "out"), "profiler_level": "Level0"}
    run_with_options(json.dumps(options))
    [folder] = recordings(tmp_path / "out")
    assert any(event["cat"] == "kernel" and "matmul" in event["name"].lower() for event in events(folder))


@pytest.mark.parametrize(("options", "text"), [("{", ""), ('{"speed": 1}', "speed is not known")])
def test_options_of_the_environment_that_make_no_sense(tmp_path, options, text):
    told = run_with_options(options).stderr
    assert "nothing is recorded" in told and text in told
    assert not recordings(tmp_path / "data")
