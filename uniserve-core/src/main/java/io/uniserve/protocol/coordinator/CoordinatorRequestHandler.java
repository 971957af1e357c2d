package io.uniserve.protocol.coordinator;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.CoordinatorRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** Handler of reports that servers send to the leader. */
final class CoordinatorRequestHandler implements CoordinatorRequest.Handler<Completion<PeerReply>> {
    private final LeaderContext leader;
    private final HealthMonitor health;
    private final IntactReplicas intactReplicas;

    CoordinatorRequestHandler(LeaderContext leader, HealthMonitor health, IntactReplicas intactReplicas) {
        this.leader = leader;
        this.health = health;
        this.intactReplicas = intactReplicas;
    }

    @Override
    public void suspect(PeerRequest.Suspect request, Completion<PeerReply> completion) {
        health.suspect(request);
        acknowledge(completion);
    }

    @Override
    public void draining(PeerRequest.Draining request, Completion<PeerReply> completion) {
        health.draining(request);
        boolean possible =
                leader.usable().stream().anyMatch(server -> !server.id().equals(request.server()));
        completion.done(Outcome.ok(new PeerReply.Emptying(possible)));
    }

    @Override
    public void certified(PeerRequest.Certified request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().certified(request));
    }

    @Override
    public void fenced(PeerRequest.Fenced request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().fenced(request));
    }

    @Override
    public void unfit(PeerRequest.Unfit request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> {
            leader.replicas().unfit(request, leader.env().clock().nanos());
            if (request.lost()) {
                intactReplicas.revoke(request.key(), request.server());
            }
        });
    }

    @Override
    public void begun(PeerRequest.Begun request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().begun(request));
    }

    @Override
    public void renew(PeerRequest.Renew request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().renew(request));
    }

    @Override
    public void handOver(PeerRequest.HandOver request, Completion<PeerReply> completion) {
        report(
                request.key(),
                completion,
                () -> leader
                        .replicas()
                        .handOver(request, leader.env().clock().nanos()));
    }

    /** Acknowledges every report, but ignores one about a dropped table. */
    private void report(ReplicaKey key, Completion<PeerReply> completion, Runnable note) {
        Table table = leader.catalog().find(key.tableId());
        if (table != null
                && key.actor() >= 0
                && key.actor() < table.map().actors().size()) {
            note.run();
            leader.wake();
        }
        acknowledge(completion);
    }

    private static void acknowledge(Completion<PeerReply> completion) {
        completion.done(Outcome.ok(new PeerReply.Ack()));
    }
}
