package io.uniserve.simulator.plant;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.message.ScatterRunId;
import io.uniserve.simulator.engine.ListOperators;
import io.uniserve.simulator.engine.SimExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@link Plant#ATTEMPTS_ADDED_UP}: a server that keeps chunks by query, stage, source and slot, but not by attempt. It adds the chunks of a
 * later attempt of a plan to those of an earlier one.
 */
public final class AttemptsMergedBug implements SimExchange.ChunkTap {
    private final Map<String, Earlier> earlier = new TreeMap<>();

    private record Earlier(int attempt, List<ListOperators.Row> rows) {}

    @Override
    public Bytes onStored(ScatterRunId scatterOutput, int slot, Bytes chunk) {
        ListOperators.Arrival now = ListOperators.arrival(chunk).orElse(null);
        if (now == null) {
            return chunk; // chunk of a map
        }
        int attempt = scatterOutput.exchange().attempt();
        String key = scatterOutput.exchange().query() + "/" + scatterOutput.stage() + "/" + scatterOutput.actor() + "/"
                + slot;
        Earlier before = earlier.computeIfAbsent(key, first -> new Earlier(attempt, now.rows()));
        if (before.attempt >= attempt) {
            return chunk;
        }
        List<ListOperators.Row> all = new ArrayList<>(before.rows);
        all.addAll(now.rows());
        return ListOperators.chunk(new ListOperators.Arrival(now.input(), now.source(), now.total(), all));
    }
}
