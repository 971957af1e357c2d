package io.uniserve.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.WholeQuery;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryMachine;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.ReadSession;
import io.uniserve.protocol.reader.TextNetwork;
import io.uniserve.protocol.reader.TextQueryMachine;
import io.uniserve.protocol.reader.TextResult;
import io.uniserve.protocol.reader.WholeQueries;
import java.util.Optional;

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

    /** A retrieve over actors, of a session. */
    public Operation<QueryResult> retrieve(Query query, Optional<ReadSession> session, boolean block) {
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
