"""Rules about a plan as a whole: required parts, anchors, names."""

from __future__ import annotations

from firesteel.rules.base import Rule, Severity

_WARNING, _NOTE = Severity.WARNING, Severity.NOTE


class PlanRule(Rule):
    """What a message has to have."""

    REQUIRED = "FS301", "a required field is set", "Relations: properties that are Required", "set the field"
    SAYS_NOTHING = (
        "FS302",
        "of the alternatives of a message one is set",
        "Serialization: the oneofs of Plan, Rel, Expression, Type and Literal",
        "set one of the alternatives",
    )
    NOT_SAID = (
        "FS303",
        "an enumeration that decides what a message means is not UNSPECIFIED",
        "Relations: types of operations that are Required",
        "name one of the enumeration's values",
    )
    EMPTY = (
        "FS304",
        "a list that must have an entry has one",
        "Relations: properties of which at least one is required",
        "add an entry, or leave the message out",
    )
    TWO_FORMS = (
        "FS305",
        "a message uses the old or the new form of a field, not both",
        "Serialization: fields that were replaced",
        "leave the old form out",
    )
    OWN_MESSAGE = (
        "FS306",
        "an extension message of Firesteel's is well-formed",
        "docs/substrait-extensions.md",
        "write it as docs/substrait-extensions.md says",
    )
    NO_VERSION = (
        "FS307",
        "a plan says the version of the specification that it is written for",
        "Versioning: Plan.version is required since 0.17",
        "set Plan.version to the version of the specification",
        _WARNING,
    )
    NO_ROOT = (
        "FS308",
        "a plan has a root, whose rows are returned, or a write",
        "Basics: results of subtrees are discarded",
        "make the last relation tree a root",
        _WARNING,
    )
    OLD_FORM = (
        "FS309",
        "a plan uses no field that was removed from the specification",
        "Versioning: removed fields",
        "write the plan for today's specification: plan.to_substrait()",
        _NOTE,
    )


class AnchorRule(Rule):
    """Declarations, and references to them."""

    TWICE = (
        "FS311",
        "an anchor is declared once",
        "Extensions, outer references, parameters: anchors are unique in a plan",
        "give each declaration an anchor of its own",
    )
    FUNCTION_ANCHOR = (
        "FS312",
        "a function reference is the anchor of a declared function",
        "Extensions: functions are declared once and referred to by anchor",
        "declare the function in Plan.extensions",
    )
    TYPE_ANCHOR = (
        "FS313",
        "a type reference is the anchor of a declared type",
        "Extensions: types are declared once and referred to by anchor",
        "declare the type in Plan.extensions or Plan.type_aliases",
    )
    URN_ANCHOR = (
        "FS314",
        "a declaration refers to the URN of its extension",
        "Extensions: every declaration names its extension's URN by anchor",
        "declare the URN in Plan.extension_urns",
        _WARNING,
    )
    UNUSED = (
        "FS315",
        "what a plan declares is used",
        "Extensions: a plan declares what it refers to",
        "leave the declaration out",
        _NOTE,
    )
    LAMBDA_ANCHOR = (
        "FS316",
        "a lambda reference is the anchor of a declared lambda",
        "Lambda expressions: named lambdas",
        "declare the lambda in Plan.named_lambdas",
    )
    CYCLE = (
        "FS317",
        "nothing contains itself",
        "Basics: relations are trees; references go to earlier trees",
        "take the cycle apart",
    )


class NameRule(Rule):
    """Names at the edges of a plan."""

    ROOT_NAMES = (
        "FS351",
        "a root names each column and each struct field inside them once",
        "Basics: names are bound by depth-first traversal of the schema",
        "give as many names as there are columns and struct fields, depth first",
    )
    SCHEMA_NAMES = (
        "FS352",
        "a schema names each column and each struct field inside them once",
        "Basics: names are bound by depth-first traversal of the schema",
        "give as many names as there are columns and struct fields, depth first",
    )
    SAME_NAME = (
        "FS353",
        "columns of a table have different names",
        "Basics: names of a read are matched with those of the table",
        "name each column once",
    )
    NESTED_NAMES = (
        "FS354",
        "a root names the struct fields inside its columns, too",
        "Basics: a name for every struct field and column encountered",
        "name the fields inside of structs behind their column",
        _WARNING,
    )
    WRITE_NAMES = (
        "FS355",
        "a write has as many columns and names as its table",
        "Logical relations: Write, field names",
        "give the input the columns of the table",
    )
