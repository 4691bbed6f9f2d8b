"""The rules of the specification that a Substrait plan can break: one row each, with a stable code.

`base` says what a rule is. A lowering that finds a broken rule raises its error: `ReferenceRule.FIELD.broken(...)`.
docs/findings.md is generated from the rows.
"""

from firesteel.rules.base import Remark, Rule, Severity
from firesteel.rules.plan_rules import AnchorRule, NameRule, PlanRule
from firesteel.rules.relation_rules import ExpressionRule, ReferenceRule, RelationRule
from firesteel.rules.value_rules import CallRule, LiteralRule, TypeRule

#: All rules, in the order of their codes.
RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            rule
            for group in (
                PlanRule,
                AnchorRule,
                ReferenceRule,
                TypeRule,
                CallRule,
                NameRule,
                LiteralRule,
                RelationRule,
                ExpressionRule,
            )
            for rule in group
        ),
        key=lambda rule: rule.code,
    )
)
BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}

__all__ = [
    "BY_CODE",
    "RULES",
    "AnchorRule",
    "CallRule",
    "ExpressionRule",
    "LiteralRule",
    "NameRule",
    "PlanRule",
    "ReferenceRule",
    "RelationRule",
    "Remark",
    "Rule",
    "Severity",
    "TypeRule",
]
