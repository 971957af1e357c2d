package io.uniserve.protocol.reader;

import io.uniserve.api.plan.Answer;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.QueryRequest;

/** Requests to have a query planned and answered by a server. Errors as for {@link io.uniserve.protocol.env.ClientNetwork}. */
@FunctionalInterface
public interface TextNetwork {
    /** Sends the query; the returned handle cancels it there. */
    Timers.Cancel query(Address to, QueryRequest request, long timeoutNanos, Completion<Answer> completion);
}
