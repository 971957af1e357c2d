package io.uniserve.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.ExplainFormatter;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.client.operation.Operation;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.query.PlannedQueryExecution;
import io.uniserve.protocol.client.query.PlannedQueryNetwork;
import io.uniserve.protocol.client.query.PlannedQueryResult;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.client.query.SingleActorQueryFactory;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.StrictReadExecution;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.protocol.transaction.server.ConsistentSnapshotReader;
import io.uniserve.protocol.transaction.server.TransactionService;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Factory of read operations. Thread-safe. */
final class QueryOperationFactory {
    private final ClientCore core;

    public QueryOperationFactory(ClientCore core) {
        this.core = core;
    }

    /** Retrieve over actors. */
    public Operation<QueryResult> retrieve(Query query, boolean block) {
        return retrieve(query, Optional.empty(), block);
    }

    /** Retrieves over actors of atomic tables, in one snapshot that ZooKeeper confirms. */
    public Operation<List<StrictReadExecution.Result>> readStrict(List<Query> queries, boolean block) {
        return readStrict(queries, block, (outcome, operation, environment) -> operation.end(outcome));
    }

    /** Handler of a read's outcome: ends the operation, or continues it. */
    @FunctionalInterface
    private interface ReadEnd<R, T> {
        void onEnd(Outcome<R> outcome, Operation<T> operation, ClientContext environment);
    }

    private <T> Operation<T> readStrict(
            List<Query> queries, boolean block, ReadEnd<List<StrictReadExecution.Result>, T> end) {
        for (Query query : queries) {
            if (!atomic(query.table()) && core.index().table(query.table()).isPresent()) {
                throw ConsistentSnapshotReader.notAtomicError(query.table());
            }
        }
        return core.begin(0, block, queries.get(0).deadlineNanos(), (operation, environment) -> {
            StrictReadExecution machine = new StrictReadExecution(
                    environment,
                    network(operation),
                    core.snapshotClient(operation.serial()),
                    core.versionWatermarks(),
                    queries,
                    outcome -> end.onEnd(outcome, operation, environment));
            operation.start(machine::start, machine::cancel);
        });
    }

    private SnapshotReadClient network(Operation<?> operation) {
        return (to, request, completion) -> core.network().read(to, request, (Completion<VersionedRead.Reply>)
                outcome -> operation.serial().execute(() -> completion.done(outcome)));
    }

