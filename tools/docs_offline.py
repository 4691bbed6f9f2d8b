"""Does a built site load anything from the network? Every page and style sheet is searched.

python -m tools.docs_offline build/site
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: The attributes by which a page loads something. Those of `a` are links, which nobody follows by reading.
LOADS = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
}
#: What a `link` is for, if it loads nothing.
_SAID_ONLY = {"canonical", "alternate", "author", "license", "next", "prev", "help", "search"}
_OUTSIDE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)|@import\s+['\"]((?:https?:)?//[^'\"]+)")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "link" and set((given.get("rel") or "").split()) <= _SAID_ONLY:
            return
        self.loaded += [value for name in LOADS.get(tag, ()) if (value := given.get(name)) and _OUTSIDE.match(value)]
        self.loaded += _styles(given.get("style") or "")


def _styles(text: str) -> list[str]:
    return [found[1] or found[2] for found in _IN_STYLE.finditer(text)]


def loads(site: Path) -> Iterator[str]:
    """What the files of a site load from the network, as `page: address`."""
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            page = _Page()
            text = path.read_text(encoding="utf-8")
            page.feed(text)
            found = page.loaded + [
                one for style in re.findall(r"<style[^>]*>(.*?)</style>", text, re.S) for one in _styles(style)
            ]
        elif path.suffix == ".css":
            found = _styles(path.read_text(encoding="utf-8"))
        else:
            continue
        yield from (f"{path.relative_to(site)}: {address}" for address in found)


def main() -> int:
    found = list(loads(Path(sys.argv[1])))
    print("\n".join(found[:20]), end="\n" if found else "", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
