package io.uniserve.runtime.transport;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;

/** Answers administrators; the leading coordinator's. Called on a transport thread: must not block. */
@FunctionalInterface
public interface AdminRpcHandler {
    /** Handles the request; the completion may be called once, on any thread. */
    void call(AdminRequest request, Completion<AdminReply> completion);
}
