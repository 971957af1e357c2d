package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlNode;

/** Writer of expressions over rows without groups: actors compute them. */
final class PlainWriter extends SqlWriter {
    private final PartialAggregation partialAggregation;
    private final ColumnWriter rows;

    PlainWriter(PartialAggregation partialAggregation, ColumnWriter rows) {
        this.partialAggregation = partialAggregation;
        this.rows = rows;
    }

    @Override
    Optional<String> instead(SqlNode node) {
        return Optional.of(partialAggregation.column(rows.write(node)));
    }

    @Override
    PlainWriter in(QueryScope queryScope) {
        return new PlainWriter(partialAggregation, rows.in(queryScope));
    }
}
