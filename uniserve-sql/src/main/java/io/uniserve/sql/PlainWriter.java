package io.uniserve.sql;

import java.util.Optional;
import org.apache.calcite.sql.SqlNode;

/** Expressions over rows that are not grouped: actors compute them. */
final class PlainWriter extends SqlWriter {
    private final Partials partials;

    PlainWriter(Partials partials) {
        this.partials = partials;
    }

    @Override
    Optional<String> instead(SqlNode node) {
        return Optional.of(partials.column(partials.rows().write(node)));
    }
}
