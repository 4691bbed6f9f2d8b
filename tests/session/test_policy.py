"""What a plan may touch: locations that are refused, and that nothing was opened or listed on the way."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import firesteel as fs
from firesteel import plan as p
from firesteel.cli.entry import _run
from firesteel.errors import redacted
from firesteel.policy import Policy
from tests.tables.file_plans import files, item, plan, root

ROWS = pa.table({"a": pa.array([1, 2], pa.int64()), "b": ["x", "y"]})

#: Every location, as a plan would have it; `{top}` is the folder that `allowed` is in. All of them are refused.
REFUSED: list[tuple[str, str]] = [
    ("uriFile", "{top}/secret/s.parquet"),
    ("uriPath", "secret/s.parquet"),
    ("uriFile", "allowed/../secret/s.parquet"),
    ("uriFile", "{top}/allowed/sub/../../secret/s.parquet"),
    ("uriFile", "allowed/link.parquet"),  # a link to a file
    ("uriFile", "allowed/away/s.parquet"),  # behind a link to a folder
    ("uriFolder", "allowed/away"),  # a folder that is a link
    ("uriFolder", "allowed"),  # there are links in it
    ("uriFile", "allowed/dangling"),
    ("uriFile", "allowed/loop"),
    ("uriPath", "allowed/loop/s.parquet"),
    ("uriFile", "file://{top}/secret/s.parquet"),
    ("uriFile", "FILE:{top}/secret/s.parquet"),
    ("uriFile", "file://elsewhere{top}/allowed/a.parquet"),
    ("uriFile", "file:///"),
    ("uriFile", "file:allowed/a.parquet"),
    ("uriFile", "file://{top}/allowed/%2e%2e/secret/s.parquet"),
    ("uriFile", "file://{top}/allowed/..%2fsecret%2Fs.parquet"),
    ("uriFile", "file://{top}/allowed/%00"),
    ("uriFile", "file://{top}/allowed/%ff"),
    ("uriPathGlob", "{top}/*/*.parquet"),
    ("uriPathGlob", "*/s.parquet"),
    ("uriPathGlob", "allowed/../secret/*"),
    ("uriPathGlob", "allowed/*/../../secret/*"),
    ("uriPathGlob", "allowed/li*"),  # a match that leads outside
    ("uriPathGlob", "allowed/**/*.parquet"),
    ("uriPathGlob", "file://{top}/secret/%2A"),
    ("uriPathGlob", "/**"),
    ("uriFile", "/etc/passwd"),
    ("uriFile", "/etc/there-is-no-such-file"),
    ("uriPath", "/dev/stdin"),
    ("uriFile", "/dev/zero"),
    ("uriFile", "/proc/self/environ"),
    ("uriFile", "allowed/pipe"),
    ("uriFile", "allowed/socket"),
    ("uriFile", "a\0.parquet"),
    ("uriFile", "{top}/allowed-evil/e.parquet"),
    ("uriFile", "//{top}/secret/s.parquet"),
    ("uriFile", "{top}/ALLOWED/a.parquet"),
    ("uriFile", "~/s.parquet"),
    ("uriFile", "$HOME/s.parquet"),
    ("uriFile", "C:\\data\\s.parquet"),
    ("uriFile", "c:/data/s.parquet"),
    ("uriFile", "\\\\server\\share\\s.parquet"),
    ("uriFile", "http://127.0.0.1/s.parquet"),
    ("uriFile", "s3://bucket/s.parquet"),
    ("uriFolder", "hdfs://host/data"),
    ("uriFile", "jar:file:{top}/allowed/a.parquet"),
    ("uriFile", "allowed/" + "x" * 5_000),
    ("uriFile", "allowed/a.parquet/../../secret/s.parquet"),
    ("uriFile", "file://localhost{top}/secret/s.parquet"),
    ("uriFile", "file:////server/share/s.parquet"),
    ("uriFile", "file://{top}/allowed/%2e%2e%2fsecret%2fs.parquet"),
    ("uriFile", "file://{top}/allowed/./%2E./secret/s.parquet"),
    ("uriPath", "allowed/./../secret"),
    ("uriFolder", "{top}"),
    ("uriFolder", "/"),
    ("uriFolder", "."),
    ("uriPathGlob", "?ecret/*"),
    ("uriPathGlob", "/proc/self/fd/*"),
    ("uriFile", "/proc/self/root{top}/secret/s.parquet"),
    ("uriFile", "/dev/fd/0"),
    ("uriFile", "\\\\?\\C:\\s.parquet"),
    ("uriFile", "s3a://key:word@bucket/s.parquet"),
    ("uriFile", "gs://bucket/s.parquet"),
    ("uriFile", "abfss://c@account/s.parquet"),
    ("uriFile", "ftp://host/s.parquet"),
    ("uriFile", "zip://{top}/allowed/a.parquet!/x"),
    ("uriFile", "file://{top}/allowed/a.parquet%00.txt"),
    ("uriFile", "allowed\\..\\secret\\s.parquet"),
]


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is allowed, one that is not, and ways from the one to the other."""
    for name in ("allowed/sub", "allowed-evil", "secret"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("allowed/a.parquet", "allowed/sub/b.parquet", "allowed-evil/e.parquet", "secret/s.parquet"):
        pq.write_table(ROWS, tmp_path / name)
    allowed = tmp_path / "allowed"
    (allowed / "link.parquet").symlink_to(tmp_path / "secret" / "s.parquet")
    (allowed / "away").symlink_to("../secret")
    (allowed / "dangling").symlink_to(tmp_path / "secret" / "nothing")
    (allowed / "loop").symlink_to("loop")
    (allowed / "inside.parquet").symlink_to("sub/b.parquet")
    os.mkfifo(allowed / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as one:
        os.chdir(allowed)  # the name of a socket has few characters
        one.bind("socket")
        os.chdir(tmp_path)
    return tmp_path


_seen: list[tuple[str, str]] | None = None
_EVENTS = ("open", "os.listdir", "os.scandir", "os.walk", "os.fwalk", "glob.glob", "os.open", "pathlib.Path.glob")


def _listen(event: str, args: tuple[Any, ...]) -> None:
    if _seen is not None and event in _EVENTS and args and isinstance(args[0], str | bytes | os.PathLike):
        _seen.append((event, os.path.realpath(os.fsdecode(args[0]).replace("\0", "?"))))


@contextmanager
def watched(allowed: Path) -> Iterator[None]:
    """Nothing but what is in the allowed folder, and Python's own modules, is opened or listed meanwhile."""
    global _seen
    if not getattr(sys, "_firesteel_listens", False):
        sys.addaudithook(_listen)
        sys._firesteel_listens = True  # type: ignore[attr-defined]  # a hook stays for as long as the process
    _seen = []
    try:
        yield
    finally:
        seen, _seen = _seen, None
    code = (".py", ".pyc", ".so")
    outside = [one for one in seen if not Path(one[1]).is_relative_to(allowed) and not one[1].endswith(code)]
    assert not [one for one in outside if not _of_python(one[1])], outside


def _of_python(path: str) -> bool:
    """A folder where modules are looked for."""
    return any(entry and Path(path).is_relative_to(os.path.realpath(entry)) for entry in (sys.prefix, sys.base_prefix))


@pytest.mark.parametrize("look", [lambda top: open(top / "secret" / "s.parquet").close(), lambda top: os.listdir(top)])
def test_the_watch_sees_what_it_should(top: Path, look: Callable[[Path], Any]) -> None:
    with pytest.raises(AssertionError), watched(top / "allowed"):
        look(top)


@pytest.mark.parametrize(("kind", "location"), REFUSED)
def test_locations_that_are_refused(top: Path, kind: str, location: str) -> None:
    session = fs.connect(engine="reference", policy=fs.Policy(allow_read=["allowed"]))
    location = location.format(top=top)
    asked = plan(root(files(item(location, kind)), "a", "b"))
    with watched(top / "allowed"), pytest.raises(fs.PolicyError) as refused:
        session.run(asked)
    assert redacted(repr(location)[:60]) in refused.value.message  # as the plan has it
    assert "relations[0]/root/input/read/local_files" in str(refused.value)


def test_by_default_nothing_is_allowed(top: Path) -> None:
    session = fs.connect(engine="reference")
    with watched(top / "nothing"), pytest.raises(fs.PolicyError, match="no folder is allowed") as refused:
        session.run(plan(root(files(item("allowed/a.parquet")), "a", "b")))
    assert "--allow-read DIR" in str(refused.value)
    session.register("allowed/a.parquet", "secret/s.parquet")  # a name, and no location
    with pytest.raises(fs.PolicyError):
        session.run(plan(root(files(item("allowed/a.parquet")), "a", "b")))


def test_a_plan_in_ion_is_judged_alike(top: Path) -> None:
    allowed = fs.connect(engine="reference", policy=fs.Policy(allow_read=["allowed"]))
    good, bad = (fs.read_plan(plan(root(files(item(path)), "a", "b"))) for path in ("allowed/a.parquet", "/etc/passwd"))
    assert len(allowed.run(fs.read_plan(good.to_ion())).to_python()) == 2
    with watched(top / "allowed"), pytest.raises(fs.PolicyError, match="/etc/passwd"):
        allowed.run(fs.read_plan(bad.to_ion(binary=True)))
    with pytest.raises(fs.UnsupportedError, match="files have no form"):
        good.to_algebra()


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (p.Files("parquet", ()), "a read of no files"),
        (p.Files("csv", (p.FileItem("allowed/a.parquet", "file"),)), "how text is written"),
        (p.Files("parquet", (p.FileItem("allowed/a.parquet", "url"),)), "nothing known"),
        (p.Files("json", (p.FileItem("allowed/a.parquet", "file"),)), "of the format 'json'"),
    ],
)
def test_what_only_a_plan_by_hand_would_say(top: Path, named: p.Files, why: str) -> None:
    session = fs.connect(engine="reference", policy=fs.Policy(allow_read=["allowed"]))
    with pytest.raises(fs.FiresteelError, match=why):
        session.open(named)


