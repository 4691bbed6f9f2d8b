"""The commands, one module each. `firesteel.cli.registry` has the table of them."""
