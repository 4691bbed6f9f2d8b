"""Is this machine fit to run Firesteel, and if not, what is missing?

    python3 src/firesteel/doctor.py                 what is here, one line each; exit 1 if something is missing
    python3 src/firesteel/doctor.py --java-home     only the home of the Java that Spark should use
    python3 src/firesteel/doctor.py --install-java  install one first, if there is none, we are root and apt-get is here

It has to answer before anything is installed, so it uses the standard library alone, imports nothing else of
the package, and keeps to a syntax that an older Python can read far enough to be told that it is too old.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not __package__:
    # Run as a file, our own folder comes first on the path, and its types.py would hide the standard one.
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != here]

import argparse
import contextlib
import glob
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MINIMUM_PYTHON = (3, 11)
MINIMUM_JAVA = 17
VECTOR = "jdk.incubator.vector"  # Spark 4.3 adds this module when it starts its JVM: no module, no Spark
TESTED_JAVAS = (17, 21)  # taken first among those that nobody pointed to
ENOUGH_MEMORY = 2 * 2**30

JVM_HOMES = (
    "/usr/lib/jvm/*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*",  # Homebrew links neither of these onto the PATH
    "/usr/local/opt/openjdk*",
    "{sdkman}/candidates/java/*",
)
DEBIAN_JAVAS = ("openjdk-17-jre-headless", "default-jre-headless")
JAVA_REMEDY = (
    f"install one (Debian, Ubuntu: `apt-get install {DEBIAN_JAVAS[0]}`; macOS: `brew install openjdk@17`) "
    "or let JAVA_HOME point to one"
)


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `remedy` says what to do about it, and is empty where nothing needs doing."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class Later:
    """Something that Spark has since a version after the oldest that is supported, and what happens without it."""

    since: tuple[int, ...]
    what: str
    instead: str


#: The oldest Spark that is supported is in pyproject.toml. What it lacks, and what is done about that, is here.
LATER_SPARK = {
    "arrow_udf": Later(
        (4, 1),
        "Arrow functions for the expressions that run in Python",
        "whole rows go through Python there, which is slower",
    ),
    "in_frame": Later(
        (4, 1),
        "IN over a DataFrame",
        "a semi join stands for it, which may read more",
    ),
    "repartition_by_id": Later(
        (4, 1),
        "partitions by number (repartitionById)",
        "exchanges by bucket, broadcasts and exact round robins are refused",
    ),
}


# --- Java ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Java:
    """A Java that runs, fit for Spark or not."""

    home: Path
    version: str
    vector: bool

    @property
    def major(self) -> int:
        """8 for "1.8.0_392", 17 for "17.0.15", 21 for "21-ea"."""
        first, *rest = numbers(self.version)
        return rest[0] if first == 1 and rest else first

    @property
    def flaw(self) -> str:
        """Why Spark will not start on it; empty if it will."""
        if self.major < MINIMUM_JAVA:
            return "too old"
        return "" if self.vector else f"without {VECTOR}"


def find_java(env: Mapping[str, str] | None = None, homes: Sequence[str] = JVM_HOMES) -> Java | None:
    """The Java that Spark should use: JAVA_HOME's, else the one on the PATH, else the best of what is installed."""
    return next((java for java in javas(env, homes) if not java.flaw), None)


def javas(env: Mapping[str, str] | None = None, homes: Sequence[str] = JVM_HOMES) -> Iterator[Java]:
    """Every Java here, best first. Lazy: the rest is started only if JAVA_HOME and the PATH have not answered."""
    env = os.environ if env is None else env
    named = []
    if env.get("JAVA_HOME"):
        named.append(Path(env["JAVA_HOME"], "bin", "java"))
    on_path = shutil.which("java", path=env.get("PATH", ""))
    if on_path:
        named.append(Path(on_path))
    seen: set[Path] = set()
    yield from _running(named, seen)

    sdkman = env.get("SDKMAN_DIR") or str(Path.home() / ".sdkman")
    installed = (home for pattern in homes for home in sorted(glob.glob(pattern.format(sdkman=sdkman))))
    yield from sorted(_running((Path(home, "bin", "java") for home in installed), seen), key=_preference)


def _running(candidates: Iterator[Path] | Sequence[Path], seen: set[Path]) -> Iterator[Java]:
    """Those of the candidates that run, each once: homes are often links to one another."""
    for candidate in candidates:
        resolved = candidate.resolve()
        if resolved in seen or not os.access(resolved, os.X_OK):
            continue
        seen.add(resolved)
        java = probe(resolved)
        if java is not None:
            seen.add(java.home / "bin" / "java")
            yield java


