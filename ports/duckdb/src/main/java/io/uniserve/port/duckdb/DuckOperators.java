package io.uniserve.port.duckdb;

import io.uniserve.api.Columns;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.sql.SplitQuery;
import io.uniserve.sql.SqlRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The operators of the DuckDB port. What travels is the user's query, which every actor checks and splits itself: no client
 * can have a server run a statement of DuckDB's own.
 */
public final class DuckOperators {
    /**
     * A query of one table.
     *
     * @param table its name in the query
     */
    public record Query(String table, String text) {
        static final Codec<Query> CODEC = Codecs.of(
                (out, query) -> out.writeString(query.table).writeString(query.text),
                in -> new Query(in.readString(), in.readString()));
    }

    /** What an actor's rows contribute to a query. */
    public static final RetrieveOperator<DuckTable, Query, SqlRows> SELECT = RetrieveOperator.of(
            new RetrieveCall<>("duckdb.select@1", Query.CODEC, SqlRows.CODEC), DuckTable.class, DuckOperators::select);

    static final List<Operator<?, ?>> ALL = List.of(SELECT);

    private static final int SPLITS_MAX = 256;
    private static final Splits SPLITS = new Splits();

    private DuckOperators() {}

    private static SqlRows select(DuckTable actor, OperatorContext context, Query query) {
        context.checkActive();
        SplitQuery split = split(actor.columns(), query);
        SqlRows rows = actor.query(split.partial(), seconds(context.remainingNanos()));
        context.checkActive();
        return rows;
    }

    /** Whole seconds, at least as many as remain. */
    static int seconds(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(1, (nanos + 999_999_999) / 1_000_000_000));
    }

    /** The query in two parts; the actors of a server need not parse the same text again. */
    static SplitQuery split(Columns columns, Query query) {
        SplitKey key = new SplitKey(columns, query);
        synchronized (SPLITS) {
            SplitQuery known = SPLITS.get(key);
            if (known != null) {
                return known;
            }
        }
        SplitQuery split = SplitQuery.of(query.table, columns, query.text);
        synchronized (SPLITS) {
            SPLITS.put(key, split);
        }
        return split;
    }

    private record SplitKey(Columns columns, Query query) {}

    /** The splits used last. */
    private static final class Splits extends LinkedHashMap<SplitKey, SplitQuery> {
        Splits() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<SplitKey, SplitQuery> eldest) {
            return size() > SPLITS_MAX;
        }
    }
}
