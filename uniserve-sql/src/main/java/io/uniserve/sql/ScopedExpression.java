package io.uniserve.sql;

import org.apache.calcite.sql.SqlNode;

/** Expression with the scope that resolves its names. */
record ScopedExpression(SqlNode node, QueryScope names) {}
