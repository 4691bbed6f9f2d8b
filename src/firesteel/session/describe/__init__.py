"""What is known of a table: `description.py` says its columns, files and promises, `samples.py` what is in its rows."""

from firesteel.session.describe.description import Description, describe
from firesteel.session.describe.samples import Found, found_in

__all__ = ["Description", "Found", "describe", "found_in"]
