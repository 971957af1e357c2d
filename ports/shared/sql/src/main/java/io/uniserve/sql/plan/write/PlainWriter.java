package io.uniserve.sql.plan.write;

import java.util.Optional;
import org.apache.calcite.sql.SqlNode;

/** Writer of expressions over rows without groups: actors compute them. */
public final class PlainWriter extends SqlWriter {
    private final PartialAggregation partialAggregation;
    private final ColumnWriter rows;

    public PlainWriter(PartialAggregation partialAggregation, ColumnWriter rows) {
        this.partialAggregation = partialAggregation;
        this.rows = rows;
    }

    @Override
    public Optional<String> replacement(SqlNode node) {
        return Optional.of(partialAggregation.column(rows.write(node)));
    }

    @Override
    PlainWriter in(QueryScope queryScope) {
        return new PlainWriter(partialAggregation, rows.in(queryScope));
    }
}
