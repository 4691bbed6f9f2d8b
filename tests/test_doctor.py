"""The doctor, mostly with pretended Javas: small scripts that answer as one would."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from firesteel import doctor

ROOT = Path(__file__).resolve().parents[1]
GOOD_MODULES = ("java.base", "jdk.incubator.vector")


def make_java(home: Path, version: str, modules: tuple[str, ...] = GOOD_MODULES, first_line: str = "") -> Path:
    """A `java` under `home` that claims this version and these modules."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    listing = "\n".join(f"{module}@{version}" for module in modules)
    settings = f"Property settings:\n    java.home = {home}\n    java.vendor = Nobody\n"
    answer = f'{first_line}\n{settings}\nopenjdk version "{version}" 2025-04-15\nOpenJDK Runtime Environment'
    # Shell built-ins only: the tests run it with an empty PATH.
    executable.write_text(
        f"#!/bin/sh\nif [ \"$1\" = --list-modules ]; then echo '{listing}'; else echo '{answer}' >&2; fi\n"
    )
    executable.chmod(0o755)
    return home


def find(tmp_path: Path, **env: str) -> doctor.Java | None:
    """Look only into `tmp_path`/jvm, with a PATH on which there is just a shell."""
    return doctor.find_java(only(tmp_path, **env), homes=[f"{tmp_path}/jvm/*"])


def only(tmp_path: Path, **env: str) -> dict[str, str]:
    return {"PATH": str(tmp_path / "bin"), **env}


@pytest.fixture
def no_java_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What `main` sees where no Java is installed, or only what the test puts into the folder it is given."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    real = doctor.javas
    monkeypatch.setattr(doctor, "javas", lambda env, homes: real(env, [f"{tmp_path}/jvm/*"]))
    return tmp_path / "jvm"


# --- which Java ------------------------------------------------------------------------------------


def test_no_java_at_all(tmp_path: Path) -> None:
    assert find(tmp_path) is None


def test_a_good_one_is_found(tmp_path: Path) -> None:
    home = make_java(tmp_path / "jvm" / "seventeen", "17.0.15")
    assert find(tmp_path) == doctor.Java(home, "17.0.15", vector=True)


def test_too_old_or_without_the_module_is_passed_over(tmp_path: Path) -> None:
    make_java(tmp_path / "jvm" / "a", "11.0.2")
    make_java(tmp_path / "jvm" / "b", "17.0.1", modules=("java.base", "jdk.incubator.vector2"))
    assert find(tmp_path) is None
    found = doctor.javas(only(tmp_path), [f"{tmp_path}/jvm/*"])
    assert {java.version: java.flaw for java in found} == {
        "11.0.2": "too old",
        "17.0.1": "without jdk.incubator.vector",
    }


def test_java_home_wins_then_path_then_the_tested_versions(tmp_path: Path) -> None:
    for version in ("25.0.1", "21.0.2", "17.0.3"):
        make_java(tmp_path / "jvm" / version, version)
    asked = make_java(tmp_path / "asked", "24")
    make_java(tmp_path, "22.0.1")  # tmp_path/bin is the PATH

    def version(**env: str) -> str:
        java = find(tmp_path, **env)
        assert java is not None
        return java.version

    assert version(JAVA_HOME=str(asked)) == "24"
    assert version() == "22.0.1"
    assert version(PATH="") == "17.0.3"
    (tmp_path / "jvm" / "17.0.3" / "bin" / "java").unlink()
    assert version(PATH="") == "21.0.2"


@pytest.mark.parametrize("flawed", ["11.0.2", "nothing there"])
def test_a_java_home_that_will_not_do_is_passed_over(tmp_path: Path, flawed: str) -> None:
    asked = tmp_path / "asked"
    if flawed != "nothing there":
        make_java(asked, flawed)
    home = make_java(tmp_path / "jvm" / "good", "17.0.3")
    java = find(tmp_path, JAVA_HOME=str(asked))
    assert java is not None
    assert java.home == home


def test_a_wrapper_on_the_path_is_asked_for_its_home(tmp_path: Path) -> None:
    home = make_java(tmp_path / "elsewhere", "21.0.2")
    wrapper = tmp_path / "bin" / "java"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {home}/bin/java "$@"\n')
    wrapper.chmod(0o755)
    java = find(tmp_path)
    assert java is not None
    assert java.home == home


def test_links_to_one_java_are_one_java(tmp_path: Path) -> None:
    home = make_java(tmp_path / "jvm" / "java-17", "17.0.3")
    (tmp_path / "jvm" / "default").symlink_to(home)
    assert len(list(doctor.javas(only(tmp_path), [f"{tmp_path}/jvm/*"]))) == 1


def test_sdkman_is_looked_into(tmp_path: Path) -> None:
    home = make_java(tmp_path / "sdk" / "candidates" / "java" / "17-tem", "17.0.3")
    java = doctor.find_java(only(tmp_path, SDKMAN_DIR=str(tmp_path / "sdk")), ["{sdkman}/candidates/java/*"])
    assert java is not None
    assert java.home == home


def test_what_is_printed_before_the_version_does_not_matter(tmp_path: Path) -> None:
    noise = 'Picked up JAVA_TOOL_OPTIONS: -Dclaim="java version \\"8\\""'
    make_java(tmp_path / "jvm" / "noisy", "17.0.3", first_line=noise)
    java = find(tmp_path)
    assert java is not None
    assert java.major == 17


