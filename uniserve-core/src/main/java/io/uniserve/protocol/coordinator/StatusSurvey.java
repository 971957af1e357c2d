package io.uniserve.protocol.coordinator;

import io.uniserve.protocol.RegistryContact;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Handler of one request for the cluster's status. It collects the loads of servers that reply in time. It also checks, after the request
 * arrived, that this coordinator still leads. Without this confirmation the map may be old, and the status has a problem that says so.
 */
final class StatusSurvey {
    private final LeaderContext leader;
    private final Rebalancer rebalancer;
    private final PendingAdminReply answer;
    private @Nullable List<PeerReply.Load> loads;
    private boolean asked;
    private boolean confirmed;

    StatusSurvey(LeaderContext leader, Rebalancer rebalancer, PendingAdminReply answer) {
        this.leader = leader;
        this.rebalancer = rebalancer;
        this.answer = answer;
    }

    void start() {
        long sentAt = leader.env().clock().nanos();
        leader.registry().write(List.of(), written -> {
            if (written.applied()) {
                confirmed = true;
                leader.contact().confirmed(sentAt, leader.env().clock().nanos());
            }
            checked();
        });
        leader.registry().after(leader.config().rpcTimeoutNanos(), this::checked);
        LoadCollector.run(leader, told -> {
            loads = told;
            finish();
        });
    }

    private void checked() {
        asked = true;
        finish();
    }

    private void finish() {
        List<PeerReply.Load> told = loads;
        if (told != null && asked && answer.isOpen()) {
            answer.ok(new AdminReply.ClusterStatus(
                    leader.routing(),
                    leader.registry().term(),
                    told,
                    leader.catalog().cluster().drained(),
                    rebalancer.report(),
                    problems()));
        }
    }

    private List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        if (!confirmed) {
            RegistryContact contact = leader.contact();
            long now = leader.env().clock().nanos();
            String why = contact.trouble(now)
                    .orElseGet(() -> "the registry does not confirm that it leads, last "
                            + (contact.ageMillis(now) < 0 ? "never" : contact.ageMillis(now) / 1_000 + " s ago"));
            problems.add(new Problem(
                    Problem.Severity.ERROR, "registry", why + ": the shown tables and servers may be outdated"));
        }
        return problems;
    }
}
