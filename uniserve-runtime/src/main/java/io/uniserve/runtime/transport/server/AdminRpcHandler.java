package io.uniserve.runtime.transport.server;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;

/** Handler of administrative requests at the coordinator. Called on a transport thread: must not block. */
@FunctionalInterface
public interface AdminRpcHandler {
    /** Handles the request; the completion may be called once, on any thread. */
    void call(AdminRequest request, Completion<AdminReply> completion);
}
