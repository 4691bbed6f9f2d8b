"""Dates, times, timestamps and intervals as structs of whole numbers, the calendar, and their text."""
