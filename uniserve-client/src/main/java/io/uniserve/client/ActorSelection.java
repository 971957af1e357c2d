package io.uniserve.client;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.client.QueryOperations.Wanted;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Actors of a table to be read, all of them or some. Immutable: {@link #mode} and {@link #deadline} return changed copies.
 * Safe for use by several threads.
 */
public final class ActorSelection {
    private final ClientCore core;
    private final TableName table;
    private final Optional<Function<Partitioner, List<Integer>>> chosen;
    private final ReadMode mode;
    private final Duration deadline;

    ActorSelection(
            ClientCore core,
            TableName table,
            Optional<Function<Partitioner, List<Integer>>> chosen,
            ReadMode mode,
            Duration deadline) {
        this.core = core;
        this.table = table;
        this.chosen = chosen;
        this.mode = mode;
        this.deadline = deadline;
    }

    /**
     * How fresh answers must be. Default: {@link ReadMode#LINEARIZABLE}. {@link ReadMode#STRICT} is UNSUPPORTED for tables of
     * level EVENTUAL.
     */
    public ActorSelection mode(ReadMode readMode) {
        return new ActorSelection(core, table, chosen, readMode, deadline);
    }

    /** When to give up; more than 0, at most an hour. Default: the client's. */
    public ActorSelection deadline(Duration duration) {
        return new ActorSelection(core, table, chosen, mode, Deadlines.check("deadline", duration));
    }

    /**
     * Runs an operator on the actors, on one replica each, and combines the partial values; blocks. The answer counts every
     * actor exactly once, or there is an error, never a part of an answer. An actor that fails is asked on its other
     * replicas until the deadline; a slow server's actors are asked elsewhere too after the 95th percentile.
     *
     * <p>Fails with TABLE_NOT_FOUND, UNKNOWN_OPERATOR, INVALID_ARGUMENT, the port's own errors, TOO_LARGE for parameters above
     * {@link Limits#PARAMETER_BYTES_MAX}, RESOURCE_EXHAUSTED without room before the deadline, or DEADLINE_EXCEEDED or
     * UNAVAILABLE, with what was tried on which server.
     */
    public <P, V, R> R retrieve(RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        Query query =
                asked(call, parameters, mode, core.deadlineNanos(deadline)); // the table's level decides how to read
        QueryResult result = ClientFuture.await(new QueryOperations(core).retrieve(query, true));
        return combine(result, call, combiner);
    }

    /**
     * As {@link #retrieve}, without waiting. The combiner runs where the stage completes. Without room it fails at once with
     * RESOURCE_EXHAUSTED. Cancelling the stage's future cancels the query on the servers.
     */
    public <P, V, R> CompletionStage<R> retrieveAsync(RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        try {
            Bytes encoded = encode(call, parameters);
            long end = core.deadlineNanos(deadline);
            CompletableFuture<QueryResult> result = TableLocator.locate(
                    core,
                    table,
                    end,
                    false,
                    route -> start(
                            call.id(),
                            encoded,
                            chosen.map(choice -> choice.apply(route.meta().partitioner())),
                            end,
                            false));
            return ClientFuture.of(result, core.options().callbackExecutor(), value -> combine(value, call, combiner));
        } catch (UniserveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Answers a query in the language of the table's engine from these actors alone, as {@link UniserveClient#query(String,
     * String)} does from all; blocks. One actor's engine answers it whole, in one request to one of its replicas. Statistics
     * that scores need are those of these actors.
     *
     * <p>Fails also with INVALID_ARGUMENT where no actor is selected, and UNSUPPORTED in mode {@link ReadMode#STALE} for a query
     * of several rounds that must see one state of a table whose updates are atomic.
     */
    public Answer query(String text) {
        return ask(text, Wanted.ANSWER);
    }

    /** As {@link #query}, without waiting. */
    public CompletionStage<Answer> queryAsync(String text) {
        return askAsync(text, Wanted.ANSWER);
    }

    /**
     * Runs a query as {@link #query} does, and answers with the steps of its plan in place of the engine's answer; blocks. The answer is
     * text for people to read: a line for each step, with operator, actors, bytes, servers and time, rows where they are known, and a last
     * one with the size of the engine's answer. Queries of tables with typed columns are explained by their own planner, as by
     * {@code EXPLAIN}. It takes what the query takes.
     *
     * <p>Fails as {@link #query} does, and with UNSUPPORTED where the server that plans it is of a version that cannot explain it.
     */
    public Answer explain(String text) {
        return ask(text, Wanted.STEPS);
    }

    /** As {@link #explain}, without waiting. */
    public CompletionStage<Answer> explainAsync(String text) {
        return askAsync(text, Wanted.STEPS);
    }

    private Answer ask(String text, Wanted wanted) {
        long end = core.deadlineNanos(deadline);
        List<Integer> actors = chosen.isEmpty()
                ? List.of()
                : chosen(TableLocator.locateNow(core, table, end).meta().partitioner());
        return ClientFuture.await(
                new QueryOperations(core).text(new QueryText(table, text, actors), mode, wanted, end, true));
    }

    private CompletionStage<Answer> askAsync(String text, Wanted wanted) {
        try {
            long end = core.deadlineNanos(deadline);
            CompletableFuture<Answer> answer = chosen.isEmpty()
                    ? new QueryOperations(core).text(new QueryText(table, text), mode, wanted, end, false)
                    : TableLocator.locate(
                            core,
                            table,
                            end,
                            false,
                            route -> new QueryOperations(core)
                                    .text(
                                            new QueryText(
                                                    table,
                                                    text,
                                                    chosen(route.meta().partitioner())),
                                            mode,
                                            wanted,
                                            end,
                                            false));
            return ClientFuture.of(answer, core.options().callbackExecutor(), value -> value);
        } catch (UniserveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<Integer> chosen(Partitioner partitioner) {
        List<Integer> actors = chosen.orElseThrow().apply(partitioner);
        if (actors.isEmpty()) {
            throw UniserveException.invalid("a query needs an actor to answer it; select one or more");
        }
        return actors;
    }

    /** The retrieve of these actors; blocks only if the table has to be asked for. */
    <P, V> Query asked(RetrieveCall<P, V> call, P parameters, ReadMode readMode, long end) {
        Partitioner partitioner =
                TableLocator.locateNow(core, table, end).meta().partitioner();
        Optional<List<Integer>> actors = chosen.map(choice -> choice.apply(partitioner));
        return new Query(table, actors, call.id(), encode(call, parameters), readMode, end);
    }

    private Operation<QueryResult> start(
            String operator, Bytes parameters, Optional<List<Integer>> actors, long end, boolean block) {
        return new QueryOperations(core).retrieve(new Query(table, actors, operator, parameters, mode, end), block);
    }

    static <P, V> Bytes encode(RetrieveCall<P, V> call, P parameters) {
        Bytes encoded = call.parameters().encode(parameters);
        if (encoded.size() > Limits.PARAMETER_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "parameters of " + call.id() + " have " + encoded.size() + " bytes, at most "
                            + Limits.PARAMETER_BYTES_MAX);
        }
        return encoded;
    }

    static <V, R> R combine(QueryResult result, RetrieveCall<?, V> call, Combiner<V, R> combiner) {
        List<V> values = new ArrayList<>(result.parts().size());
        for (Bytes part : result.parts()) {
            values.add(call.values().decode(part));
        }
        return combiner.combine(Collections.unmodifiableList(values));
    }
}
