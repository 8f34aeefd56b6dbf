"""Readers of related tables: folders of CSV files with foreign keys, SQLite files, workbooks, and tables of records.

`sources` and `sqlite` open tables, `profile` goes through their rows, `keys` and `references` find what identifies a
row and what its columns refer to, `plan` puts it together, and `records` yields entities and triples.
"""
