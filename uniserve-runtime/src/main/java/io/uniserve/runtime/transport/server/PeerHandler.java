package io.uniserve.runtime.transport.server;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** Handler of requests between daemons. Called on a transport thread: must not block. */
@FunctionalInterface
public interface PeerHandler {
    /** Handles the request; the completion may be called once, on any thread. */
    void call(PeerRequest request, Completion<PeerReply> completion);
}
