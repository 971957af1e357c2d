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
    private final LeaderTerm leaderTerm;
    private final AdminHandler.Answer answer;
    private @Nullable List<PeerReply.Load> loads;
    private boolean asked;
    private boolean confirmed;

    StatusSurvey(LeaderTerm leaderTerm, AdminHandler.Answer answer) {
        this.leaderTerm = leaderTerm;
        this.answer = answer;
    }

    void start() {
        long sentAt = leaderTerm.env().clock().nanos();
        leaderTerm.registry().write(List.of(), written -> {
            if (written.applied()) {
                confirmed = true;
                leaderTerm.contact().confirmed(sentAt, leaderTerm.env().clock().nanos());
            }
            checked();
        });
        leaderTerm.registry().after(leaderTerm.config().rpcTimeoutNanos(), this::checked);
        LoadCollector.run(leaderTerm, told -> {
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
                    leaderTerm.routing(),
                    leaderTerm.registry().term(),
                    told,
                    leaderTerm.catalog().cluster().drained(),
                    leaderTerm.rebalancer().report(),
                    problems()));
        }
    }

    private List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        if (!confirmed) {
            RegistryContact contact = leaderTerm.contact();
            long now = leaderTerm.env().clock().nanos();
            String why = contact.trouble(now)
                    .orElseGet(() -> "the registry does not confirm that it leads, last "
                            + (contact.ageMillis(now) < 0 ? "never" : contact.ageMillis(now) / 1_000 + " s ago"));
            problems.add(new Problem(
                    Problem.Severity.ERROR, "registry", why + ": the shown tables and servers may be outdated"));
        }
        return problems;
    }
}
