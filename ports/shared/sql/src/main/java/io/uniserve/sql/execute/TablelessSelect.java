package io.uniserve.sql.execute;

import io.uniserve.api.QueryCancellation;
import io.uniserve.sql.engine.MergingEngine;
import io.uniserve.sql.parse.CheckedQuery;
import io.uniserve.sql.parse.ParsedQuery;
import io.uniserve.sql.plan.write.SqlWriter;
import io.uniserve.sql.rows.SqlErrorFactory;
import io.uniserve.sql.rows.SqlRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlSelect;

/**
 * SELECT without FROM, such as {@code SELECT 1}: one row of constant expressions, which the merging engine computes. It calls no actor.
 *
 * @param names of the answer's columns
 */
record TablelessSelect(String statement, List<String> names) {
    TablelessSelect {
        names = List.copyOf(names);
    }

    /** Plans the query. Fails with INVALID_ARGUMENT or UNSUPPORTED, with line and column. */
    static TablelessSelect of(ParsedQuery parsed) {
        SqlSelect select = (SqlSelect) CheckedQuery.validate(Map.of(), parsed);
        boolean more = select.getWhere() != null
                || select.getGroup() != null
                || select.getHaving() != null
                || select.isDistinct();
        if (more) {
            throw SqlErrorFactory.unsupported(select, "WHERE, GROUP BY, HAVING or DISTINCT without FROM is");
        }
        SqlWriter writer = new SqlWriter() {
            @Override
            public Optional<String> replacement(SqlNode node) {
                return Optional.empty();
            }
        };
        List<String> items = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (SqlNode item : select.getSelectList()) {
            boolean named = item.getKind() == SqlKind.AS;
            SqlNode value = named ? ((SqlCall) item).operand(0) : item;
            items.add(writer.write(value) + " AS c" + items.size());
            names.add(named ? ((SqlIdentifier) ((SqlCall) item).operand(1)).getSimple() : "_" + items.size());
        }
        return new TablelessSelect("SELECT " + String.join(", ", items), names);
    }

    SqlRows rows(MergingEngine engine, QueryCancellation life) {
        return engine.answer(Map.of(), statement, life);
    }
}