def test_what_is_not_a_java_is_passed_over(tmp_path: Path) -> None:
    for name, text in (("silent", "#!/bin/sh\n"), ("broken", "#!/no/such/shell\n")):
        java = tmp_path / "jvm" / name / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text(text)
        java.chmod(0o755)
    assert find(tmp_path) is None


@pytest.mark.parametrize(
    ("version", "major"), [("1.8.0_392", 8), ("9", 9), ("17.0.15", 17), ("21-ea", 21), ("25.0.3", 25)]
)
def test_major_version(version: str, major: int) -> None:
    assert doctor.Java(Path(), version, vector=True).major == major


# --- what it says ------------------------------------------------------------------------------------


def test_java_home_prints_the_home_alone(no_java_here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = make_java(no_java_here / "good", "17.0.3")
    assert doctor.main(["--java-home"]) == 0
    assert capsys.readouterr() == (f"{home}\n", "")


@pytest.mark.usefixtures("no_java_here")
def test_without_java_one_sentence_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["--java-home"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "Spark needs Java 17 or newer with the module jdk.incubator.vector, and there is none here: "
        "install one (Debian, Ubuntu: `apt-get install openjdk-17-jre-headless`; macOS: `brew install openjdk@17`) "
        "or let JAVA_HOME point to one.\n"
    )


def test_the_sentence_names_what_will_not_do(no_java_here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = make_java(no_java_here / "old", "1.8.0_392")
    assert doctor.main(["--java-home"]) == 1
    assert f"none here (Java 1.8.0_392 at {old} is too old): install" in capsys.readouterr().err


def test_install_java_takes_the_first_package_there_is(
    no_java_here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[tuple[str, ...]] = []

    def apt(*arguments: str) -> str:
        calls.append(arguments)
        if arguments[-1] != "default-jre-headless":
            return "E: Unable to locate package"
        make_java(no_java_here / "installed", "21.0.2")
        return ""

    monkeypatch.setattr(doctor, "_apt", apt)
    monkeypatch.setattr(doctor.shutil, "which", lambda name, path=None: f"/{name}" if name == "apt-get" else None)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert doctor.main(["--install-java", "--java-home"]) == 0
    assert [call[-1] for call in calls] == ["update", "openjdk-17-jre-headless", "default-jre-headless"]
    out, err = capsys.readouterr()
    assert out == f"{no_java_here / 'installed'}\n"
    assert err == "no Java that Spark can start on: installing one with apt-get\n"


@pytest.mark.usefixtures("no_java_here")
def test_install_java_leaves_a_user_alone(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "_apt", lambda *_: pytest.fail("apt-get was called"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert doctor.main(["--install-java"]) == 1
    assert "install one" in capsys.readouterr().err


# --- the rest ------------------------------------------------------------------------------------


def test_findings_name_every_runtime_dependency() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    found = {normal(finding.name) for finding in doctor.findings()}
    assert {normal(doctor._package(requirement).name) for requirement in declared} <= found


def normal(name: str) -> str:
    """A package's name as indexes compare them: the build may write amazon-ion for amazon.ion."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_a_finding_that_is_not_ok_has_a_remedy(no_java_here: Path) -> None:
    make_java(no_java_here / "old", "11.0.2")
    found = doctor.findings()
    assert not next(finding for finding in found if finding.name == "Java").ok
    assert all(finding.remedy for finding in found if not finding.ok)


@pytest.mark.parametrize(
    ("version", "requirement", "within"),
    [
        ("2.3.3", "pandas<3,>=2.2", True),
        ("3.0.0", "pandas<3,>=2.2", False),
        ("2.1", "pandas<3,>=2.2", False),
        ("4.3.0", "pyspark[connect]<5,>=4.3", True),
        ("8.5.1rc1", "click>=8.1", True),
        ("1.0", "anything", True),
    ],
)
def test_version_bounds(version: str, requirement: str, within: bool) -> None:
    assert doctor._within(version, requirement) is within


def test_conformance_is_optional(tmp_path: Path) -> None:
    assert doctor.find_conformance({"FIRESTEEL_CONFORMANCE": str(tmp_path)}) == tmp_path
    assert doctor.find_conformance({"FIRESTEEL_CONFORMANCE": str(tmp_path / "none")}) is None
    assert doctor._conformance({"FIRESTEEL_CONFORMANCE": str(tmp_path / "none")}).ok


def test_it_runs_as_a_file_although_the_folder_has_a_types_module() -> None:
    """Run as a file, Python puts src/firesteel first on the path, where types.py hides the standard one."""
    file = ROOT / "src" / "firesteel" / "doctor.py"
    # -S, so that no site package has imported the standard `types` before us
    done = subprocess.run([sys.executable, "-S", str(file), "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.spark
def test_the_java_it_finds_starts_spark() -> None:
    """Not a session, only its JVM: the launcher passes the same module options."""
    import pyspark

    java = doctor.find_java()
    assert java is not None
    home = Path(pyspark.__file__).parent
    done = subprocess.run(
        [home / "bin" / "spark-submit", "--version"],
        env={**os.environ, "JAVA_HOME": str(java.home), "SPARK_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"version {pyspark.__version__}" in done.stderr
