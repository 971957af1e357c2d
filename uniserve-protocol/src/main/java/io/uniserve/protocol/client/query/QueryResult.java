package io.uniserve.protocol.client.query;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.client.ReadReply;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A complete answer: every actor is in exactly one part.
 *
 * @param parts partial values in order of arrival
 * @param actors the actors of each part
 * @param generation latest chunk generation of a TIME table that a server had at its read; 0 for none. If the caller has chosen the actors
 *     by a map of an earlier generation, the answer may lack chunks
 */
public record QueryResult(List<Bytes> parts, List<List<Integer>> actors, Stats stats, long generation) {
    public QueryResult {
        parts = List.copyOf(parts);
        actors = List.copyOf(actors);
    }

    /** Answer of a table without chunks. */
    public QueryResult(List<Bytes> parts, List<List<Integer>> actors, Stats stats) {
        this(parts, actors, stats, 0);
    }

    static QueryResult of(List<ReadReply.Part> parts, Stats stats, long generation) {
        return new QueryResult(
                parts.stream().map(ReadReply.Part::value).toList(),
                parts.stream().map(ReadReply.Part::actors).toList(),
                stats,
                generation);
    }

    /**
     * Statistics of a query.
     *
     * @param requests requests sent, hedges and retries included
     * @param retries requests for an actor after a failure
     * @param hedges requests sent because another one was slow
     * @param servers servers that got requests
     */
    public record Stats(int requests, int retries, int hedges, Set<ServerId> servers) {
        public Stats {
            servers = Collections.unmodifiableSet(new LinkedHashSet<>(servers));
        }
    }
}
