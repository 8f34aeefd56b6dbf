"""Answer Cypher over a ladybug database, in a process of `graphbrick.core.workers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ladybug

_ADDRESSES = 1 << 40  # bytes of virtual memory that a database may map


def opened(file: str, cache: int) -> Callable[[dict[str, Any]], Any]:
    """Return the function that answers queries of a database, which is opened for reading.

    Args:
        file: The database.
        cache: Bytes of the page cache.
    """
    database = ladybug.Database(file, read_only=True, buffer_pool_size=cache, max_db_size=_ADDRESSES)

    def answer(request: dict[str, Any]) -> Any:
        """Return columns and at most ``limit`` + 1 rows; None if the text has several queries.

        Raises:
            TimeoutError: It took longer than its seconds.
        """
        connection = ladybug.Connection(database)
        try:
            connection.set_query_timeout(int(request["seconds"] * 1000))
            result = connection.execute(request["text"], request["values"])
            if isinstance(result, list):
                return None
            rows: list[Any] = []
            while len(rows) <= request["limit"] and result.has_next():
                rows.append(result.get_next())
            return result.get_column_names(), rows
        except RuntimeError as error:
            if "Interrupted" in str(error):
                raise TimeoutError from error
            raise
        finally:
            connection.close()

    return answer
