package io.uniserve.runtime.transport.server;

import io.uniserve.api.plan.Answer;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.QueryRequest;
import java.util.function.Predicate;

/** Handler of queries in an engine's own language. Called on a transport thread: must not block. */
@FunctionalInterface
public interface QueryHandler {
    /** Handles the request; the completion may be called once, on any thread; the returned handle stops the work. */
    Timers.Cancel query(QueryRequest request, Completion<Answer> completion);

    /**
     * Returns the handler on behalf of a client.
     *
     * @param client name for fair sharing of threads
     * @param readable tables that the client may read: any other one in a plan does not exist for it
     */
    default QueryHandler onBehalfOf(String client, Predicate<TableName> readable) {
        return this;
    }
}
