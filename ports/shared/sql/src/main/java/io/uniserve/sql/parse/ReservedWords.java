package io.uniserve.sql.parse;

import io.uniserve.sql.rows.SqlErrorFactory;
import java.util.Locale;
import java.util.Set;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Words that the parser accepts as names but DuckDB does not: DuckDB would interpret another query, or fail. They are allowed as names in
 * double quotes only. {@code t SEMI JOIN u} is not an inner join of a table named {@code semi}, and {@code integer '5'} is not a column
 * with a title.
 */
final class ReservedWords {
    private static final Set<String> WORDS =
            Set.of(("ALL AND ANTI ARRAY AS ASYMMETRIC AT AUTHORIZATION BETWEEN BIGINT BINARY BIT BLOB BOOLEAN BOTH "
                            + "BY CAST CHAR CHARACTER CHECK CLOB COLLATE COLUMN CONSTRAINT DEC DECIMAL DOUBLE ELSE END ESCAPE "
                            + "EXISTS FALSE FLOAT FOR FOREIGN GLOB ILIKE INT INTEGER IS ISNULL LEADING LIKE NATIONAL NCHAR "
                            + "NCLOB NOT NOTNULL NUMERIC ONLY OR OVERLAPS POSITIONAL PRIMARY REAL REFERENCES SEMI SHOW SIMILAR "
                            + "SMALLINT SYMMETRIC TINYINT TO TRAILING TRUE UNIQUE VARBINARY VARCHAR")
                    .split(" "));

    private ReservedWords() {}

    /** Refuses such a name with INVALID_ARGUMENT, with line and column. */
    static void check(SqlNode tree) {
        tree.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlIdentifier name) {
                for (int i = 0; i < name.names.size(); i++) {
                    boolean quoted = name.isComponentQuoted(i)
                            || (name.isSimple() && name.getParserPosition().isQuoted());
                    String word = name.names.get(i);
                    if (!quoted && WORDS.contains(word.toUpperCase(Locale.ROOT))) {
                        throw SqlErrorFactory.invalid(
                                name, "syntax error at \"" + word + "\"; " + SqlErrorFactory.quoteHint(word));
                    }
                }
                return null;
            }
        });
    }
}
