"""Readers of SQL databases by their address: PostgreSQL, MySQL, MariaDB, DuckDB, and others that SQLAlchemy knows.

`address` reads the address, `alchemy` and `duck` find the tables and stream their rows within one read-only
transaction, and `source` hands them to the planner of related tables, as for SQLite files.
"""