def test_an_empty_location_is_refused(top: Path) -> None:
    with pytest.raises(fs.PolicyError, match="it is empty"):
        Policy(allow_read=["allowed"]).files("", "file")


def test_a_refusal_loads_nothing_that_could_read(top: Path) -> None:
    """Files are read by pyarrow, whose opening of files no audit hook sees: it is not even imported."""
    (top / "plan.proto").write_bytes(plan(root(files(item("allowed/link.parquet")), "a", "b")))
    code = (
        "import sys, firesteel as fs\n"
        "s = fs.connect(engine='reference', policy=fs.Policy(allow_read='allowed'))\n"
        "try: s.run('plan.proto')\n"
        "except fs.PolicyError: print([m for m in ('pyarrow', 'pyspark') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=top)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("kind", "location", "found"),
    [
        ("file", "allowed/a.parquet", ["allowed/a.parquet"]),
        ("path", "{top}/allowed/./sub/..//a.parquet", ["allowed/a.parquet"]),
        ("path", "secret/../allowed/a.parquet", ["allowed/a.parquet"]),
        ("file", "allowed/inside.parquet", ["allowed/sub/b.parquet"]),
        ("file", "//{top}/allowed/a.parquet", ["allowed/a.parquet"]),
        ("file", "file:{top}/allowed/a.parquet", ["allowed/a.parquet"]),
        ("file", "FILE://localhost{top}/allowed/%61.parquet", ["allowed/a.parquet"]),
        ("folder", "allowed/sub", ["allowed/sub/b.parquet"]),
        ("path", "allowed/sub/", ["allowed/sub/b.parquet"]),
        ("path_glob", "allowed/[!b].parquet", ["allowed/a.parquet"]),
        ("path_glob", "allowed/[^b].parquet", ["allowed/a.parquet"]),
        ("path_glob", "file://{top}/allowed/s?b/*.parquet", ["allowed/sub/b.parquet"]),
        ("path_glob", "allowed/su*", ["allowed/sub/b.parquet"]),
        ("path_glob", "allowed/sub/**/*.parquet", ["allowed/sub/b.parquet"]),
        ("path_glob", "allowed/a.parquet", ["allowed/a.parquet"]),
    ],
)
def test_locations_that_are_found(top: Path, kind: Any, location: str, found: list[str]) -> None:
    policy = Policy(allow_read=["allowed"])
    with watched(top / "allowed"):
        assert policy.files(location.format(top=top), kind) == [(top / one).resolve() for one in found]