def _preference(java: Java) -> tuple[bool, int]:
    return java.major not in TESTED_JAVAS, java.major


def probe(executable: Path) -> Java | None:
    """Ask a `java` what it is; None if it does not answer like one.

    It is asked for its home too, because the file on the PATH may be a wrapper that lives elsewhere.
    """
    said = _output(str(executable), "-XshowSettings:properties", "-version")
    version = re.search(r'^\S+ version "(\d[^"]*)"', said, re.MULTILINE)
    if version is None:
        return None
    home = re.search(r"^\s*java\.home = (.+?)\s*$", said, re.MULTILINE)
    modules = _output(str(executable), "--list-modules")  # Java 8 does not know the option: no module, then
    return Java(
        home=Path(home[1]) if home else executable.parent.parent,
        version=version[1],
        vector=re.search(rf"^{re.escape(VECTOR)}(@|\s|$)", modules, re.MULTILINE) is not None,
    )


def _output(*command: str) -> str:
    """What a command says on either stream (`java -version` speaks on stderr); nothing if it cannot be run."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode(errors="replace")


def no_java(env: Mapping[str, str] | None = None, homes: Sequence[str] = JVM_HOMES) -> str:
    """The one sentence for a machine without a fit Java."""
    unfit = ", ".join(f"Java {java.version} at {java.home} is {java.flaw}" for java in javas(env, homes) if java.flaw)
    return (
        f"Spark needs Java {MINIMUM_JAVA} or newer with the module {VECTOR}, and there is none here"
        f"{f' ({unfit})' if unfit else ''}: {JAVA_REMEDY}."
    )


def install_java() -> bool:
    """Install a Java with apt-get, where that is possible at all. Says so in one line, and what failed in another."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return False
    print("no Java that Spark can start on: installing one with apt-get", file=sys.stderr, flush=True)
    _apt("update")  # if it fails, the lists that are here may still do
    complaint = ""
    for package in DEBIAN_JAVAS:
        complaint = _apt("install", "--yes", "--no-install-recommends", package)
        if not complaint:
            return True
    print(f"apt-get could not install it: {complaint}", file=sys.stderr)
    return False


