package io.uniserve.sql;

import io.uniserve.api.Columns;
import io.uniserve.sql.ParsedQuery.Named;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** What the names in a validated query mean. */
final class Names {
    private final List<Named> tables;
    private final List<Columns> columns;

    /** A table of the FROM, by its place there, and a column of it. */
    record Found(int item, String column) {}

    /** Every table is in the map, by its name in the query. */
    Names(List<Named> tables, Map<String, Columns> columns) {
        this.tables = tables;
        this.columns = tables.stream().map(named -> of(columns, named)).toList();
    }

    private static Columns of(Map<String, Columns> columns, Named named) {
        Columns known = columns.get(named.table());
        if (known == null) {
            throw SqlErrors.invalid(named.name(), "table " + named.table() + " is not known");
        }
        return known;
    }

    int count() {
        return tables.size();
    }

    Named named(int item) {
        return tables.get(item);
    }

    Columns columns(int item) {
        return columns.get(item);
    }

    /** The tables that a star in a SELECT stands for. */
    List<Integer> items(SqlIdentifier star) {
        return IntStream.range(0, tables.size())
                .filter(item -> star.names.size() < 2 || alias(item).equals(lower(star.names.get(0))))
                .boxed()
                .toList();
    }

    /** The column; empty where the name is not one's, such as an alias of the SELECT. */
    Optional<Found> find(SqlIdentifier name) {
        if (name.isStar() || name.names.size() > 2) {
            return Optional.empty();
        }
        String last = lower(name.names.get(name.names.size() - 1));
        for (int item = 0; item < tables.size(); item++) {
            if (name.isSimple() || alias(item).equals(lower(name.names.get(0)))) {
                Optional<String> column = columns.get(item).names().stream()
                        .filter(known -> known.equals(last))
                        .findFirst();
                if (column.isPresent()) {
                    return Optional.of(new Found(item, column.get()));
                }
            }
        }
        return Optional.empty();
    }

    /** The tables whose columns are in an expression. */
    BitSet items(SqlNode expression) {
        BitSet items = new BitSet();
        expression.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier name) {
                find(name).ifPresent(found -> items.set(found.item()));
                return null;
            }
        });
        return items;
    }

    private String alias(int item) {
        return lower(tables.get(item).alias());
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
