"""The version of this source tree. Hatchling runs this file when it builds the package (`[tool.hatch.version]`).

    at the tag v0.2.0                       0.2.0
    5 commits after it                      0.2.1.dev5+g1a2b3c4
    in a repository without such a tag      0.2.0.dev731+g1a2b3c4: what CHANGELOG.md dates last is being made
    in a source distribution                what PKG-INFO says
    without git, as in an archive           what CHANGELOG.md dates last

`+g1a2b3c4` becomes `+g1a2b3c4.dirty` if a file has been changed since, and a tag with changes is the next version's.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", re.M)
_DESCRIBED = re.compile(r"v(\d+)\.(\d+)\.(\d+)-(\d+)-(g[0-9a-f]+)(-dirty)?")


def version(root: Path = ROOT) -> str:
    """The version of the tree in that folder."""
    info = root / "PKG-INFO"
    if info.is_file():
        found = re.search(r"^Version: (\S+)$", info.read_text(encoding="utf-8"), re.M)
        assert found is not None, info
        return found[1]
    described = _DESCRIBED.fullmatch(_git(root, "describe", "--tags", "--long", "--dirty", "--match", "v[0-9]*"))
    if described is not None:
        return _since(*described.groups())
    latest = _RELEASE.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert latest is not None, "CHANGELOG.md has no dated version"
    count, commit = _git(root, "rev-list", "--count", "HEAD"), _git(root, "describe", "--always", "--dirty")
    return f"{latest[1]}.dev{count}+g{commit.replace('-', '.')}" if count and commit else latest[1]


def _since(major: str, minor: str, patch: str, commits: str, commit: str, dirty: str | None) -> str:
    """The version so many commits after a tag."""
    if commits == "0" and not dirty:
        return f"{major}.{minor}.{patch}"
    return f"{major}.{minor}.{int(patch) + 1}.dev{commits}+{commit}{'.dirty' if dirty else ''}"


def _git(root: Path, *arguments: str) -> str:
    """What git says of this tree; nothing without git, or if the tree is part of another repository."""
    try:
        top = _output(root, "rev-parse", "--show-toplevel")
        return _output(root, *arguments) if Path(top).resolve() == root.resolve() else ""
    except (OSError, subprocess.CalledProcessError):
        return ""


def _output(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    print(version())
