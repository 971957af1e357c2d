package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** Brings an operator's request to the server whose trash it is about, and the answer back. */
final class TrashRelay {
    private static final long TIMEOUT_NANOS = 30_000_000_000L;

    private TrashRelay() {}

    static void ask(LeaderTerm leaderTerm, AdminRequest.ServerTrash request, AdminHandler.Answer answer) {
        ServerRecord server = leaderTerm.members().find(request.server());
        if (server == null) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT,
                    "server " + request.server() + " is not registered: start it, its trash stays meanwhile");
        }
        PeerRequest call = new PeerRequest.Trash(request.call());
        leaderTerm
                .env()
                .network()
                .call(
                        server.address(),
                        call,
                        TIMEOUT_NANOS,
                        leaderTerm.registry().scoped(outcome -> {
                            Outcome<PeerReply.Trashed> typed = StorageRequests.typed(outcome, PeerReply.Trashed.class);
                            if (typed instanceof Outcome.Ok<PeerReply.Trashed> ok) {
                                answer.ok(new AdminReply.Trashed(ok.value().report()));
                            } else {
                                answer.fail(typed.error());
                            }
                        }));
    }
}
