"""Plans of operator questions: small trees that can be read and run."""

from graphbrick.retrieve.operators.amounts import Amount, Count, Difference, IsAmong, IsAny, IsMore, Not
from graphbrick.retrieve.operators.measures import Attribute, Best, Degree, Measure, Within, compared, dated
from graphbrick.retrieve.operators.sets import (
    Along,
    Both,
    CannotPlanError,
    Either,
    Having,
    Listed,
    Members,
    Place,
    Plan,
    SetPlan,
    Steps,
    ValuePlan,
    Without,
)

__all__ = [
    "Along",
    "Amount",
    "Attribute",
    "Best",
    "Both",
    "CannotPlanError",
    "Count",
    "Degree",
    "Difference",
    "Either",
    "Having",
    "IsAmong",
    "IsAny",
    "IsMore",
    "Listed",
    "Measure",
    "Members",
    "Not",
    "Place",
    "Plan",
    "SetPlan",
    "Steps",
    "ValuePlan",
    "Within",
    "Without",
    "compared",
    "dated",
]
