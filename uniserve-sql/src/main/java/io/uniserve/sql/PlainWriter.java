package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlNode;

/** Expressions over rows that are not grouped: actors compute them. */
final class PlainWriter extends SqlWriter {
    private final PartialAggregation partials;
    private final ColumnWriter rows;

    PlainWriter(PartialAggregation partials, ColumnWriter rows) {
        this.partials = partials;
        this.rows = rows;
    }

    @Override
    Optional<String> instead(SqlNode node) {
        return Optional.of(partials.column(rows.write(node)));
    }

    @Override
    PlainWriter in(QueryScope names) {
        return new PlainWriter(partials, rows.in(names));
    }
}
