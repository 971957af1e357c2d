package io.uniserve.client;

import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.QueryText;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.reader.Query;
import io.uniserve.protocol.reader.QueryMachine;
import io.uniserve.protocol.reader.QueryResult;
import io.uniserve.protocol.reader.TextNetwork;
import io.uniserve.protocol.reader.TextQueryMachine;
import io.uniserve.protocol.reader.TextResult;

/** Starts reads. Safe for use by several threads. */
final class Reads {
    private final ClientCore core;

    public Reads(ClientCore core) {
        this.core = core;
    }

    /** A retrieve over actors. */
    public Operation<QueryResult> retrieve(Query query, boolean block) {
        return core.begin(0, block, query.deadlineNanos(), (operation, environment) -> {
            QueryMachine machine = new QueryMachine(environment, query, operation::end);
            operation.start(machine::start, machine::cancel);
        });
    }

    /** A query in the engine's language, planned on a server. */
    public Operation<Answer> text(QueryText query, long deadlineNanos, boolean block) {
        return core.begin(0, block, deadlineNanos, (operation, environment) -> {
            TextNetwork network = (to, request, timeout, completion) -> core.network()
                    .query(to, request, timeout, outcome -> operation.serial().execute(() -> completion.done(outcome)));
            TextQueryMachine machine = new TextQueryMachine(
                    environment, network, query, deadlineNanos, outcome -> operation.end(answer(outcome)));
            operation.start(machine::start, machine::cancel);
        });
    }

    /** The answer, with the effort of this client added to that of the server which planned it. */
    private static Outcome<Answer> answer(Outcome<TextResult> outcome) {
        if (outcome instanceof Outcome.Err<TextResult> err) {
            return Outcome.err(err.error());
        }
        TextResult result = ((Outcome.Ok<TextResult>) outcome).value();
        Answer.Effort own = new Answer.Effort(
                result.stats().requests(),
                result.stats().retries(),
                result.stats().hedges());
        return Outcome.ok(result.answer().with(result.answer().effort().plus(own)));
    }
}
