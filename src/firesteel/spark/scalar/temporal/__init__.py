"""Functions of dates, times and intervals, and the format patterns of TO_STRING and TO_TIMESTAMP."""
