"""Opens files. The opened file is checked, not its name, and every failure is a Firesteel error that names the file."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from firesteel.errors import EvaluationError, FiresteelError, PlanError
from firesteel.policy import Unpacking, kind_of, open_canonical, over

#: The suffixes of compressed files, and how their content begins. The content decides, not the name.
COMPRESSED: dict[str, tuple[bytes, ...]] = {
    ".gz": (b"\x1f\x8b\x08",),
    ".bz2": tuple(b"BZh%d" % level for level in range(1, 10)),
    ".zst": (b"\x28\xb5\x2f\xfd",),
}

#: The limits of a policy without any of its own.
UNPACKING = Unpacking()

DAMAGED = "it is cut short or damaged: copy or write it once more"


def path_of(given: str | os.PathLike[str]) -> Path:
    """A path that the system can take: without NUL, and without halves of surrogate pairs."""
    try:
        if os.fspath(given) and b"\0" not in os.fsencode(given):
            return Path(given)
    except (TypeError, UnicodeEncodeError):
        pass
    raise PlanError(
        f"{given!r} is no path of a file",
        help="a path is not empty, and has no NUL and no half of a surrogate pair in it",
    )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever goes wrong with a file in here is an error of ours. What Arrow raises is a ValueError or an OSError."""
    try:
        yield
    except FiresteelError:
        raise
    except UnicodeDecodeError as error:
        raise not_utf8(path, f": the byte 0x{error.object[error.start]:02x} at {error.start}") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise PlanError(f"'{path}' cannot be decompressed: {error}", help=DAMAGED) from error
    except FileNotFoundError as error:
        raise PlanError(f"no file '{path}'", help="it is gone, or was never there") from error
    except OSError as error:
        raise PlanError(f"'{path}' cannot be read: {error.strerror or error}") from error
    except MemoryError as error:
        raise EvaluationError(f"'{path}' takes more memory than there is", help="read it on Spark") from error
    except (ValueError, ArithmeticError, NotImplementedError, KeyError) as error:
        if "invalid UTF8" in str(error):  # Arrow's reader of CSV
            raise not_utf8(path) from error
        raise PlanError(f"'{path}' cannot be read: {' '.join(str(error).split())}") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Whatever goes wrong while a file is written is an error of ours."""
    try:
        yield
    except FiresteelError:
        raise
    except UnicodeEncodeError as error:
        half = "a text in it has half of a surrogate pair, which is no character"
        raise EvaluationError(f"'{path}' cannot be written: {half}") from error
    except OSError as error:
        raise EvaluationError(f"'{path}' cannot be written: {error.strerror or error}") from error
    except MemoryError as error:
        raise EvaluationError(f"'{path}' cannot be written: there is not enough memory") from error
    except (ValueError, ArithmeticError, NotImplementedError, KeyError) as error:
        raise EvaluationError(f"'{path}' cannot be written: {' '.join(str(error).split())}") from error


def not_utf8(path: Path, where: str = "") -> PlanError:
    """The error for text that is not UTF-8. Encodings are never guessed."""
    return PlanError(
        f"'{path}' is not UTF-8{where}",
        help="convert it to UTF-8 first, or register a CSV file with encoding='latin-1'",
    )


def open_file(path: Path, *, canonical: bool = False) -> BinaryIO:
    """A regular file, open. A `canonical` path was judged by a policy: there no link is followed on the way."""
    with reading(path):
        # Opening a pipe would wait for whoever writes to it.
        handle = open_canonical(path) if canonical else os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            os.close(handle)
            raise PlanError(f"'{path}' is {kind_of(mode)}, not a file", help="copy what it gives to a file first")
        return os.fdopen(handle, "rb")


def open_unpacked(path: Path, unpacking: Unpacking = UNPACKING, *, canonical: bool = False) -> BinaryIO:
    """The content of a file, decompressed if it is compressed. What becomes larger than is allowed is refused."""
    file = open_file(path, canonical=canonical)
    with reading(path):
        unpack = _OPEN.get(_compression(file))
        if unpack is None:
            return file
        size = os.fstat(file.fileno()).st_size
        unpacked = _Unpacked(path, file, unpack, *unpacking.bound(size))
        return _Closing(io.BufferedReader(unpacked, _BUFFER), file)  # type: ignore[return-value]


def compression_of(path: Path) -> str:
    """The suffix that files with this compression have; none, if the content is not compressed."""
    with open_file(path) as file, reading(path):
        return _compression(file)


def _compression(file: BinaryIO) -> str:
    start = file.read(16)
    file.seek(0)
    return next((suffix for suffix, starts in COMPRESSED.items() if start.startswith(starts)), "")


def _zstd(file: BinaryIO) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(file), "zstd")


_BUFFER = 1 << 17


class _Unpacked(io.RawIOBase):
    """What a stream decompresses, up to a bound: a file of a few bytes may become endless (a bomb)."""

    def __init__(self, path: Path, file: BinaryIO, unpack: Callable[[BinaryIO], Any], bound: float, limit: str) -> None:
        self._path, self._file, self._unpack = path, file, unpack
        self._bound, self._limit = bound, limit
        self._begin()

    def _begin(self) -> None:
        self._file.seek(0)
        self._stream, self._at = self._unpack(self._file), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a byte: onwards, or from the beginning once more."""
        if whence != os.SEEK_SET:
            raise io.UnsupportedOperation("a compressed file is read from its beginning")
        if offset < self._at:
            self._begin()
        while self._at < offset and self.read(min(offset - self._at, _BUFFER)):
            pass
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._at += len(data)
        if self._at > self._bound:
            raise over(self._limit, f"'{self._path}' is compressed, and becomes more than {self._bound:,.0f} bytes")
        buffer[: len(data)] = data
        return len(data)


_OPEN: dict[str, Callable[[BinaryIO], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".zst": _zstd}


class _Closing:
    """A decompressing file that closes the one beneath it, too."""

    def __init__(self, outer: BinaryIO, inner: BinaryIO) -> None:
        self._outer, self._inner = outer, inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outer, name)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._outer)

    def __enter__(self) -> _Closing:
        return self

    def __exit__(self, *exc: object) -> None:
        self._outer.close()
        self._inner.close()


def ensure_regular(path: Path) -> None:
    """A path leads to a file or a folder: a pipe or a device would be read for ever, or by nobody else."""
    with reading(path):
        mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise PlanError(f"'{path}' is {kind_of(mode)}, not a file", help="copy what it gives to a file first")
