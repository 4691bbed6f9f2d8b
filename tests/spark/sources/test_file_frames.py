"""Frames over files are kept for as long as the files are the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firesteel.spark.sources.file_frames import Opened, cached_frame
from firesteel.tables import File


class Session:
    """What frames are kept for."""


def test_a_frame_is_made_once(tmp_path: Path) -> None:
    session: Any = Session()
    made: list[object] = []

    def load() -> Any:
        made.append(Opened(object()))  # type: ignore[arg-type]
        return made[-1]

    folder = File(tmp_path, "parquet")
    file = tmp_path / "a" / "part.parquet"
    file.parent.mkdir()
    file.write_bytes(b"one")
    first = cached_frame(session, folder, "parquet", load)
    assert cached_frame(session, folder, "parquet", load) is first
    assert cached_frame(session, folder, "orc", load) is not first
    assert cached_frame(Session(), folder, "parquet", load) is not first
    file.write_bytes(b"another")
    second = cached_frame(session, folder, "parquet", load)
    assert second is not first
    (tmp_path / "more.parquet").write_bytes(b"")
    assert cached_frame(session, folder, "parquet", load) is not second
    assert len(made) == 5


def test_what_is_not_there_is_not_kept(tmp_path: Path) -> None:
    session: Any = Session()
    made = [
        cached_frame(session, File(tmp_path / "none", "parquet"), "parquet", lambda: Opened(object())) for _ in range(2)
    ]  # type: ignore[arg-type]
    assert made[0] is not made[1]
