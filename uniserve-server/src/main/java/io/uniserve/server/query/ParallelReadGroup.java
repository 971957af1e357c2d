package io.uniserve.server.query;

import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Group of independent reads that run in parallel. The first failure cancels all others. Use on the plan's serial executor only. */
final class ParallelReadGroup {
    private final List<QueryReadFactory.Read<QueryResult>> runs;
    private final List<Optional<QueryResult>> results;
    private int pending;

    ParallelReadGroup(List<QueryReadFactory.Read<QueryResult>> runs) {
        this.runs = List.copyOf(runs);
        results = new ArrayList<>(Collections.nCopies(runs.size(), Optional.empty()));
        pending = runs.size();
    }

    /** Starts all reads. The future gets their answers in the order of the reads. */
    void start(CompletableFuture<Outcome<List<QueryResult>>> future) {
        for (int i = 0; i < runs.size() && !future.isDone(); i++) {
            int place = i;
            CompletableFuture<Outcome<QueryResult>> one = new CompletableFuture<>();
            CompletableFuture<Void> unused = one.thenAccept(outcome -> onEnd(place, outcome, future));
            runs.get(i).start(one);
        }
    }

    private void onEnd(int place, Outcome<QueryResult> outcome, CompletableFuture<Outcome<List<QueryResult>>> future) {
        if (outcome instanceof Outcome.Err<QueryResult> failed) {
            future.complete(Outcome.err(failed.error()));
            cancel();
            return;
        }
        results.set(place, Optional.of(outcome.value()));
        if (--pending == 0) {
            future.complete(
                    Outcome.ok(results.stream().flatMap(Optional::stream).toList()));
        }
    }

    void cancel() {
        runs.forEach(QueryReadFactory.Read::cancel);
    }
}
