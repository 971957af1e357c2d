package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.Optional;

/** Handler of one VerifyActor request: the actor's primary compares all copies of the actor. */
public final class ActorVerifier {
    /** Longer than the primary's own time limit, so that the primary can still report a silent copy as unknown. */
    private static final long TIMEOUT_NANOS =
            (Limits.COPIES_COMPARED_MS_MAX + Limits.COPIES_COMPARED_MARGIN_MS) * 1_000_000;

    private final LeaderContext leader;
    private final Table table;
    private final int actor;
    private final PendingAdminReply reply;

    public ActorVerifier(LeaderContext leader, Table table, int actor, PendingAdminReply answer) {
        this.leader = leader;
        this.table = table;
        this.actor = actor;
        this.reply = answer;
    }

    public void start() {
        ActorState state = table.requireActor(actor);
        Optional<ServerRecord> primary = leader.liveServers().stream()
                .filter(server -> server.id().equals(state.primary()))
                .findFirst();
        if (primary.isEmpty()) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "actor " + actor + " of " + table.meta.name() + " has no live primary: retry later");
        }
        PeerRequest.CompareCopies request =
                new PeerRequest.CompareCopies(table.meta.name(), new ReplicaKey(table.meta.tableId(), actor));
        leader.env()
                .network()
                .call(
                        primary.get().address(),
                        request,
                        TIMEOUT_NANOS,
                        leader.registry().scoped(this::onCompared));
    }

    private void onCompared(Outcome<PeerReply> outcome) {
        if (outcome instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Compared compared) {
            reply.ok(new AdminReply.Verified(compared));
        } else if (outcome instanceof Outcome.Err<PeerReply> err) {
            reply.fail(err.error());
        } else {
            reply.fail(new UniserveException(ErrorCode.INTERNAL, "the primary sent a reply of an unexpected type"));
        }
    }
}
