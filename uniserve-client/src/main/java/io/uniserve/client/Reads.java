package io.uniserve.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.WholeQuery;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryMachine;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadSession;
import io.uniserve.protocol.reader.TextNetwork;
import io.uniserve.protocol.reader.TextQueryMachine;
import io.uniserve.protocol.reader.TextResult;
import io.uniserve.protocol.reader.WholeQueries;
import io.uniserve.protocol.tx.AtomicService;
import io.uniserve.protocol.tx.VersionedNetwork;
import io.uniserve.protocol.tx.VersionedReadMachine;
import java.util.Optional;
import java.util.function.Function;

/** Starts reads. Safe for use by several threads. */
final class Reads {
    private final ClientCore core;

    public Reads(ClientCore core) {
        this.core = core;
    }

    /** A retrieve over actors. */
    public Operation<QueryResult> retrieve(Query query, boolean block) {
        return retrieve(query, Optional.empty(), block);
    }

    /**
     * A retrieve over actors of a table whose updates are atomic, at one version of it. Other modes, which would see another
     * state on every actor, are UNSUPPORTED.
     */
    private <T> Operation<T> versioned(Query query, boolean block, Function<Outcome<QueryResult>, Outcome<T>> answer) {
        if (query.mode() != ReadMode.LINEARIZABLE) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "mode " + query.mode() + " is not served for table " + query.table()
                            + ", whose updates are atomic: use the default mode");
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            VersionedNetwork network =
                    (to, request, completion) -> core.network().read(to, request, (Completion<VersionedRead.Reply>)
                            outcome -> operation.serial().execute(() -> completion.done(outcome)));
            VersionedReadMachine machine = new VersionedReadMachine(
                    environment,
                    network,
                    core.versionFloors(),
                    query,
                    outcome -> operation.end(answer.apply(result(outcome))));
            operation.start(machine::start, machine::cancel);
        });
    }

    private static Outcome<QueryResult> result(Outcome<VersionedReadMachine.Result> outcome) {
        return outcome instanceof Outcome.Ok<VersionedReadMachine.Result> ok
                ? Outcome.ok(ok.value().asQueryResult())
                : Outcome.err(((Outcome.Err<VersionedReadMachine.Result>) outcome).error());
    }

    private boolean atomic(TableName table) {
        return core.index()
                .table(table)
                .filter(route -> AtomicService.serves(route.meta().level()))
                .isPresent();
    }

    /** A retrieve over actors, of a session. */
    public Operation<QueryResult> retrieve(Query query, Optional<ReadSession> session, boolean block) {
        if (session.isEmpty() && atomic(query.table())) {
            return versioned(query, block, Function.identity());
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            QueryMachine machine = new QueryMachine(environment, query, session, operation::end);
            operation.start(machine::start, machine::cancel);
        });
    }

    /** A query in the engine's language: read from its actor where it concerns one, else planned on a server. */
    public Operation<Answer> text(QueryText query, long deadlineNanos, boolean block) {
        return text(query, Optional.empty(), deadlineNanos, block);
    }

    /** A query in the engine's language, of a session. */
    public Operation<Answer> text(QueryText query, Optional<ReadSession> session, long deadlineNanos, boolean block) {
        Optional<Query> whole = WholeQueries.of(core.index(), query, deadlineNanos);
        return whole.isPresent() ? whole(whole.get(), session, block) : planned(query, session, deadlineNanos, block);
    }

    /** Tells servers that a session has ended; done when they were told, not when they have heard. */
    public Operation<Done> release(ReadSession session) {
        return core.beginAdmin((operation, environment) -> operation.start(
                () -> {
                    session.release(environment);
                    operation.end(Outcome.ok(Done.DONE));
                },
                () -> operation.end(Outcome.ok(Done.DONE))));
    }

    private Operation<Answer> whole(Query query, Optional<ReadSession> session, boolean block) {
        if (session.isEmpty() && atomic(query.table())) {
            return versioned(query, block, outcome -> answer(query, outcome));
        }
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            QueryMachine machine =
                    new QueryMachine(environment, query, session, outcome -> operation.end(answer(query, outcome)));
            operation.start(machine::start, machine::cancel);
        });
    }

    private static Outcome<Answer> answer(Query query, Outcome<QueryResult> outcome) {
        if (outcome instanceof Outcome.Err<QueryResult> err) {
            return Outcome.err(err.error());
        }
        QueryResult result = ((Outcome.Ok<QueryResult>) outcome).value();
        Answer answer =
                WholeQuery.call(query.operator()).values().decode(result.parts().get(0));
        return Outcome.ok(answer.with(effort(result.stats())));
    }

    private Operation<Answer> planned(
            QueryText query, Optional<ReadSession> session, long deadlineNanos, boolean block) {
        return core.begin(0, block, deadlineNanos, (operation, environment) -> {
            TextNetwork network = (to, request, timeout, completion) -> core.network()
                    .query(to, request, timeout, outcome -> operation.serial().execute(() -> completion.done(outcome)));
            TextQueryMachine machine = new TextQueryMachine(
                    environment, network, query, session, deadlineNanos, outcome -> operation.end(answer(outcome)));
            operation.start(machine::start, machine::cancel);
        });
    }

    /** The answer, with the effort of this client added to that of the server which planned it. */
    private static Outcome<Answer> answer(Outcome<TextResult> outcome) {
        if (outcome instanceof Outcome.Err<TextResult> err) {
            return Outcome.err(err.error());
        }
        TextResult result = ((Outcome.Ok<TextResult>) outcome).value();
        return Outcome.ok(result.answer().with(result.answer().effort().plus(effort(result.stats()))));
    }

    private static Answer.Effort effort(QueryResult.Stats stats) {
        return new Answer.Effort(stats.requests(), stats.retries(), stats.hedges());
    }
}
