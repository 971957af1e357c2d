package io.uniserve.sql;

import io.uniserve.api.QueryCancellation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection, and the plans of statements that it is asked for again while no row changes. A plan rests on rows: an engine
 * leaves out a condition that none of them fails, so that a plan made before others came answers wrongly. For one thread at a
 * time.
 */
public final class PlannedStatements implements AutoCloseable {
    /** Texts whose plans are kept, those that were used last. */
    static final int PLANS_MAX = 32;
    /** Longer texts are planned each time: what is kept has no other bound of its memory. */
    static final int TEXT_CHARS_MAX = 8 << 10;

    private final Connection connection;
    private final Map<String, Plan> plans = new LinkedHashMap<>(16, 0.75f, true);
    private long planned = -1;

    /** Without plans; it closes the connection. */
    public PlannedStatements(Connection connection) {
        this.connection = connection;
    }

    /** The connection itself. */
    public Connection connection() {
        return connection;
    }

    /**
     * A query's answer, as {@link JdbcQueries#answer} gives it.
     *
     * @param state counts changes of rows: odd while one is under way, and another number after each. It is asked before and
     *     after; what a plan of another state answers is not used
     */
    public SqlRows answer(String sql, LongSupplier state, QueryCancellation life) throws SQLException {
        long now = state.getAsLong();
        Plan plan = now % 2 == 0 && sql.length() <= TEXT_CHARS_MAX ? plan(sql, now) : null;
        if (plan != null) {
            try {
                PreparedStatement statement = plan.statement(connection, sql);
                // What changed before it was planned is another state already.
                SqlRows rows = JdbcQueries.answer(statement, life);
                if (state.getAsLong() == now) {
                    return rows;
                }
            } catch (SQLException e) {
                forget(sql);
                if (state.getAsLong() == now) {
                    throw e;
                }
            }
        }
        return JdbcQueries.answer(connection, sql, life);
    }

    /** The statement's plan of this state; null where it is asked for the first time, as most are never again. Those of others go. */
    private @Nullable Plan plan(String sql, long state) throws SQLException {
        if (state != planned) {
            forgetAll();
            planned = state;
        }
        Plan known = plans.get(sql);
        if (known != null) {
            return known;
        }
        plans.put(sql, new Plan());
        if (plans.size() > PLANS_MAX) {
            forget(plans.keySet().iterator().next());
        }
        return null;
    }

    private void forget(String sql) throws SQLException {
        Plan known = plans.remove(sql);
        if (known != null) {
            known.close();
        }
    }

    private void forgetAll() throws SQLException {
        for (String sql : List.copyOf(plans.keySet())) {
            forget(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        try {
            forgetAll();
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