    /** Retrieve over actors of an atomic table, at one version. */
    private <T> Operation<T> readVersion(Query query, boolean block, ReadEnd<QueryResult, T> end) {
        if (query.mode() == ReadMode.STRICT) {
            return readStrict(
                    List.of(query),
                    block,
                    (outcome, operation, environment) ->
                            end.onEnd(outcome.map(results -> results.get(0).asQueryResult()), operation, environment));
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            SnapshotReadExecution machine = new SnapshotReadExecution(
                    environment,
                    network(operation),
                    core.versionWatermarks(),
                    query,
                    outcome -> end.onEnd(
                            outcome.map(SnapshotReadExecution.Result::asQueryResult), operation, environment));
            operation.start(machine::start, machine::cancel);
        });
    }

    private boolean atomic(TableName table) {
        return core.index()
                .table(table)
                .filter(route -> TransactionService.isAtomic(route.meta().level()))
                .isPresent();
    }

    /** True if the query reads one version: in mode STRICT, or of an atomic table without a session and not in mode STALE. */
    private boolean readsOneVersion(Query query, Optional<ReadSession> session) {
        return query.mode() == ReadMode.STRICT
                || session.isEmpty() && query.mode() != ReadMode.STALE && atomic(query.table());
    }

    /** Retrieve over actors in a session. */
    public Operation<QueryResult> retrieve(Query asked, Optional<ReadSession> session, boolean block) {
        Query query = withStickyReplicas(asked);
        if (readsOneVersion(query, session)) {
            return readVersion(query, block, (outcome, operation, environment) -> operation.end(outcome));
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            QueryExecution machine = new QueryExecution(environment, query, session, operation::end);
            operation.start(machine::start, machine::cancel);
        });
    }

    /** Requested result of a query in an engine's language: its answer, or the steps of its plan. */
    enum ResultKind {
        ANSWER,
        STEPS
    }

    /**
     * Query in the engine's language. A single actor answers it directly; else a server plans it.
     *
     * @param choice choice of the query's actors by the newest map; empty for all
     */
    public Operation<Answer> query(
            QueryText query,
            Optional<Function<TableRoute, List<Integer>>> choice,
            ReadMode mode,
            ResultKind wanted,
            long deadlineNanos,
            boolean block) {
        return query(new TextQuery(query, choice, Optional.empty(), mode, wanted, deadlineNanos), block);
    }

    /** Query in the engine's language of all actors. */
    public Operation<Answer> query(
            QueryText query, ReadMode mode, ResultKind wanted, long deadlineNanos, boolean block) {
        return query(query, Optional.empty(), mode, wanted, deadlineNanos, block);
    }

    /** Query in the engine's language, in a session. */
    public Operation<Answer> query(
            QueryText query, Optional<ReadSession> session, ResultKind wanted, long deadlineNanos, boolean block) {
        return query(
                new TextQuery(query, Optional.empty(), session, ReadMode.LINEARIZABLE, wanted, deadlineNanos), block);
    }

    /** Query in the engine's language, with all that its execution needs. */
    private record TextQuery(
            QueryText text,
            Optional<Function<TableRoute, List<Integer>>> choice,
            Optional<ReadSession> session,
            ReadMode mode,
            ResultKind wanted,
            long deadlineNanos) {
        /** True if the caller has chosen no actor. In a text without choice no actors are all. */
        boolean ofNoActor() {
            return choice.isPresent() && text.actors().isEmpty();
        }
    }

    private Operation<Answer> query(TextQuery query, boolean block) {
        RouteIndex index = core.index();
        Optional<Query> whole = query.ofNoActor()
                ? Optional.empty()
                : SingleActorQueryFactory.of(index, query.text(), query.mode(), query.deadlineNanos());
        long generation = index.table(query.text().table())
                .map(route -> route.map().generation())
                .orElse(0L);
        return whole.isPresent()
                ? queryActor(query, whole.get(), generation, block)
                : core.begin(
                        0,
                        block,
                        query.deadlineNanos(),
                        (operation, environment) -> startPlanned(query, operation, environment));
    }

    /** Notifies servers of the end of a session. Completes once the messages are sent, without waiting for replies. */
    public Operation<Done> release(ReadSession session) {
        return core.beginAdmin((operation, environment) -> operation.start(
                () -> {
                    session.release(environment);
                    operation.end(Outcome.ok(Done.DONE));
                },
                () -> operation.end(Outcome.ok(Done.DONE))));
    }

    /** Makes the query read the same replicas as this client's other queries, if replicas may answer differently. */
    private Query withStickyReplicas(Query query) {
        return query.withStableReplicas(core.index().replicasMayDiffer(query.table()));
    }

    /** Query of the table's only actor by the map of this generation. If that is not the newest, a server plans it again. */
    private Operation<Answer> queryActor(TextQuery text, Query asked, long generation, boolean block) {
        Query query = withStickyReplicas(asked);
        Optional<ReadSession> session = text.session();
        long startNanos = core.clock().nanos();
        Function<Outcome<QueryResult>, Outcome<Answer>> finish =
                outcome -> outcome.map(result -> text.wanted() == ResultKind.STEPS
                        ? explainActorQuery(query, result, core.clock().nanos() - startNanos)
                        : answer(query, result));
        ReadEnd<QueryResult, Answer> end = (outcome, operation, environment) -> {
            if (session.isEmpty() && isOfOtherChunks(outcome, generation)) {
                startPlanned(text, operation, environment);
            } else {
                operation.end(finish.apply(outcome));
            }
        };
        if (readsOneVersion(query, session)) {
            return readVersion(query, block, end);
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            QueryExecution machine = new QueryExecution(
                    environment, query, session, outcome -> end.onEnd(outcome, operation, environment));
            operation.start(machine::start, machine::cancel);
        });
    }

    /** True if a TIME table had other chunks than by the map of this generation, or its only one is expired. */
    private static boolean isOfOtherChunks(Outcome<QueryResult> outcome, long generation) {
        return outcome instanceof Outcome.Ok<QueryResult> ok
                ? ok.value().generation() > generation || ok.value().parts().isEmpty()
                : generation > 0 && outcome.error().code() == ErrorCode.STALE_EPOCH;
    }

    private static Answer answer(Query query, QueryResult result) {
        Answer answer = WholeQueryOperator.call(query.operator())
                .values()
                .decode(result.parts().get(0));
        return answer.withEffort(effort(result.stats()));
    }

    /** Explains a query of a single actor. No server plans such a query, so the client describes its only step. */
    private Answer explainActorQuery(Query query, QueryResult result, long nanos) {
        PlanContext.ReadStats taken = new PlanContext.ReadStats(
                result.parts().stream().mapToLong(Bytes::size).sum(),
                result.stats().servers().stream().map(ServerId::value).collect(Collectors.toCollection(TreeSet::new)));
        int all = core.index()
                .table(query.table())
                .map(route -> route.map().actors().size())
                .orElse(1);
        String step = ExplainFormatter.formatStep(
                ExplainFormatter.formatOperatorCall("whole query", query.operator(), 1, all, query.table()),
                taken,
                nanos);
        String answer = ExplainFormatter.formatAnswer(answer(query, result), "");
        return new Answer("text/plain", Bytes.utf8(step + "\n" + answer + "\n"), effort(result.stats()));
    }

    private void startPlanned(TextQuery query, Operation<Answer> operation, ClientContext environment) {
        PlannedQueryNetwork network = (to, request, timeout, completion) -> core.network()
                .query(to, request, timeout, outcome -> operation.serial().execute(() -> completion.done(outcome)));
        PlannedQueryExecution machine = new PlannedQueryExecution(
                        environment,
                        network,
                        query.text(),
                        query.session(),
                        query.deadlineNanos(),
                        outcome -> operation.end(answer(outcome)))
                .mode(query.mode())
                .explain(query.wanted() == ResultKind.STEPS)
                .choice(query.choice());
        operation.start(machine::start, machine::cancel);
    }

    /** Adds this client's effort to that of the planning server. */
    private static Outcome<Answer> answer(Outcome<PlannedQueryResult> outcome) {
        if (outcome instanceof Outcome.Err<PlannedQueryResult> err) {
            return Outcome.err(err.error());
        }
        PlannedQueryResult result = outcome.value();
        return Outcome.ok(result.answer().withEffort(result.answer().effort().plus(effort(result.stats()))));
    }

    private static Answer.Effort effort(QueryResult.Stats stats) {
        return new Answer.Effort(stats.requests(), stats.retries(), stats.hedges());
    }
}
