package io.uniserve.protocol.coordinator;

import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.LoadCollector;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.rebalance.Rebalancer;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Handler of one request for the cluster's status. It collects the loads of servers that reply in time. After the request arrived, it also
 * checks that this coordinator still leads. Without this confirmation the map may be outdated, and the status reports that as a problem.
 */
final class ClusterStatusCollector {
    private final LeaderContext leader;
    private final Rebalancer rebalancer;
    private final PendingAdminReply reply;
    private @Nullable List<PeerReply.Load> loads;
    private boolean termChecked;
    private boolean confirmed;

    ClusterStatusCollector(LeaderContext leader, Rebalancer rebalancer, PendingAdminReply answer) {
        this.leader = leader;
        this.rebalancer = rebalancer;
        this.reply = answer;
    }

    void start() {
        long sentAt = leader.env().clock().nanos();
        leader.registry().write(List.of(), written -> {
            if (written.isApplied()) {
                confirmed = true;
                leader.contact().onConfirmed(sentAt, leader.env().clock().nanos());
            }
            onTermChecked();
        });
        leader.registry().after(leader.config().rpcTimeoutNanos(), this::onTermChecked);
        LoadCollector.run(leader, told -> {
            loads = told;
            replyIfComplete();
        });
    }

    private void onTermChecked() {
        termChecked = true;
        replyIfComplete();
    }

    private void replyIfComplete() {
        List<PeerReply.Load> told = loads;
        if (told != null && termChecked && reply.isOpen()) {
            reply.ok(new AdminReply.ClusterStatus(
                    leader.routing(),
                    leader.registry().term(),
                    told,
                    drainedServers(),
                    rebalancer.report(),
                    problems()));
        }
    }

    /** Drained servers without those that the auto-scaler has terminated. */
    private List<ServerId> drainedServers() {
        return leader.catalog().cluster().drainedServers().stream()
                .filter(id ->
                        !ScalingInstance.isServerId(id) || leader.members().find(id) != null)
                .toList();
    }

    private List<HealthProblem> problems() {
        List<HealthProblem> problems = new ArrayList<>();
        if (!confirmed) {
            RegistryConnectionMonitor contact = leader.contact();
            long now = leader.env().clock().nanos();
            String why = contact.lossReason(now)
                    .orElseGet(() -> "the registry does not confirm that it leads, last "
                            + (contact.ageMillis(now) < 0 ? "never" : contact.ageMillis(now) / 1_000 + " s ago"));
            problems.add(new HealthProblem(
                    HealthProblem.Severity.ERROR, "registry", why + ": the shown tables and servers may be outdated"));
        }
        return problems;
    }
}
