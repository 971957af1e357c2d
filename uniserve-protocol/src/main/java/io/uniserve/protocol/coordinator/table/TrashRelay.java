package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** Relay of an operator's request to the server whose trash it concerns. */
public final class TrashRelay {
    private static final long TIMEOUT_NANOS = 30_000_000_000L;

    private TrashRelay() {}

    public static void relay(LeaderContext leader, AdminRequest.ServerTrash request, PendingAdminReply answer) {
        ServerRecord server = leader.members().find(request.server());
        if (server == null) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "server " + request.server() + " is not registered: start it, its trash is kept");
        }
        PeerRequest call = new PeerRequest.Trash(request.call());
        leader.env()
                .network()
                .call(server.address(), call, TIMEOUT_NANOS, leader.registry().scoped(outcome -> {
                    Outcome<PeerReply.Trashed> typed = StorageRequestClient.typed(outcome, PeerReply.Trashed.class);
                    if (typed instanceof Outcome.Ok<PeerReply.Trashed> ok) {
                        answer.ok(new AdminReply.Trashed(ok.value().report()));
                    } else {
                        answer.fail(typed.error());
                    }
                }));
    }
}