@pytest.mark.parametrize(
    ("kind", "location", "why"),
    [
        ("file", "allowed/none.parquet", "no file"),
        ("folder", "allowed/none", "no folder"),
        ("file", "allowed/sub", "is a folder"),
        ("folder", "allowed/a.parquet", "is a file"),
        ("path_glob", "allowed/*.orc", "no file matches"),
        ("path_glob", r"allowed/\*.parquet", "no file matches"),
    ],
)
def test_what_is_not_there_is_no_matter_of_policy(top: Path, kind: Any, location: str, why: str) -> None:
    with pytest.raises(fs.PlanError, match=why):
        Policy(allow_read=["allowed"]).files(location, kind)


STEPS = ["..", ".", "", "allowed", "sub", "secret", "away", "inside.parquet", "link.parquet", "a.parquet", "s.parquet"]
STEPS += ["*", "**", "?*", "[as]*", "..*", "%2e%2e", "%2f", "loop", "~", "{a,b}", "\\*"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(
    start=st.sampled_from(["", "/", "//", "{top}/", "file:", "file://", "file://{top}/", "file:{top}/allowed/"]),
    steps=st.lists(st.sampled_from(STEPS), max_size=6),
    kind=st.sampled_from(["file", "folder", "path", "path_glob"]),
)
def test_no_way_leads_outside(top: Path, start: str, steps: list[str], kind: Any) -> None:
    with watched(top / "allowed"), contextlib.suppress(fs.PolicyError, fs.PlanError):
        for found in Policy(allow_read="allowed").files(start.format(top=top) + "/".join(steps), kind):
            assert found.resolve().is_relative_to(top.resolve() / "allowed")


def test_what_a_policy_is_made_of(top: Path) -> None:
    absolute = str(top / "allowed")
    assert Policy(allow_read="allowed") == Policy(allow_read=[Path("allowed")]) == Policy(allow_read=[absolute])
    one = Policy(allow_read=["allowed/a.parquet"])  # a file alone
    assert one.files("allowed/a.parquet", "file") == [top / "allowed" / "a.parquet"]
    for location, kind in (("allowed/sub/b.parquet", "file"), ("allowed", "folder"), ("allowed/*", "path_glob")):
        with pytest.raises(fs.PolicyError):
            one.files(location, kind)  # type: ignore[arg-type]
    with pytest.raises(fs.PolicyError, match="empty"):
        Policy(allow_read=[""])
    (top / "linked").symlink_to("allowed")
    assert Policy(allow_read=["linked"]) == Policy(allow_read=["allowed"])
    with pytest.raises(fs.PolicyError):
        Policy(allow_read=["allowed"]).ensure_writable(top / "allowed" / "a.parquet")
    assert Policy(allow_write="allowed").ensure_writable(top / "linked" / "a.parquet") == top / "allowed" / "a.parquet"


def test_the_flags_of_the_command_line(top: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (top / "plan.proto").write_bytes(plan(root(files(item("allowed/a.parquet")), "a", "b")))
    run = ["run", "plan.proto", "--engine", "reference", "--format", "ion"]
    assert _run(run) == 3
    said = capfd.readouterr().err
    assert "--allow-read DIR" in said
    assert "'allowed/a.parquet'" in said
    assert _run([*run, "--allow-read", "secret", "--allow-read", "allowed"]) == 0
    assert capfd.readouterr().out.strip() == '$bag::[{a: 1, b: "x"}, {a: 2, b: "y"}]'
    assert _run(["explain", "plan.proto", "--engine", "reference", "--allow-read", "allowed"]) == 0
    assert _run(["explain", "plan.proto", "--engine", "reference"]) == 3
    assert _run(["check", "plan.proto", "--allow-read", "allowed"]) == 0
    assert _run(["check", "plan.proto", "--allow-read", "secret"]) == 3
    assert _run([*run, "--allow-read", "nowhere"]) == 2
