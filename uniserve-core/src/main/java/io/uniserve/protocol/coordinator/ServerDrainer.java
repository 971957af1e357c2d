package io.uniserve.protocol.coordinator;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.coordinator.FencedRegistry.Written;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writer of an operator's request to drain a server, or to use it again. Its replicas then move as from a server that shuts down. */
final class ServerDrainer {
    private static final Logger LOG = LoggerFactory.getLogger(ServerDrainer.class);

    private final LeaderContext leader;
    private final ServerId server;
    private final boolean wanted;
    private final PendingAdminReply answer;
    private final RetryBudget retryBudget;

    ServerDrainer(LeaderContext leader, AdminRequest.DrainServer request, PendingAdminReply answer) {
        this.leader = leader;
        this.server = request.server();
        this.wanted = request.drained();
        this.answer = answer;
        retryBudget = new RetryBudget(leader, answer, "the registry did not confirm it: ask again");
    }

    void start() {
        if (wanted && !isRecorded()) {
            check();
        }
        write();
    }

    private boolean isRecorded() {
        return leader.catalog().cluster().drained().contains(server);
    }

    private void check() {
        if (leader.live().stream().noneMatch(live -> live.id().equals(server))) {
            throw UniserveException.invalid(
                    "server: no live server has the id " + server + ": see the status for live servers");
        }
        if (leader.catalog().cluster().drained().size() >= Limits.SERVERS_MAX) {
            throw UniserveException.invalid(
                    "server: " + Limits.SERVERS_MAX + " servers are drained already: undo it for servers that left");
        }
        for (Table table : leader.catalog().tables()) {
            long others = leader.usable().stream()
                    .filter(other -> !other.id().equals(server) && ClusterView.offers(other, table.meta.port()))
                    .count();
            if (others < table.meta.rf() && holds(table)) {
                throw UniserveException.invalid("server: table " + table.meta.name() + " keeps " + table.meta.rf()
                        + " copies of each actor, and there are only " + others + " other servers with port "
                        + table.meta.port() + ": start another one first");
            }
        }
    }

    private boolean holds(Table table) {
        return table.map().actors().stream().map(ActorState::isr).anyMatch(isr -> isr.contains(server));
    }

    private void write() {
        if (!answer.isOpen()) {
            return;
        }
        if (isRecorded() == wanted) {
            leader.wake();
            answer.ok(new AdminReply.Ack());
            return;
        }
        ClusterRecord next = leader.catalog().cluster().drained(server, wanted);
        Op set = new Op.Set(RegistryPaths.CLUSTER, next, leader.catalog().clusterVersion());
        leader.registry().write(List.of(set), written -> written(written, next));
    }

    private void written(Written written, ClusterRecord next) {
        if (written.applied()) {
            leader.catalog().setCluster(next, written.versions().get(0));
            LOG.info("server {} {}", server, wanted ? "is to hold nothing" : "may hold replicas again");
            write();
        } else if (written.error() != null) {
            answer.fail(written.error());
        } else {
            retryBudget.again(this::readAgain);
        }
    }

    private void readAgain() {
        leader.registry()
                .synced(() -> leader.catalog().reloadCluster(new CatalogManager.Then() {
                    @Override
                    public void done() {
                        write();
                    }

                    @Override
                    public void failed(UniserveException error) {
                        answer.fail(error);
                    }
                }));
    }
}
