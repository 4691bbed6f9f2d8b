"""The command line: `firesteel run | query | plan | explain | check | doctor`."""

from firesteel.cli.main import main

__all__ = ["main"]
