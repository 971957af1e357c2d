package io.uniserve.protocol.env;

import io.uniserve.model.Address;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** Requests to other daemons. Messages may be lost, delayed, reordered or handled twice. */
public interface Network {
    /**
     * Sends a request. Fails with UNAVAILABLE if it was certainly not handled, with DEADLINE_EXCEEDED after the time-out (it may have been
     * handled), or with the peer's own error.
     */
    void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion);
}
