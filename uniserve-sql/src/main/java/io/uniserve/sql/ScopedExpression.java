package io.uniserve.sql;

import org.apache.calcite.sql.SqlNode;

/** An expression, and what the names in it mean. */
record ScopedExpression(SqlNode node, QueryScope names) {}
