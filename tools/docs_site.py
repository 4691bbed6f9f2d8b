"""What mkdocs calls while it builds the site (`hooks` in mkdocs.yml), in an environment of its own, without Firesteel.

The files of the project's root become pages, too: README.md is the first page. Links between them and docs/ are
rewritten, so that they work in the repository and on the site.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
#: Files of the root, and the pages that they become.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "license.md",
}
_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(#[^)\s]*)?(?=\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the root."""
    files.append(File.generated(config, "decisions/index.md", content=_decisions()))
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        if not name.endswith(".md"):
            text = f"# License\n\n```text\n{text}```\n"
        files.append(File.generated(config, page, content=text))
    return files


def _decisions() -> str:
    """The list of the decisions, by their headings."""
    lines = ["# Decisions", "", "Why things are as they are, half a page each.", ""]
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        heading = path.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")
        title = re.sub(r"^0*\d+[.:]\s*", "", heading)
        lines.append(f"- {path.name[:4].lstrip('0')}: [{title[:1].upper()}{title[1:]}]({path.name})")
    return "\n".join(lines) + "\n"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the links of a page."""
    source = next((name for name, made in PAGES.items() if made == page.file.src_uri), f"docs/{page.file.src_uri}")
    return _LINK.sub(lambda found: site_link(source, found[1]) + (found[2] or ""), markdown)


def site_link(source: str, target: str) -> str:
    """A link of a file, given as paths of the repository, as it is between the pages of the site."""
    here, there = PurePosixPath(source).parent, _joined(PurePosixPath(source).parent, target)
    if there in PAGES:
        there = f"docs/{PAGES[there]}"
    if not there.startswith("docs/"):
        return target  # mkdocs says that there is no such page
    if (ROOT / there).is_dir():
        there += "/index.md"
    if not here.parts:
        here = PurePosixPath("docs")
    back = [".."] * (len(here.parts) - 1)
    return "/".join([*back, there.removeprefix("docs/")])


def _joined(folder: PurePosixPath, target: str) -> str:
    """A relative path from a folder, without `..`."""
    parts = list(folder.parts)
    for part in PurePosixPath(target).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)
