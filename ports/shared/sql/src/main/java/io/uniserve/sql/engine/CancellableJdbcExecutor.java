package io.uniserve.sql.engine;

import io.uniserve.api.QueryCancellation;
import io.uniserve.sql.rows.SqlColumn;
import io.uniserve.sql.rows.SqlRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Execution of JDBC statements that ends when the query does: at its deadline, or when the caller cancels it. */
public final class CancellableJdbcExecutor {
    private static final long SECOND_NANOS = 1_000_000_000;

    private CancellableJdbcExecutor() {}

    /** Work that is done with a statement. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Statement statement) throws SQLException;
    }

    /** Runs work with a statement. The statement is cancelled when the query ends. */
    public static <T> T runStatement(Connection connection, QueryCancellation life, Work<T> work) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return runStatement(statement, life, () -> work.run(statement));
        }
    }

    private interface Running<T> {
        T run() throws SQLException;
    }

    private static <T> T runStatement(Statement statement, QueryCancellation life, Running<T> work)
            throws SQLException {
        statement.setQueryTimeout(seconds(life.remainingNanos()));
        try (QueryCancellation.Watch unused = life.onCancel(() -> cancel(statement))) {
            return work.run();
        }
    }

    /** Returns the answer of a prepared statement. */
    static SqlRows answer(PreparedStatement planned, QueryCancellation life) throws SQLException {
        return runStatement(planned, life, () -> {
            try (ResultSet found = planned.executeQuery()) {
                return rows(found);
            }
        });
    }

    /** Returns a query's answer. Fails with TOO_LARGE if it exceeds the limit of an actor's answer. */
    public static SqlRows answer(Connection connection, String sql, QueryCancellation life) throws SQLException {
        return runStatement(connection, life, statement -> {
            try (ResultSet found = statement.executeQuery(sql)) {
                return rows(found);
            }
        });
    }

    /** Returns a query's answer, without deadline or cancellation. */
    public static SqlRows answer(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(sql)) {
            return rows(found);
        }
    }

    private static SqlRows rows(ResultSet found) throws SQLException {
        List<SqlColumn.Builder> columns = new ArrayList<>();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
            columns.add(new SqlColumn.Builder(
                    found.getMetaData().getColumnTypeName(i).replace(" ", "")));
        }
        long bytes = 0;
        while (found.next()) {
            for (int i = 0; i < columns.size(); i++) {
                bytes += columns.get(i).add(found.getObject(i + 1));
            }
            SizeLimitedAnswerBuilder.check(bytes);
        }
        return new SqlRows(columns.stream().map(SqlColumn.Builder::build).toList());
    }

    /** Returns the remaining time in whole seconds, rounded up. */
    private static int seconds(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, (nanos + SECOND_NANOS - 1) / SECOND_NANOS));
    }

    private static void cancel(Statement statement) {
        try {
            statement.cancel();
        } catch (SQLException e) {
            // The statement has ended meanwhile; otherwise its time-out ends it.
        }
    }
}
