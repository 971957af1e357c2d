package io.uniserve.protocol.coordinator;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.coordinator.failover.IntactReplicaTracker;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.HealthMonitor;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.CoordinatorRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** Handler of reports that servers send to the leader. */
final class CoordinatorRequestHandler implements CoordinatorRequest.Handler<Completion<PeerReply>> {
    private final LeaderContext leader;
    private final HealthMonitor health;
    private final IntactReplicaTracker intactReplicas;

    CoordinatorRequestHandler(LeaderContext leader, HealthMonitor health, IntactReplicaTracker intactReplicas) {
        this.leader = leader;
        this.health = health;
        this.intactReplicas = intactReplicas;
    }

    @Override
    public void suspect(PeerRequest.Suspect request, Completion<PeerReply> completion) {
        health.onSuspect(request);
        acknowledge(completion);
    }

    @Override
    public void draining(PeerRequest.Draining request, Completion<PeerReply> completion) {
        health.onDraining(request);
        boolean possible =
                leader.usableServers().stream().anyMatch(server -> !server.id().equals(request.server()));
        completion.done(Outcome.ok(new PeerReply.DrainReply(possible)));
    }

    @Override
    public void learnerCaughtUp(PeerRequest.LearnerCaughtUp request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().onLearnerCaughtUp(request));
    }

    @Override
    public void replicasFenced(PeerRequest.ReplicasFenced request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().onReplicasFenced(request));
    }

    @Override
    public void reportUnhealthy(PeerRequest.ReportUnhealthy request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> {
            leader.replicas().onUnhealthy(request, leader.env().clock().nanos());
            if (request.dataLost()) {
                intactReplicas.revoke(request.key(), request.server());
            }
        });
    }

    @Override
    public void epochStarted(PeerRequest.EpochStarted request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().onEpochStarted(request));
    }

    @Override
    public void requestNewEpoch(PeerRequest.RequestNewEpoch request, Completion<PeerReply> completion) {
        report(request.key(), completion, () -> leader.replicas().onRequestNewEpoch(request));
    }

    @Override
    public void primaryTransferReady(PeerRequest.PrimaryTransferReady request, Completion<PeerReply> completion) {
        report(
                request.key(),
                completion,
                () -> leader.replicas()
                        .onPrimaryTransferReady(request, leader.env().clock().nanos()));
    }

    /** Acknowledges every report, but ignores one about a dropped table or an expired chunk. */
    private void report(ReplicaKey key, Completion<PeerReply> completion, Runnable note) {
        Table table = leader.catalog().find(key.tableId());
        if (table != null && table.hasActor(key.actor())) {
            note.run();
            leader.reconcileSoon();
        }
        acknowledge(completion);
    }

    private static void acknowledge(Completion<PeerReply> completion) {
        completion.done(Outcome.ok(new PeerReply.Ack()));
    }
}
