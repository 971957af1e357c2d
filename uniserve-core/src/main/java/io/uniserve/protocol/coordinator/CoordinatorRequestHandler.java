package io.uniserve.protocol.coordinator;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.CoordinatorRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** Handles reports of servers to the leader. */
final class CoordinatorRequestHandler implements CoordinatorRequest.Handler<Completion<PeerReply>> {
    private final LeaderTerm leaderTerm;

    CoordinatorRequestHandler(LeaderTerm leaderTerm) {
        this.leaderTerm = leaderTerm;
    }

    @Override
    public void suspect(PeerRequest.Suspect request, Completion<PeerReply> completion) {
        leaderTerm.health().suspect(request);
        acknowledge(completion);
    }

    @Override
    public void draining(PeerRequest.Draining request, Completion<PeerReply> completion) {
        leaderTerm.health().draining(request);
        boolean possible =
                leaderTerm.usable().stream().anyMatch(server -> !server.id().equals(request.server()));
        completion.done(Outcome.ok(new PeerReply.Emptying(possible)));
    }

    @Override
    public void certified(PeerRequest.Certified request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leaderTerm.replicas().certified(request));
    }

    @Override
    public void fenced(PeerRequest.Fenced request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leaderTerm.replicas().fenced(request));
    }

    @Override
    public void unfit(PeerRequest.Unfit request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> {
            leaderTerm.replicas().unfit(request, leaderTerm.env().clock().nanos());
            if (request.lost()) {
                leaderTerm.vouchers().revoke(request.key(), request.server());
            }
        });
    }

    @Override
    public void begun(PeerRequest.Begun request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leaderTerm.replicas().begun(request));
    }

    @Override
    public void renew(PeerRequest.Renew request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leaderTerm.replicas().renew(request));
    }

    @Override
    public void handOver(PeerRequest.HandOver request, Completion<PeerReply> completion) {
        report(
                request.key(),
                completion,
                () -> leaderTerm
                        .replicas()
                        .handOver(request, leaderTerm.env().clock().nanos()));
    }

    /** Acknowledges every report, but ignores one about a dropped table. */
    private void report(ReplicaKey key, Completion<PeerReply> completion, Runnable note) {
        Table table = leaderTerm.catalog().find(key.tableId());
        if (table != null
                && key.actor() >= 0
                && key.actor() < table.map().actors().size()) {
            note.run();
            leaderTerm.wake();
        }
        acknowledge(completion);
    }

    private static void acknowledge(Completion<PeerReply> completion) {
        completion.done(Outcome.ok(new PeerReply.Ack()));
    }
}
