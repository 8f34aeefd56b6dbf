"""Statistics of a prepared graph: counts, degrees, hubs, relations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphbrick.spark.prepared import Prepared

_TOP = 20
_SHARES = (0.5, 0.9, 0.99, 0.999)


def statistics(prepared: Prepared) -> dict[str, Any]:
    """Return counts, quantiles of the degree, hubs and frequent relations, as plain JSON types.

    The degree of an entity is the number of its triples, in both directions. Quantiles are exact to a thousandth.
    """
    from pyspark.sql import functions as F  # noqa: N812

    entities = prepared.entities().withColumn("degree", F.col("out_degree") + F.col("in_degree"))
    count = F.count(F.lit(1))
    facts = entities.agg(
        count.alias("entities"),
        F.sum((F.col("out_degree") == 0).cast("long")).alias("without_outgoing"),
        F.sum((F.col("in_degree") == 0).cast("long")).alias("without_incoming"),
        F.max("degree").alias("largest_degree"),
        F.percentile_approx("degree", list(_SHARES), 1000).alias("quantiles"),
    ).first()
    hubs = entities.orderBy(F.desc("degree"), "id").limit(_TOP).collect()
    relations = prepared.triples().groupBy("relation").agg(count.alias("triples"))
    top = relations.orderBy(F.desc("triples"), "relation").limit(_TOP).collect()
    assert facts is not None
    return {
        **{name: facts[name] for name in ("entities", "without_outgoing", "without_incoming", "largest_degree")},
        "degree_quantiles": dict(zip(map(str, _SHARES), facts["quantiles"], strict=True)),
        "hubs": [{"entity": row.entity, "degree": row.degree} for row in hubs],
        "relations": relations.count(),
        "top_relations": [{"relation": row.relation, "triples": row.triples} for row in top],
    }