def _apt(*arguments: str) -> str:
    """Run apt-get without a word; its last one if it failed."""
    done = subprocess.run(
        ["apt-get", "-qq", *arguments],
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode == 0:
        return ""
    return done.stdout.decode(errors="replace").strip().rpartition("\n")[2] or f"exit code {done.returncode}"


# --- the rest ------------------------------------------------------------------------------------


def findings(env: Mapping[str, str] | None = None, homes: Sequence[str] = JVM_HOMES) -> list[Finding]:
    """Everything that Firesteel stands on, in the order in which one would repair it."""
    env = os.environ if env is None else env
    return [
        _python(),
        _java(env, homes),
        *_packages(),
        _spark(),
        _memory(),
        Finding("cores", True, str(_cores())),
        _conformance(env),
    ]


def _python() -> Finding:
    wanted = ".".join(map(str, MINIMUM_PYTHON))
    return Finding(
        "Python",
        sys.version_info >= MINIMUM_PYTHON,
        f"{sys.version.split()[0]} at {sys.executable}",
        "" if sys.version_info >= MINIMUM_PYTHON else f"Firesteel needs Python {wanted} or newer",
    )


def _java(env: Mapping[str, str], homes: Sequence[str]) -> Finding:
    java = find_java(env, homes)
    if java is None and _installed("firesteel") and not _installed("pyspark"):
        return Finding("Java", True, "none, and only Spark needs it (optional)")
    if java is None:
        return Finding("Java", False, "none that Spark can start on", no_java(env, homes))
    return Finding("Java", True, f"{java.version} at {java.home}, with {VECTOR}")


def _installed(package: str) -> bool:
    try:
        return bool(importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return False


#: The extras that users install; the others are for work on Firesteel itself.
EXTRAS = ("spark", "pandas", "shell", "notebook")


def _packages() -> list[Finding]:
    """One finding per runtime dependency, as the installed package itself declares them: those of the extras, too."""
    try:
        requirements = importlib.metadata.requires("firesteel") or []
    except importlib.metadata.PackageNotFoundError:
        return [Finding("firesteel", False, f"not installed for {sys.executable}", "run `make`, or `pip install .`")]
    found: dict[str, Finding] = {}
    for requirement in requirements:
        wanted, _, marker = (part.strip() for part in requirement.partition(";"))
        extra = next((extra for extra in EXTRAS if re.search(rf"extra == ['\"]{extra}['\"]", marker)), "")
        if extra or "extra ==" not in marker:
            finding = _package(wanted, extra)
            found.setdefault(finding.name, finding)
    return list(found.values())


def _package(requirement: str, extra: str = "") -> Finding:
    """`requirement` as metadata writes it: "pandas<3,>=2.2", "pyspark[connect]>=4.3". A package of an extra may be
    absent."""
    name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        if extra:
            return Finding(name, True, "not installed (optional)", f"pip install 'firesteel[{extra}]'")
        return Finding(name, False, "not installed", f'pip install "{requirement}"')
    if not _within(version, requirement):
        return Finding(name, False, f"{version} is not {requirement}", f'pip install "{requirement}"')
    return Finding(name, True, version)


def _within(version: str, requirement: str) -> bool:
    """Only `>=` and `<` are looked at: our own requirements use no other."""
    have = numbers(version)
    bounds = re.findall(r"(>=|<)\s*([\d.]+)", requirement)
    return all(have >= numbers(bound) if sign == ">=" else have < numbers(bound) for sign, bound in bounds)


def numbers(version: str) -> tuple[int, ...]:
    """(4, 1, 2) for "4.1.2.dev0"."""
    release = re.match(r"[\d.]*", version)
    return tuple(int(part) for part in (release[0] if release else "").split(".") if part)


def _spark() -> Finding:
    """PySpark comes in two packages, and only one of them brings the JVM's half."""
    spec = importlib.util.find_spec("pyspark")
    remedy = "pip install 'firesteel[spark]'"
    if spec is None or not spec.origin:
        return Finding("Spark", True, "no pyspark (optional)", remedy)
    jars = Path(spec.origin).parent / "jars"
    if not any(jars.glob("spark-core*.jar")):
        return Finding("Spark", False, "pyspark has no jars, so it can only speak to a remote Spark", remedy)
    return Finding("Spark", True, f"jars in {jars}", "; ".join(lacking(importlib.metadata.version("pyspark"))))


def lacking(version: str) -> list[str]:
    """What a Spark of that version lacks, and what is done instead."""
    later = (feature for feature in LATER_SPARK.values() if numbers(version) < feature.since)
    return [f"{version} has no {feature.what}: {feature.instead}" for feature in later]


def _memory() -> Finding:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return Finding("memory", True, "unknown")
    with contextlib.suppress(OSError, ValueError):  # a container's own limit, where there is one
        size = min(size, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    enough = size >= ENOUGH_MEMORY
    return Finding("memory", enough, f"{size / 2**30:.1f} GiB", "" if enough else "a local Spark wants 2 GiB or more")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _conformance(env: Mapping[str, str]) -> Finding:
    """The outside suites are welcome, never required."""
    folder = find_conformance(env)
    if folder is None:
        return Finding("conformance", True, "no outside suites (optional)", "FIRESTEEL_CONFORMANCE may point to them")
    return Finding("conformance", True, str(folder))


def find_conformance(env: Mapping[str, str] | None = None) -> Path | None:
    """Where the outside suites are: FIRESTEEL_CONFORMANCE, else ../shared/conformance from the project or from here."""
    env = os.environ if env is None else env
    if env.get("FIRESTEEL_CONFORMANCE"):
        candidates = [Path(env["FIRESTEEL_CONFORMANCE"])]
    else:
        roots = (Path(__file__).resolve().parents[2], Path.cwd())
        candidates = [root.parent / "shared" / "conformance" for root in roots]
    return next((folder for folder in candidates if folder.is_dir()), None)


# --- the command ---------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="doctor", description="Say whether this machine can run Firesteel.")
    parser.add_argument("--java-home", action="store_true", help="print only the home of Spark's Java")
    parser.add_argument("--install-java", action="store_true", help="install one first, if there is none")
    args = parser.parse_args(argv)

    if args.java_home or args.install_java:
        java = find_java()
        if java is None and args.install_java and install_java():
            java = find_java()
        if java is None:
            print(no_java(), file=sys.stderr)
            return 1
        print(java.home)
        return 0

    found = findings()
    width = max(len(finding.name) for finding in found)
    for finding in found:
        remedy = f" -> {finding.remedy}" if finding.remedy else ""
        print(f"{'ok     ' if finding.ok else 'missing'}  {finding.name:<{width}}  {finding.detail}{remedy}")
    return 0 if all(finding.ok for finding in found) else 1


if __name__ == "__main__":
    sys.exit(main())
