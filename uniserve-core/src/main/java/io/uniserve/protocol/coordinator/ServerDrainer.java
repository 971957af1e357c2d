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

    private final LeaderTerm leaderTerm;
    private final ServerId server;
    private final boolean wanted;
    private final AdminHandler.Answer answer;
    private final RetryBudget retryBudget;

    ServerDrainer(LeaderTerm leaderTerm, AdminRequest.DrainServer request, AdminHandler.Answer answer) {
        this.leaderTerm = leaderTerm;
        this.server = request.server();
        this.wanted = request.drained();
        this.answer = answer;
        retryBudget = new RetryBudget(leaderTerm, answer, "the registry did not confirm the request: send it again");
    }

    void start() {
        if (wanted && !isRecorded()) {
            check();
        }
        write();
    }

    private boolean isRecorded() {
        return leaderTerm.catalog().cluster().drained().contains(server);
    }

    private void check() {
        if (leaderTerm.live().stream().noneMatch(live -> live.id().equals(server))) {
            throw UniserveException.invalid(
                    "server: no live server has the id " + server + ": see the status for live servers");
        }
        if (leaderTerm.catalog().cluster().drained().size() >= Limits.SERVERS_MAX) {
            throw UniserveException.invalid(
                    "server: " + Limits.SERVERS_MAX + " servers are drained already: undo it for servers that left");
        }
        for (Table table : leaderTerm.catalog().tables()) {
            long others = leaderTerm.usable().stream()
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
            leaderTerm.wake();
            answer.ok(new AdminReply.Ack());
            return;
        }
        ClusterRecord next = leaderTerm.catalog().cluster().drained(server, wanted);
        Op set = new Op.Set(RegistryPaths.CLUSTER, next, leaderTerm.catalog().clusterVersion());
        leaderTerm.registry().write(List.of(set), written -> written(written, next));
    }

    private void written(Written written, ClusterRecord next) {
        if (written.applied()) {
            leaderTerm.catalog().setCluster(next, written.versions().get(0));
            LOG.info("server {}: {}", server, wanted ? "drain requested" : "may get replicas again");
            write();
        } else if (written.error() != null) {
            answer.fail(written.error());
        } else {
            retryBudget.again(this::readAgain);
        }
    }

    private void readAgain() {
        leaderTerm
                .registry()
                .synced(() -> leaderTerm.catalog().reloadCluster(new CatalogManager.Then() {
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
