package io.uniserve.protocol.client.query;

import io.uniserve.api.plan.Answer;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.QueryRequest;

/** Requests to a server to plan and answer a query. Errors as for {@link io.uniserve.protocol.env.ClientNetwork}. */
@FunctionalInterface
public interface PlannedQueryNetwork {
    /** Sends the query; the result cancels it there. */
    Timers.Cancel query(Address to, QueryRequest request, long timeoutNanos, Completion<Answer> completion);
}
