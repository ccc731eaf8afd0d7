"""Databases that run exported queries in the tests alone: MariaDB (the dialect of MySQL) and Spark."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any

import pytest

from quercus.export import Program, Vectors
from quercus.export.engines import Answers, _read_answers, _table

#: Where the tests' server of MariaDB listens.
SOCKET = "QUERCUS_MARIADB_SOCKET"


def by_mariadb(pairs: list[tuple[Any, Vectors]]) -> list[Answers]:
    """Run queries by a server of MariaDB, in temporary tables whose texts are compared without upper and lower case."""
    pymysql = pytest.importorskip("pymysql", reason="pymysql is not installed")
    text = "TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    result = []
    connection = pymysql.connect(unix_socket=os.environ[SOCKET], user="root", database="test", charset="utf8mb4")
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@sql_mode")
        mode = cursor.fetchone()[0]
        for query, vectors in pairs:
            create, insert = _table(vectors, "DOUBLE", "BIGINT", text, "BOOLEAN", ("DATETIME(6)", "", "TIME(6)", ""))
            cursor.execute("SET sql_mode = 'ANSI_QUOTES'")
            cursor.execute(create.replace("CREATE TABLE rows", 'CREATE OR REPLACE TEMPORARY TABLE "rows"', 1))
            insert = insert.replace("INTO rows", 'INTO "rows"').replace("?", "%s")
            cursor.executemany(insert, [(place, *row) for place, row in enumerate(vectors.rows)])
            cursor.execute("SET sql_mode = %s", (mode,))
            cursor.execute(query)
            result.append(_read_answers(sorted(cursor.fetchall()), vectors))
    return result


def in_mariadb(program: Program) -> bool:
    """Columns with names that a table can have, each of them once; no moments with a time zone, no durations."""
    columns = [program.schema[place] for place in program.inputs]
    names = [column.name for column in columns]
    dates = all(column.date_type in (None, "local", "time") for column in columns)
    return dates and all(len(name) <= 64 and not name.endswith(" ") and "🌳" not in name for name in names)


@cache
def _spark() -> Any:
    """A session of Spark, in a Java machine of its own."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    return builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()


def in_spark(program: Program) -> bool:
    """Columns without ``${``, which Spark takes for a variable."""
    return not any("${" in program.schema[place].name for place in program.inputs)


def by_spark(pairs: list[tuple[Any, Vectors]]) -> list[Answers]:
    """Run queries by Spark, in temporary views."""
    session, result = _spark(), []
    from pyspark.sql import types

    kinds = {"DOUBLE": types.DoubleType, "BIGINT": types.LongType, "TEXT": types.StringType}
    kinds |= {"BOOLEAN": types.BooleanType, "DATE": types.TimestampNTZType}
    for query, vectors in pairs:
        create, _ = _table(vectors, "DOUBLE", "BIGINT", "TEXT", "BOOLEAN", ("DATE",) * 4)
        words = re.findall(r'" (DOUBLE|BIGINT|TEXT|BOOLEAN|DATE)(?=[,)])', create)
        fields = [types.StructField("id", types.LongType())]
        fields += [types.StructField(name, kinds[one]()) for name, one in zip(vectors.names, words, strict=True)]
        rows = [
            (
                place,
                *(
                    float(cell) if one == "DOUBLE" and cell is not None else cell
                    for one, cell in zip(words, row, strict=True)
                ),
            )
            for place, row in enumerate(vectors.rows)
        ]
        session.createDataFrame(rows, types.StructType(fields)).createOrReplaceTempView("rows")
        answers = session.sql(query.rstrip().rstrip(";")).collect()
        result.append(_read_answers(sorted(tuple(answer) for answer in answers), vectors))
    return result
