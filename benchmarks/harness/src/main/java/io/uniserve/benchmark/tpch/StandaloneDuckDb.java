package io.uniserve.benchmark.tpch;

import io.uniserve.benchmark.peer.BaselineSqlEngine;
import io.uniserve.benchmark.peer.BaselineSqlServer;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** DuckDB with all rows in one process, with one thread per core and without Uniserve between query and engine. */
public final class StandaloneDuckDb implements BaselineSqlEngine {
    private final Connection connection;
    private final int cores;

    private StandaloneDuckDb(String file, int cores) throws SQLException {
        this.connection = DriverManager.getConnection("jdbc:duckdb:" + file);
        this.cores = cores;
        execute("SET threads TO " + cores);
    }

    /** Arguments: a database file that does not exist yet, and the number of cores. */
    public static void main(String[] arguments) throws Exception {
        BaselineSqlServer.serve("duckdb", new StandaloneDuckDb(arguments[0], Integer.parseInt(arguments[1])));
        Runtime.getRuntime().halt(0);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public String name() throws SQLException {
        return "DuckDB " + connection.getMetaData().getDatabaseProductVersion() + ", " + cores + " threads";
    }

    @Override
    public void load(String table, String columns, String file) throws SQLException {
        execute("CREATE TABLE " + table + " (" + columns + ")");
        execute("COPY " + table + " FROM '" + file.replace("'", "''") + "' (DELIMITER '|', HEADER false)");
        execute("CHECKPOINT");
    }

    @Override
    public List<List<@Nullable String>> query(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            int columns = found.getMetaData().getColumnCount();
            List<List<@Nullable String>> rows = new ArrayList<>();
            while (found.next()) {
                List<@Nullable String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(text(found.getObject(i)));
                }
                rows.add(row);
            }
            return rows;
        }
    }

    private static @Nullable String text(@Nullable Object value) {
        return value instanceof BigDecimal number ? number.toPlainString() : value == null ? null : value.toString();
    }
}
