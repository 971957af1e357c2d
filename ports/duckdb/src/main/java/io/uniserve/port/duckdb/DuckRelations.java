package io.uniserve.port.duckdb;

import io.uniserve.sql.PackedRows;
import io.uniserve.sql.SharedRelations;
import io.uniserve.sql.SqlRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * Rows of other tables that queries come with, as files: states that were fixed before the query came can read them too, which
 * would not see a table made since. Safe for use by several threads.
 */
final class DuckRelations {
    private final Duck duck;
    private final Path scratch;
    private final SharedRelations<Relation> relations;

    /** A file, and what reads it. */
    private record Relation(Path file, String select) {}

    DuckRelations(Duck duck, Path scratch) {
        this.duck = duck;
        this.scratch = scratch;
        this.relations = new SharedRelations<>(new SharedRelations.Maker<>() {
            @Override
            public Relation make(SqlRows rows) throws SQLException, IOException {
                Path file = Files.createTempFile(scratch, "relation", ".parquet");
                write(rows, file);
                return new Relation(file, "SELECT " + columns(rows.types()) + " FROM " + parquet(List.of(file)));
            }

            @Override
            public void drop(Relation made) throws IOException {
                Files.deleteIfExists(made.file);
            }
        });
    }

    Path scratch() {
        return scratch;
    }

    /** Reads with a text to put before the statement, which gives the relations their names. */
    interface Reading<T> {
        T read(String with) throws Exception;
    }

    <T> T with(Map<String, PackedRows> given, Reading<T> reading) throws Exception {
        return relations.with(given, made -> {
            List<String> with = made.entrySet().stream()
                    .map(one -> one.getKey() + " AS (" + one.getValue().select + ")")
                    .toList();
            return reading.read(with.isEmpty() ? "" : "WITH " + String.join(", ", with) + " ");
        });
    }

    private static String columns(List<String> types) {
        return each(types.size(), i -> "CAST(c" + i + " AS " + types.get(i) + ") AS c" + i);
    }

    /** What reads these files, for a FROM. */
    static String parquet(List<Path> files) {
        return files.stream().map(Duck::quoted).collect(Collectors.joining(", ", "read_parquet([", "])"));
    }

    /** Parquet has no integers of 128 bits, and DuckDB would write them as doubles. */
    private void write(SqlRows rows, Path file) throws SQLException {
        List<String> types = rows.types().stream()
                .map(type -> type.equals("HUGEINT") ? "DECIMAL(38,0)" : type)
                .toList();
        try (DuckDBConnection connection = duck.connect()) {
            load(connection, "relation", new SqlRows(types, rows.rows()));
            Duck.run(connection, "COPY relation TO " + Duck.quoted(file) + " (FORMAT parquet)");
        }
    }

    /** Makes rows a temporary view of this connection, which goes with it; columns c0, c1, ... */
    static void load(DuckDBConnection connection, String view, SqlRows rows) throws SQLException {
        int columns = rows.types().size();
        String texts = "texts_" + view;
        Duck.run(connection, "CREATE TEMP TABLE " + texts + " (" + each(columns, i -> "c" + i + " VARCHAR") + ")");
        try (DuckDBAppender appender = connection.createAppender("temp", "main", texts)) {
            for (List<@Nullable String> row : rows.rows()) {
                appender.beginRow();
                for (String value : row) {
                    if (value == null) {
                        appender.appendNull();
                    } else {
                        appender.append(value);
                    }
                }
                appender.endRow();
            }
        }
        Duck.run(
                connection,
                "CREATE TEMP VIEW " + view + " AS SELECT "
                        + each(
                                columns,
                                i -> "CAST(c" + i + " AS " + rows.types().get(i) + ") AS c" + i)
                        + " FROM " + texts);
    }

    private static String each(int columns, IntFunction<String> text) {
        return IntStream.range(0, columns).mapToObj(text).collect(Collectors.joining(", "));
    }
}
