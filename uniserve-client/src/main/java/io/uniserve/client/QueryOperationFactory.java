package io.uniserve.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.ExplainFormatter;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.client.operation.Operation;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.query.PlannedQueryExecution;
import io.uniserve.protocol.client.query.PlannedQueryNetwork;
import io.uniserve.protocol.client.query.PlannedQueryResult;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.query.ReadSession;
import io.uniserve.protocol.client.query.SingleActorQueryFactory;
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
        return readStrict(queries, block, Function.identity());
    }

    private <T> Operation<T> readStrict(
            List<Query> queries,
            boolean block,
            Function<Outcome<List<StrictReadExecution.Result>>, Outcome<T>> answer) {
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
                    outcome -> operation.end(answer.apply(outcome)));
            operation.start(machine::start, machine::cancel);
        });
    }

    private SnapshotReadClient network(Operation<?> operation) {
        return (to, request, completion) -> core.network().read(to, request, (Completion<VersionedRead.Reply>)
                outcome -> operation.serial().execute(() -> completion.done(outcome)));
    }

    /** Retrieve over actors of an atomic table, at one version. */
    private <T> Operation<T> readVersion(
            Query query, boolean block, Function<Outcome<QueryResult>, Outcome<T>> answer) {
        if (query.mode() == ReadMode.STRICT) {
            return readStrict(
                    List.of(query),
                    block,
                    outcome ->
                            answer.apply(outcome.map(results -> results.get(0).asQueryResult())));
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            SnapshotReadExecution machine = new SnapshotReadExecution(
                    environment,
                    network(operation),
                    core.versionWatermarks(),
                    query,
                    outcome -> operation.end(answer.apply(outcome.map(SnapshotReadExecution.Result::asQueryResult))));
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
            return readVersion(query, block, Function.identity());
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

    /** Query in the engine's language. A single actor answers it directly; else a server plans it. */
    public Operation<Answer> query(
            QueryText query, ReadMode mode, ResultKind wanted, long deadlineNanos, boolean block) {
        return query(query, Optional.empty(), mode, wanted, deadlineNanos, block);
    }

    /** Query in the engine's language, in a session. */
    public Operation<Answer> query(
            QueryText query, Optional<ReadSession> session, ResultKind wanted, long deadlineNanos, boolean block) {
        return query(query, session, ReadMode.LINEARIZABLE, wanted, deadlineNanos, block);
    }

    private Operation<Answer> query(
            QueryText query,
            Optional<ReadSession> session,
            ReadMode mode,
            ResultKind wanted,
            long deadlineNanos,
            boolean block) {
        Optional<Query> whole = SingleActorQueryFactory.of(core.index(), query, mode, deadlineNanos);
        return whole.isPresent()
                ? queryActor(whole.get(), session, wanted, block)
                : queryPlanned(query, session, mode, wanted, deadlineNanos, block);
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

    private Operation<Answer> queryActor(Query asked, Optional<ReadSession> session, ResultKind wanted, boolean block) {
        Query query = withStickyReplicas(asked);
        long startNanos = core.clock().nanos();
        Function<Outcome<QueryResult>, Outcome<Answer>> finish =
                outcome -> outcome.map(result -> wanted == ResultKind.STEPS
                        ? explainActorQuery(query, result, core.clock().nanos() - startNanos)
                        : answer(query, result));
        if (readsOneVersion(query, session)) {
            return readVersion(query, block, finish);
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            QueryExecution machine =
                    new QueryExecution(environment, query, session, outcome -> operation.end(finish.apply(outcome)));
            operation.start(machine::start, machine::cancel);
        });
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

    private Operation<Answer> queryPlanned(
            QueryText query,
            Optional<ReadSession> session,
            ReadMode mode,
            ResultKind wanted,
            long deadlineNanos,
            boolean block) {
        return core.begin(0, block, deadlineNanos, (operation, environment) -> {
            PlannedQueryNetwork network = (to, request, timeout, completion) -> core.network()
                    .query(to, request, timeout, outcome -> operation.serial().execute(() -> completion.done(outcome)));
            PlannedQueryExecution machine = new PlannedQueryExecution(
                            environment,
                            network,
                            query,
                            session,
                            deadlineNanos,
                            outcome -> operation.end(answer(outcome)))
                    .mode(mode)
                    .explain(wanted == ResultKind.STEPS);
            operation.start(machine::start, machine::cancel);
        });
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
