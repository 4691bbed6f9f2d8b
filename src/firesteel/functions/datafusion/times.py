"""DataFusion's functions of dates, times and intervals."""

from __future__ import annotations

from firesteel.functions.catalog import Function
from firesteel.functions.datafusion.rows import scalar

_UNITS = ("seconds", "millis", "micros", "nanos")

TIMES: tuple[Function, ...] = (
    scalar(
        "cast",
        "1",
        "A number as a time of as many units, or the other way round; a text as an interval.",
    ),
    scalar("add", "2", "A sum in which there is an interval."),
    scalar("subtract", "2", "A difference in which there is an interval, or the time between two moments."),
    scalar("date_bin", "2-3", "The start of the bin that a time is in: of an interval's length, from an origin."),
    scalar("date_trunc", "2", "The start of the year, month ... that a time is in."),
    scalar("time_trunc", "2", "The start of the hour, minute ... that a time of day is in."),
    scalar("date_part", "2", "A part of a time or of an interval, such as the year."),
    scalar("from_unixtime", "1-2", "The time of so many seconds from 1970."),
    scalar("make_date", "3", "The date of a year, a month and a day."),
    scalar("make_time", "3", "The time of an hour, a minute and a second."),
    scalar("to_date", "1+", "The date of a text, in one of several formats."),
    scalar("to_local_time", "1", "A time of a zone as its clocks show it."),
    scalar("to_timestamp", "1+", "The time of a text, in one of several formats, or of a number of seconds."),
    *(scalar(f"to_timestamp_{unit}", "1+", f"The time of a text or of a number of {unit}.") for unit in _UNITS),
    scalar("to_unixtime", "1+", "The seconds from 1970."),
    scalar("date_add", "2", "The date so many days later."),
    scalar("date_sub", "2", "The date so many days earlier."),
    scalar("add_months", "2", "The date so many months later."),
    scalar("last_day", "1", "The last day of the month."),
    scalar("next_day", "2", "The next day that is such a day of the week."),
    scalar("make_dt_interval", "0-4", "An interval of days, hours, minutes and seconds."),
    scalar("make_interval", "0-7", "An interval of years, months, weeks, days, hours, minutes and seconds."),
    scalar("to_utc_timestamp", "2", "The time in UTC at which the clocks of a zone show a time."),
    scalar("from_utc_timestamp", "2", "What the clocks of a zone show at a time in UTC."),
    scalar("to_char", "2", "A time by a format of `strftime`."),
    scalar("to_time", "1+", "The time of day of a text, in one of several formats, or of a timestamp."),
    scalar("weekday", "1", "The day of the week from 0, which is Monday."),
    scalar("monthname", "1", "The short name of the month."),
    scalar("date_diff", "2", "The days from the second date to the first."),
    scalar("unix_date", "1", "The days from 1970."),
    *(scalar(f"unix_{unit}", "1", f"The {unit} from 1970.") for unit in ("seconds", "millis", "micros")),
    scalar("hour", "1", "The hour."),
    scalar("minute", "1", "The minute."),
    scalar("second", "1", "The second."),
)
