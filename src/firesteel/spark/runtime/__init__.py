"""The engine: starting Spark, sessions and their settings, running, interrupting, writing."""
