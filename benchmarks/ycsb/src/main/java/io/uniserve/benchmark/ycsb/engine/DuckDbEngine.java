package io.uniserve.benchmark.ycsb.engine;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareEngine;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Collectors;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDriver;
import org.jspecify.annotations.Nullable;

/**
 * Peer of the DuckDB port: one table in a database file, with the columns of the port's table, stored through a staging table and the
 * appender as the port does. A query runs on its caller's thread, as in the port.
 */
final class DuckDbEngine implements BareEngine {
    private final DuckDBConnection root;
    private final DuckDBConnection writer;
    private final ConcurrentLinkedDeque<Reader> readers = new ConcurrentLinkedDeque<>();
    private final String key;
    private final List<String> columns;

    /** Connection of a reader with its prepared statements. */
    private record Reader(Connection connection, Map<String, PreparedStatement> statements) {}

    /** @param columns names of the columns, all texts; the first is the key */
    DuckDbEngine(Path directory, List<String> columns) throws SQLException {
        this.columns = List.copyOf(columns);
        this.key = columns.get(0);
        Properties properties = new Properties();
        properties.setProperty("threads", "1");
        root = (DuckDBConnection)
                new DuckDBDriver().connect("jdbc:duckdb:" + directory.resolve("bare.duckdb"), properties);
        String definition =
                columns.stream().map(column -> "\"" + column + "\" VARCHAR").collect(Collectors.joining(", "));
        writer = root.duplicate().unwrap(DuckDBConnection.class);
        execute("CREATE TABLE rows (" + definition + ")");
        execute("CREATE TEMP TABLE staged (" + definition + ")");
        writer.setAutoCommit(false);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = writer.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public String name() {
        try {
            return "DuckDB " + root.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            throw new IllegalStateException("DuckDB has no version", e);
        }
    }

    @Override
    public void put(List<Document> rows) throws SQLException {
        stage(rows);
        execute("DELETE FROM rows USING staged WHERE rows.\"" + key + "\" = staged.\"" + key + "\"");
        execute("INSERT INTO rows SELECT * FROM staged");
    }

    private void stage(List<Document> rows) throws SQLException {
        execute("DELETE FROM staged");
        try (DuckDBAppender appender = writer.createAppender("temp", "main", "staged")) {
            for (Document row : rows) {
                appender.beginRow();
                for (String column : columns) {
                    Object value = row.fields().get(column);
                    if (value == null) {
                        appender.appendNull();
                    } else {
                        appender.append(value.toString());
                    }
                }
                appender.endRow();
            }
        }
    }

    @Override
    public void set(Document row) throws SQLException {
        List<String> names =
                row.fields().keySet().stream().filter(name -> !name.equals(key)).toList();
        String assignments = names.stream().map(name -> "\"" + name + "\" = ?").collect(Collectors.joining(", "));
        try (PreparedStatement update =
                writer.prepareStatement("UPDATE rows SET " + assignments + " WHERE \"" + key + "\" = ?")) {
            for (int i = 0; i < names.size(); i++) {
                update.setString(i + 1, String.valueOf(row.fields().get(names.get(i))));
            }
            update.setString(names.size() + 1, DocumentProjection.key(row));
            update.execute();
        }
    }

    @Override
    public void delete(List<Document> rows) throws SQLException {
        stage(rows);
        execute("DELETE FROM rows USING staged WHERE rows.\"" + key + "\" = staged.\"" + key + "\"");
    }

    @Override
    public void publish() throws SQLException {
        writer.commit();
    }

    @Override
    public List<Document> read(String wanted, List<String> fields) throws SQLException {
        return select(list(fields) + " FROM rows WHERE \"" + key + "\" = ?", wanted);
    }

    @Override
    public List<Document> scan(String from, int limit, List<String> fields) throws SQLException {
        return select(
                list(fields) + " FROM rows WHERE \"" + key + "\" >= ? ORDER BY \"" + key + "\" LIMIT " + limit, from);
    }

    private String list(List<String> fields) {
        return "SELECT "
                + (fields.isEmpty()
                        ? "*"
                        : "\"" + key + "\", "
                                + fields.stream()
                                        .map(field -> "\"" + field + "\"")
                                        .collect(Collectors.joining(", ")));
    }

    private List<Document> select(String sql, String parameter) throws SQLException {
        Reader idle = readers.poll();
        Reader reader = idle == null ? new Reader(root.duplicate(), new LinkedHashMap<>()) : idle;
        try {
            // Scans differ in LIMIT; as many statements as limits would be kept.
            PreparedStatement known = reader.statements.get(sql);
            if (known == null) {
                known = reader.connection.prepareStatement(sql);
                if (!sql.contains("LIMIT")) {
                    reader.statements.put(sql, known);
                }
            }
            known.setString(1, parameter);
            try (ResultSet found = known.executeQuery()) {
                return documents(found);
            } finally {
                if (sql.contains("LIMIT")) {
                    known.close();
                }
            }
        } finally {
            readers.push(reader);
        }
    }

    private List<Document> documents(ResultSet found) throws SQLException {
        int count = found.getMetaData().getColumnCount();
        List<String> names = new ArrayList<>(count);
        for (int i = 1; i <= count; i++) {
            names.add(found.getMetaData().getColumnName(i));
        }
        List<Document> documents = new ArrayList<>();
        while (found.next()) {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
                values.put(names.get(i), found.getString(i + 1));
            }
            documents.add(new Document(key, values));
        }
        return documents;
    }

    @Override
    public boolean readsInline() {
        return false;
    }

    @Override
    public void close() throws SQLException {
        for (Reader reader : readers) {
            reader.connection.close();
        }
        writer.close();
        root.close();
    }
}
