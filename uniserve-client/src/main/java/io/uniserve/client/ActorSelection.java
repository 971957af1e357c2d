package io.uniserve.client;

import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.client.QueryOperationFactory.ResultKind;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.message.client.ReadMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Selection of actors of a table to read: all of them or some. Immutable and thread-safe; {@link #mode} and {@link #deadline} return
 * changed copies.
 *
 * <pre>{@code
 * ActorSelection all = client.table("visits").all().deadline(Duration.ofSeconds(2));
 * RetrieveCall<String, Long> count = new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);
 * long rows = all.retrieve(count, "", parts -> parts.stream().mapToLong(Long::longValue).sum());
 * Answer home = client.table("visits").key("home").query("get home");
 * }</pre>
 */
public final class ActorSelection {
    private final ClientCore core;
    private final TableName table;
    private final Optional<Function<TableRoute, List<Integer>>> chosen;
    private final ReadMode mode;
    private final Duration deadline;

    ActorSelection(
            ClientCore core,
            TableName table,
            Optional<Function<TableRoute, List<Integer>>> chosen,
            ReadMode mode,
            Duration deadline) {
        this.core = core;
        this.table = table;
        this.chosen = chosen;
        this.mode = mode;
        this.deadline = deadline;
    }

    /**
     * Sets the freshness of answers. Default: {@link ReadMode#LINEARIZABLE}. {@link ReadMode#STRICT} fails with UNSUPPORTED for
     * tables of level EVENTUAL.
     */
    public ActorSelection mode(ReadMode readMode) {
        return new ActorSelection(core, table, chosen, readMode, deadline);
    }

    /** Sets the deadline, more than 0 and at most an hour. Default: the client's. */
    public ActorSelection deadline(Duration duration) {
        return new ActorSelection(core, table, chosen, mode, DeadlineValidator.check("deadline", duration));
    }

    /**
     * Runs an operator on the actors, on one replica each, and combines the partial values. Blocks. The answer has every actor
     * exactly once, or the call fails: always a complete answer or an error, never a partial result. If an actor fails, its other
     * replicas are tried until the deadline. If a server is slower than the 95th percentile, its actors are also read from other
     * replicas.
     *
     * <p>Fails with TABLE_NOT_FOUND, UNKNOWN_OPERATOR, INVALID_ARGUMENT, the port's own errors, TOO_LARGE for parameters above
     * {@link Limits#PARAMETER_BYTES_MAX}, RESOURCE_EXHAUSTED if the client is at its limit until the deadline, or DEADLINE_EXCEEDED
     * or UNAVAILABLE, with the attempts per server.
     */
    public <P, V, R> R retrieve(RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        Query query =
                toQuery(call, parameters, mode, core.deadlineNanos(deadline)); // the table's level determines the read
        QueryResult result = ClientFuture.await(new QueryOperationFactory(core).retrieve(query, true));
        return combine(result, call, combiner);
    }

    /**
     * Asynchronous form of {@link #retrieve}. The combiner runs on the thread that completes the stage. If the client is at its
     * limit, the stage fails at once with RESOURCE_EXHAUSTED. Cancelling the stage's future cancels the query on the servers.
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
                    route -> new QueryOperationFactory(core)
                            .retrieve(query(route, call.id(), encoded, mode, end), false));
            return ClientFuture.of(result, core.options().callbackExecutor(), value -> combine(value, call, combiner));
        } catch (UniserveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * Answers a query in the language of the table's engine from these actors only, as {@link UniserveClient#query(String, String)}
     * does from all. Blocks. If there is one actor, its engine answers the whole query, in one request to one of its replicas.
     * Statistics for scores are those of these actors.
     *
     * <p>Chunks of a TIME table may be none: the answer is that of an empty table then. Also fails with INVALID_ARGUMENT if no actor of
     * another table is selected, and with UNSUPPORTED in mode {@link ReadMode#STALE} for a query of
     * several rounds that must read one state of an atomic table.
     */
    public Answer query(String text) {
        return runQuery(text, ResultKind.ANSWER);
    }

    /** Asynchronous form of {@link #query}. */
    public CompletionStage<Answer> queryAsync(String text) {
        return runQueryAsync(text, ResultKind.ANSWER);
    }

    /**
     * Runs a query as {@link #query} does, and returns the steps of its plan in place of the engine's answer. Blocks. The result is
     * text for people: a line per step, with operator, actors, bytes, servers and time, and rows if they are known; the last line has
     * the size of the engine's answer. For tables with typed columns the port's planner explains the query, as with {@code EXPLAIN}.
     * The call costs as much as the query.
     *
     * <p>Fails as {@link #query} does, and with UNSUPPORTED if the planning server is of a version that cannot explain the query.
     */
    public Answer explain(String text) {
        return runQuery(text, ResultKind.STEPS);
    }

    /** Asynchronous form of {@link #explain}. */
    public CompletionStage<Answer> explainAsync(String text) {
        return runQueryAsync(text, ResultKind.STEPS);
    }

    private Answer runQuery(String text, ResultKind wanted) {
        long end = core.deadlineNanos(deadline);
        List<Integer> actors = chosen.isEmpty() ? List.of() : chosen(TableLocator.locateNow(core, table, end));
        return ClientFuture.await(new QueryOperationFactory(core)
                .query(new QueryText(table, text, actors), chosen, mode, wanted, end, true));
    }

    private CompletionStage<Answer> runQueryAsync(String text, ResultKind wanted) {
        try {
            long end = core.deadlineNanos(deadline);
            CompletableFuture<Answer> answer = chosen.isEmpty()
                    ? new QueryOperationFactory(core)
                            .query(new QueryText(table, text), chosen, mode, wanted, end, false)
                    : TableLocator.locate(
                            core,
                            table,
                            end,
                            false,
                            route -> new QueryOperationFactory(core)
                                    .query(
                                            new QueryText(table, text, chosen(route)),
                                            chosen,
                                            mode,
                                            wanted,
                                            end,
                                            false));
            return ClientFuture.of(answer, core.options().callbackExecutor(), value -> value);
        } catch (UniserveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<Integer> chosen(TableRoute route) {
        List<Integer> actors = chosen.orElseThrow().apply(route);
        if (actors.isEmpty() && !(route.meta().partitioner() instanceof Partitioner.Time)) {
            throw UniserveException.invalid("no actor is selected; select at least one");
        }
        return actors;
    }

    /** Retrieve of these actors. Blocks only if the routing map does not have the table yet. */
    <P, V> Query toQuery(RetrieveCall<P, V> call, P parameters, ReadMode readMode, long end) {
        TableRoute route = TableLocator.locateNow(core, table, end);
        return query(route, call.id(), encode(call, parameters), readMode, end);
    }

    private Query query(TableRoute route, String operator, Bytes parameters, ReadMode readMode, long end) {
        Query query = new Query(table, chosen.map(choice -> choice.apply(route)), operator, parameters, readMode, end);
        return chosen.isPresent() ? query.withChoice(chosen.get()) : query;
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
