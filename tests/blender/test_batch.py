"""Job files: what is refused and in which line, and what becomes of good and bad units."""

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from amble.batch.child import Child
from amble.batch.job import read_job
from amble.cli import main
from amble.errors import BadFile
from amble.toml import line_of

HEAD = 'rigs = ["rigify:human"]\noutput = "out/{rig}-{task}.glb"\nprocesses = 2\n'
IDLE = '[[task]]\nname = "breathe"\ncommand = "idle"\nframes = [1, 20]\n'
TURN = '[[task]]\nname = "turn"\ncommand = "blend"\na = "A"\n'
WALK = '[[task]]\nname = "walk"\ncommand = "gait"\nspeed = 1.2\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder that the program runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def job(text: str) -> str:
    Path("job.toml").write_text(text, encoding="utf-8")
    return "job.toml"


def table(folder: str = "job.results") -> list[dict[str, str]]:
    with Path(folder, "results.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---- what is refused before anything is done ----


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rigs = [", "job.toml is no TOML file"),
        (HEAD, "there is no task"),
        ("colour = 3\n" + IDLE, "job.toml, line 1: there is no setting colour"),
        (HEAD + "processes_ = 3\n" + IDLE, "line 4: there is no setting processes_"),
        (HEAD.replace("= 2", "= 0") + IDLE, "line 3: processes must be a number from 1"),
        (HEAD + "pictures = 1\n" + IDLE, "line 4: pictures must be true or false"),
        (IDLE, "line 1: \"breathe\" has no rigs"),
        ('rigs = "*.glb"\n' + IDLE, "line 1: there is no file *.glb"),
        (HEAD.replace("{task}.glb", "{task}.obj") + IDLE, "line 2: output out/{rig}-{task}.obj must end in"),
        (HEAD.replace("{task}", "{tusk}") + IDLE, "line 2: output has {tusk}; there are {rig}, {folder}"),
        (HEAD.replace("{task}", "{") + IDLE, "line 2: output"),
        (HEAD.replace("-{task}", "") + IDLE + WALK, "line 2: walk of rigify:human and breathe of rigify"),
        (HEAD + IDLE + WALK.replace('"gait"', '"dance"'), "line 10: command must be one of gait, idle"),
        (HEAD + IDLE + WALK.replace('"gait"', '"batch"'), "line 10: command must be one of"),
        (HEAD + IDLE + WALK.replace("speed", "sped"), "line 11: gait has no option sped; it has"),
        (HEAD + IDLE + WALK.replace("1.2", "-1"), "line 11: argument --speed: must be more than 0 m/s"),
        (HEAD + IDLE + WALK.replace("1.2", '"fast"'), "line 11: argument --speed: 'fast' is no number."),
        (HEAD + IDLE + WALK.replace("1.2", "[[1]]"), "line 11: speed must be a number, a text or a list"),
        (HEAD + WALK + 'loop = "yes"\n', "line 8: loop must be true or false"),
        (HEAD + WALK + 'report = "x.json"\n', "line 8: report is set by the batch itself"),
        (HEAD + WALK.replace('"walk"', '"a/b"'), "line 5: each task needs a name"),
        (HEAD + WALK + WALK, 'line 9: there are two tasks "walk"'),
        (HEAD + TURN, "line 4: the following arguments are required"),
    ],
)  # fmt: skip
def test_a_wrong_job_file_is_one_line_that_names_the_line(text, told, here, capfd):
    before = sorted(Path().iterdir())
    capfd.readouterr()
    assert main(["batch", job(text)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert told in err
    assert len(err.splitlines()) == 1
    assert sorted(Path().iterdir()) == [*before, Path("job.toml")]


def test_an_output_may_not_be_a_rig_of_the_job(here):
    Path("hero.glb").touch()
    with pytest.raises(BadFile, match=r"line 2: .*hero\.glb is a rig of this job, and would be lost"):
        read_job(job('rigs = "*.glb"\noutput = "{rig}.glb"\n' + IDLE))


def test_units_are_tasks_times_rigs_with_options_as_on_the_command_line(here):
    for name in ("b/hero.glb", "a/hero.glb", "a/cat.blend"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    found = read_job(
        job(
            'rigs = ["**/*.glb", "a/*"]\noutput = ["out/{folder}/{rig}.{task}.glb"]\n'
            + WALK
            + "frames = [-5, 20]\nspeeds = [0, 3.5]\nloop = false\noverwrite = false\nstrict = true\n"
            + '[[task]]\nname = "turn"\ncommand = "mirror"\nobstacle = ["Wall", "Floor"]\n'
            + 'rigs = "a/cat.blend"\n'
        )
    )
    assert [(Path(one.rig).relative_to(here).as_posix(), one.task) for one in found.units] == [
        ("a/hero.glb", "walk"),
        ("b/hero.glb", "walk"),
        ("a/cat.blend", "walk"),
        ("a/cat.blend", "turn"),
    ]
    words = ("--speed=1.2", "--frames=-5:20", "--speeds=0,3.5", "--no-loop", "--strict")
    assert found.units[0].words == words
    assert found.units[3].words == ("--obstacle=Wall", "--obstacle=Floor")
    assert [path.relative_to(here).as_posix() for path in found.units[0].outputs] == ["out/a/hero.walk.glb"]


def test_the_line_of_a_key_is_found_in_its_own_table():
    text = 'a = 1\n\n[[task]]\nname = "x"\n"a" = [\n  2,\n]\n[[task]] # second\na.b = 3\n[other]\na = 4\n'
    assert line_of(text, "a") == 1
    assert line_of(text, "a", ("task", 0)) == 5
    assert line_of(text, "a", ("task", 1)) == 9
    assert line_of(text, None, ("task", 1)) == 8
    assert line_of(text, "name", ("task", 1)) == 8  # not set: where the table begins
    assert line_of(text, "b") is None
    assert line_of(text, None, ("task", 2)) is None


def test_units_are_listed_and_counted_for_other_farms(here, capfd):
    assert main(["batch", job(HEAD + IDLE + WALK), "--check"]) == 0
    assert capfd.readouterr().out == "2 units, 2 processes\n"
    assert main(["batch", "job.toml", "--list"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [line.split()[:3] for line in lines] == [["amble", c, "rigify:human"] for c in ("idle", "gait")]
    assert "--output=" + str(here / "out" / "human-breathe.glb") in lines[0]
    assert not Path("out").exists()


# ---- what comes of it ----


def test_a_bad_rig_fails_alone_results_tell_and_what_is_done_is_not_done_again(here, capfd):
    Path("cut.glb").write_bytes(b"glTF\2\0\0\0\xff\0\0\0")
    text = HEAD.replace('"rigify:human"', '"rigify:human", "cut.glb"')
    assert main(["batch", job(text + IDLE + WALK)]) == 2
    assert capfd.readouterr().out.startswith("2 done, 2 refused\n")
    states = [(row["task"], Path(row["rig"]).name, row["state"]) for row in table()]
    assert states == [
        (task, rig, state)
        for task in ("breathe", "walk")
        for rig, state in (("rigify:human", "done"), ("cut.glb", "refused"))
    ]
    assert "cut off" in table()[1]["message"]
    assert float(table()[2]["speed_measured"]) == pytest.approx(1.2, rel=0.01)
    kept = json.loads(Path("job.results/results.json").read_text(encoding="utf-8"))
    assert kept[2]["summary"]["report"]["slide_mm"] < 1.0
    page = Path("job.results/index.html").read_text(encoding="utf-8")
    assert page.index("breathe of cut.glb") < page.index("breathe of rigify:human")
    assert sorted(path.name for path in Path("out").iterdir()) == ["human-breathe.glb", "human-walk.glb"]

    made = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path("out").iterdir()}
    assert main(["batch", "job.toml", "--quiet"]) == 2
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in Path("out").iterdir()} == made

    # One result spoilt, one setting changed: these are done again, by one process, to the same bytes.
    Path("out/human-breathe.glb").write_bytes(b"spoilt")
    job(text + IDLE + WALK.replace("1.2", "1.0"))
    assert main(["batch", "job.toml", "--processes", "1", "--quiet"]) == 2
    assert Path("out/human-breathe.glb").read_bytes() == made[Path("out/human-breathe.glb")][0]
    assert float(table()[2]["speed_measured"]) == pytest.approx(1.0, rel=0.01)
    job(text + IDLE + WALK)
    assert main(["batch", "job.toml", "--processes", "1", "--quiet"]) == 2
    assert Path("out/human-walk.glb").read_bytes() == made[Path("out/human-walk.glb")][0]


def program(*words: str) -> "subprocess.Popen[bytes]":
    """The command line as a program, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "amble", *words], stderr=subprocess.DEVNULL, start_new_session=True
    )


def test_a_batch_that_was_killed_goes_on_where_it_was(here):
    job(HEAD + IDLE + WALK + WALK.replace('"walk"', '"run"').replace("1.2", "3.0"))
    running = program("batch", "job.toml", "--processes", "1")
    limit = time.monotonic() + 60
    while not Path("out/human-breathe.glb").exists() and time.monotonic() < limit:
        time.sleep(0.02)
    running.kill()
    running.wait()
    first = Path("out/human-breathe.glb").stat().st_mtime_ns
    # As a power cut leaves it: half a file of a process that is no more.
    half = Path("out/.human-walk.999999999.part.glb")
    half.write_bytes(b"half")
    assert main(["batch", "job.toml", "--quiet"]) == 0
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "human-breathe.glb",
        "human-run.glb",
        "human-walk.glb",
    ]
    assert [row["state"] for row in table()] == ["done"] * 3
    assert not [path for path in Path("job.results/units").iterdir() if "part" in path.name]
    assert Path("out/human-breathe.glb").stat().st_mtime_ns >= first


def test_ctrl_c_leaves_whole_files_and_no_process(here):
    job(HEAD + IDLE + WALK)
    running = program("batch", "job.toml", "--processes", "2")
    limit = time.monotonic() + 60
    while not Path("job.results/units").exists() and time.monotonic() < limit:
        time.sleep(0.02)
    time.sleep(1.0)
    os.kill(running.pid, signal.SIGINT)
    assert running.wait(timeout=60) == 130
    assert not [path for path in Path("out").iterdir() if "part" in path.name]
    assert Path("job.results/results.csv").exists()


def children_of(pid: int) -> list[int]:
    """The processes that do units for a batch, of all its threads together."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    pids = [int(word) for task in tasks for word in task.read_text(encoding="ascii").split()]
    return [one for one in pids if b"--serve" in Path(f"/proc/{one}/cmdline").read_bytes()]


def ends(pids: list[int], seconds: float) -> bool:
    """Whether all these processes have ended, after that time at the latest."""

    def lives(pid: int) -> bool:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
        except OSError:
            return False
        return state not in "ZX"

    limit = time.monotonic() + seconds
    while any(map(lives, pids)) and time.monotonic() < limit:
        time.sleep(0.05)
    return not any(map(lives, pids))


@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="processes are found in /proc, as Linux has it"
)
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_a_batch_that_is_ended_leaves_no_process_at_work(here, sign):
    """Its children end in the middle of a unit that would take minutes."""
    job(HEAD + IDLE.replace("[1, 20]", "[1, 60000]"))
    running = program("batch", "job.toml", "--processes", "1")
    children: list[int] = []
    try:
        limit = time.monotonic() + 60
        while not children and time.monotonic() < limit:
            time.sleep(0.05)
            children = children_of(running.pid)
        assert len(children) == 1
        time.sleep(2.5)  # it has read the line by now, and works
        assert not ends(children, 0.0)
        os.kill(running.pid, sign)
        assert running.wait(timeout=30) == (130 if sign == signal.SIGTERM else -signal.SIGKILL)
        assert ends(children, 30.0)
    finally:
        for pid in children:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        running.kill()
        running.wait()
    assert not list(Path("out").glob("*"))


def test_a_process_that_dies_or_needs_too_much_is_replaced(here):
    words = ["idle", "rigify:human", "--frames=1:4", "--quiet"]
    child = Child(here, memory_mb=4000, minutes=1)
    try:
        assert child.run(words).code == 0
        assert child._process is not None
        pid = child._process.pid
        os.kill(pid, signal.SIGKILL)
        answer = child.run(words)
        if answer.code:  # its end was not seen before the work was given to it
            assert "ended" in answer.said
            answer = child.run(words)
        assert answer.code == 0
        assert child._process.pid != pid
    finally:
        child.close()
    for bounds, told in (((10, 1), "memory_mb = 10"), ((4000, 0.001), "minutes = 0.001")):
        child = Child(here, *bounds)
        try:
            answer = child.run(words)
        finally:
            child.close()
        assert answer.code == 2
        assert told in answer.said


@pytest.mark.parametrize("name", ["out", "job.results"])
def test_a_folder_that_cannot_be_made_is_one_sentence(name, here, capfd):
    Path(name).write_text("a file of the user's", encoding="utf-8")
    capfd.readouterr()
    assert main(["batch", job(HEAD + IDLE)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "cannot be made" in err
    assert Path(name).read_text(encoding="utf-8") == "a file of the user's"


# ---- a cluster ----


def test_a_cluster_that_loses_a_worker_loses_nothing(here, capfd):
    pytest.importorskip("distributed", reason="the cluster needs the package distributed, which is not here")
    tasks = "".join(IDLE.replace('"breathe"', f'"breathe{i}"') for i in range(8))
    assert main(["batch", job(HEAD + tasks), "--processes", "1", "--quiet"]) == 0
    alone = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    address = "tcp://127.0.0.1:38786"

    def dask(part: str, *words: str) -> "subprocess.Popen[bytes]":
        start = [sys.executable, "-m", f"distributed.cli.dask_{part}", *words, "--no-dashboard"]
        return subprocess.Popen(start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    scheduler = dask("scheduler", "--host", "127.0.0.1", "--port", "38786")
    one, other = (dask("worker", address, "--nthreads", "1", "--no-nanny") for _ in range(2))
    try:
        batch = program("batch", "job.toml", "--again", "--scheduler", address)
        begun = {path: path.stat().st_mtime_ns for path in Path("out").iterdir()}
        limit = time.monotonic() + 90
        while time.monotonic() < limit and all(path.stat().st_mtime_ns == t for path, t in begun.items()):
            time.sleep(0.05)
        one.kill()
        assert batch.wait(timeout=120) == 0
    finally:
        for process in (one, other, scheduler):
            process.kill()
            process.wait()
    assert [row["state"] for row in table()] == ["done"] * 8
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == alone
    capfd.readouterr()
    assert main(["batch", "job.toml", "--again", "--scheduler", "nowhere"]) == 2
    assert "There is no scheduler at nowhere" in capfd.readouterr().err
