"""`python -m firesteel`."""

from firesteel.cli import main

main()
