"""The page as one file of HTML: `page.html` with `page.css`, `page.js` and the data in it.

The data is JSON, and the script makes text nodes of it, so that nothing in a plan can become markup. The page's own
policy forbids every other script and style, and all requests.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from firesteel.explain.page.model import PlanPage

#: Characters of JSON that would end a script or begin markup.
_MARKUP = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
#: How high a page is in a notebook, in pixels.
_HEIGHT = 640


@cache
def _part(name: str) -> str:
    return (files("firesteel.explain.page") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def page_html(page: PlanPage) -> str:
    """The page as one file."""
    style, script = _part("page.css"), _part("page.js")
    data = json.dumps(page.to_python(), ensure_ascii=False, separators=(",", ":")).translate(_MARKUP)
    parts = {
        "title": escape(page.title),
        "style": style,
        "style_hash": _hash(style),
        "script": script,
        "script_hash": _hash(script),
        "data": data,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _part("page.html"))


def page_frame(page: PlanPage) -> str:
    """The page in a frame, for a notebook: its styles and keys are not mixed with those of the notebook."""
    return (
        f'<iframe srcdoc="{escape(page_html(page))}" sandbox="allow-scripts" title="{escape(page.title)}" '
        f'width="100%" height="{_HEIGHT}" style="border:1px solid #8884;border-radius:8px"></iframe>'
    )


__all__ = ["page_frame", "page_html"]
