package io.uniserve.sql.engine;

import io.uniserve.api.QueryCancellation;
import io.uniserve.sql.rows.SqlRows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connection with a cache of prepared statements, which are valid while no row changes. An engine may plan by the rows: it drops a
 * condition that holds for all of them. So an older plan gives wrong answers. For one thread at a time.
 */
public final class PreparedStatementCache implements AutoCloseable {
    /** Maximum number of cached plans; the least recently used is evicted. */
    static final int PLANS_MAX = 32;
    /** Longer statements are not cached, to bound the memory. */
    static final int TEXT_CHARS_MAX = 8 << 10;

    private final Connection connection;
    private final Map<String, Plan> plans = new LinkedHashMap<>(16, 0.75f, true);
    private long plannedState = -1;

    /** Starts without plans. Closing it closes the connection. */
    public PreparedStatementCache(Connection connection) {
        this.connection = connection;
    }

    /** Returns the connection itself. */
    public Connection connection() {
        return connection;
    }

    /**
     * Returns a query's answer, as {@link CancellableJdbcExecutor#answer} does.
     *
     * @param state a counter of row changes: odd during a change, and different after each one. It is read before and after; the answer of
     *     a cached plan is discarded if the state differs
     */
    public SqlRows answer(String sql, LongSupplier state, QueryCancellation life) throws SQLException {
        long now = state.getAsLong();
        Plan plan = now % 2 == 0 && sql.length() <= TEXT_CHARS_MAX ? plan(sql, now) : null;
        if (plan != null) {
            try {
                PreparedStatement statement = plan.statement(connection, sql);
                // A change before the plan was made has another state.
                SqlRows rows = CancellableJdbcExecutor.answer(statement, life);
                if (state.getAsLong() == now) {
                    return rows;
                }
            } catch (SQLException e) {
                discard(sql);
                if (state.getAsLong() == now) {
                    throw e;
                }
            }
        }
        return CancellableJdbcExecutor.answer(connection, sql, life);
    }

    /**
     * Returns the statement's plan of this state; null on first use, because most statements are never repeated. Plans of other states are
     * closed.
     */
    private @Nullable Plan plan(String sql, long state) throws SQLException {
        if (state != plannedState) {
            discardAll();
            plannedState = state;
        }
        Plan known = plans.get(sql);
        if (known != null) {
            return known;
        }
        plans.put(sql, new Plan());
        if (plans.size() > PLANS_MAX) {
            discard(plans.keySet().iterator().next());
        }
        return null;
    }

    private void discard(String sql) throws SQLException {
        Plan known = plans.remove(sql);
        if (known != null) {
            known.close();
        }
    }

    private void discardAll() throws SQLException {
        for (String sql : List.copyOf(plans.keySet())) {
            discard(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            discardAll();
        } finally {
            connection.close();
        }
    }

    private static final class Plan {
        private @Nullable PreparedStatement statement;

        private PreparedStatement statement(Connection connection, String sql) throws SQLException {
            PreparedStatement known = statement;
            if (known == null) {
                known = connection.prepareStatement(sql);
                statement = known;
            }
            return known;
        }

        private void close() throws SQLException {
            if (statement != null) {
                statement.close();
            }
        }
    }
}
