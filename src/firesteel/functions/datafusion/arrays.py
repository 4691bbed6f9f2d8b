"""DataFusion's functions of lists and maps."""

from __future__ import annotations

from firesteel.functions.catalog import Function
from firesteel.functions.datafusion.rows import scalar


def _own(name: str, counts: str, doc: str) -> Function:
    return scalar(name, counts, doc, own=True)


ARRAYS: tuple[Function, ...] = (
    _own("array_append", "2", "The list with a value at its end; NULL counts as an empty list."),
    _own("array_prepend", "2", "The list with a value at its start; NULL counts as an empty list."),
    _own("array_concat", "1+", "The elements of all lists, one after the other."),
    _own("array_has", "2", "Is the value an element?"),
    scalar("array_has_all", "2", "Are all elements of the second list in the first?"),
    scalar("array_has_any", "2", "Is an element of the second list in the first?"),
    scalar("array_distinct", "1", "The different elements, NULL among them."),
    scalar("array_dims", "1", "The length in each dimension."),
    scalar("array_ndims", "1", "The number of dimensions."),
    scalar("array_element", "2", "The element at a place from 1, from the end where it is negative; else NULL."),
    scalar("array_any_value", "1", "The first element that is not NULL."),
    scalar("array_except", "2", "The different elements that are not in the second list."),
    scalar("array_intersect", "2", "The different elements that are in both lists."),
    scalar("array_union", "2", "The different elements of both lists."),
    scalar("array_subtract", "2", "The differences of two lists of numbers, place by place."),
    _own("array_length", "1-2", "The length, or that in a dimension from 1."),
    scalar("cardinality", "1", "The number of elements at all depths, or of entries."),
    _own("size", "1", "The number of elements or of entries; -1 of NULL."),
    scalar("empty", "1", "Has the list no elements?"),
    scalar("array_max", "1", "The greatest element that is not NULL."),
    scalar("array_min", "1", "The least element that is not NULL."),
    scalar("array_product", "1", "The product of the elements that are not NULL."),
    scalar("array_sum", "1", "The sum of the elements that are not NULL."),
    scalar("inner_product", "2", "The sum of the products, place by place."),
    scalar("array_distance", "2", "The Euclidean distance of two lists of numbers."),
    scalar("cosine_distance", "2", "One less the cosine of the angle between two lists of numbers."),
    scalar("array_normalize", "1", "The list of numbers, divided by its length as a vector."),
    scalar("array_pop_back", "1", "The list without its last element."),
    scalar("array_pop_front", "1", "The list without its first element."),
    _own("array_position", "2-3", "The first place from 1, or from a place on, of a value."),
    _own("array_positions", "2", "All places of a value, from 1."),
    _own("array_remove", "2", "The list without the first element that is the value."),
    _own("array_remove_n", "3", "The list without the first so many elements that are the value."),
    _own("array_remove_all", "2", "The list without the elements that are the value."),
    _own("array_compact", "1", "The list without NULL."),
    scalar("array_repeat", "2", "A list of so many times the value.", own=True, dear=True),
    _own("array_replace", "3", "The list with another value for the first that is the value."),
    _own("array_replace_n", "4", "The list with another value for the first so many that are the value."),
    _own("array_replace_all", "3", "The list with another value for each that is the value."),
    scalar("array_resize", "2-3", "The list cut, or filled with a value, to a length.", own=True, dear=True),
    scalar("array_reverse", "1", "The elements from the last to the first."),
    _own("array_slice", "3-4", "The elements from one place to another, by a step; negative places are from the end."),
    _own("array_sort", "1-3", "The elements in order: ASC or DESC, NULLS FIRST or NULLS LAST."),
    _own("array_to_string", "2-3", "The elements as text, joined; NULL is left out, or written as a text."),
    scalar("flatten", "1", "A list of lists as one list."),
    scalar("range", "1-3", "The values from one up to, and without, another, by a step.", dear=True),
    scalar("generate_series", "1-3", "The values from one up to another, by a step.", dear=True),
    _own("string_to_array", "2-3", "The parts of a text between separators; what is a given text becomes NULL."),
    _own("arrays_zip", "1+", "A list of structs, of the elements at each place; shorter lists are filled with NULL."),
    _own("map", "2", "A map of a list of keys and a list of values."),
    scalar("map_extract", "2", "A list of the value under a key, or an empty one, or of NULL."),
    scalar("map_keys", "1", "The keys as a list."),
    scalar("map_values", "1", "The values as a list."),
    scalar("map_entries", "1", "The entries as a list of structs."),
    scalar("map_from_arrays", "2", "A map of a list of keys and a list of values."),
    scalar("map_from_entries", "1", "A map of a list of structs of a key and a value."),
    scalar("array_contains", "2", "Is the value an element? NULL where it may be."),
    scalar("slice", "3", "So many elements from a place on; a negative place is from the end."),
)
