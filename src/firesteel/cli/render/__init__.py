"""Answers written to a stream, in a format that a person or a program reads: `render(result, "box", sys.stdout)`."""

from firesteel.cli.render.formats import FORMATS, Format, render

__all__ = ["FORMATS", "Format", "render"]
