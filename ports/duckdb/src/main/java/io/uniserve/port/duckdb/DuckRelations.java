package io.uniserve.port.duckdb;

import io.uniserve.sql.PackedRows;
import io.uniserve.sql.SqlRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * Rows of other tables that queries come with, each a file while actors read it: those of a server share it, and states that
 * were fixed before the query came can read it too, which would not see a table made since. Safe for use by several threads.
 */
final class DuckRelations {
    private final Duck duck;
    private final Path scratch;
    private final Map<PackedRows, Stored> stored = new IdentityHashMap<>();

    DuckRelations(Duck duck, Path scratch) {
        this.duck = duck;
        this.scratch = scratch;
    }

    /** A file and how many read it. */
    private static final class Stored {
        private @Nullable Path file;
        private int readers;
    }

    /** Reads with a text to put before the statement, which gives the relations their names. */
    interface Reading<T> {
        T read(String with) throws SQLException;
    }

    /** Runs a reading; the files are gone afterwards, but for those that others read. */
    <T> T with(Map<String, PackedRows> relations, Reading<T> reading) throws SQLException {
        List<String> named = new ArrayList<>();
        List<PackedRows> held = new ArrayList<>();
        try {
            for (Map.Entry<String, PackedRows> one : relations.entrySet()) {
                Stored file = hold(one.getValue());
                held.add(one.getValue());
                named.add(one.getKey() + " AS (SELECT * FROM read_parquet(" + Duck.quoted(made(file, one.getValue()))
                        + "))");
            }
            return reading.read(named.isEmpty() ? "" : "WITH " + String.join(", ", named) + " ");
        } finally {
            held.forEach(this::release);
        }
    }

    private Stored hold(PackedRows rows) {
        synchronized (stored) {
            Stored file = stored.computeIfAbsent(rows, key -> new Stored());
            file.readers++;
            return file;
        }
    }

    /** The first reader makes the file; others wait for it. */
    private Path made(Stored one, PackedRows rows) throws SQLException {
        synchronized (one) {
            Path file = one.file;
            if (file == null) {
                file = file();
                one.file = file;
                write(rows.unpacked(), file);
            }
            return file;
        }
    }

    private Path file() {
        try {
            return Files.createTempFile(scratch, "relation", ".parquet");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(SqlRows rows, Path file) throws SQLException {
        try (DuckDBConnection connection = duck.connect()) {
            load(connection, "relation", rows);
            Duck.run(connection, "COPY relation TO " + Duck.quoted(file) + " (FORMAT parquet)");
        }
    }

    private void release(PackedRows rows) {
        synchronized (stored) {
            Stored file = stored.get(rows);
            if (file == null || --file.readers > 0) {
                return;
            }
            stored.remove(rows);
            try {
                if (file.file != null) {
                    Files.deleteIfExists(file.file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Makes rows a temporary view of this connection, which goes with it; columns c0, c1, ... */
    static void load(DuckDBConnection connection, String view, SqlRows rows) throws SQLException {
        int columns = rows.types().size();
        Duck.run(connection, "CREATE TEMP TABLE texts (" + each(columns, i -> "c" + i + " VARCHAR") + ")");
        try (DuckDBAppender appender = connection.createAppender("temp", "main", "texts")) {
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
                        + " FROM texts");
    }

    private static String each(int columns, IntFunction<String> text) {
        return IntStream.range(0, columns).mapToObj(text).collect(Collectors.joining(", "));
    }
}
