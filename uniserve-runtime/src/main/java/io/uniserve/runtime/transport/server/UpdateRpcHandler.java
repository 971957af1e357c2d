package io.uniserve.runtime.transport.server;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;

/** Handler of updates. Called on a transport thread: must not block. */
@FunctionalInterface
public interface UpdateRpcHandler {
    /** Handles the request; the completion may be called once, on any thread. */
    void update(UpdateRequest request, Completion<UpdateReply> completion);
}
