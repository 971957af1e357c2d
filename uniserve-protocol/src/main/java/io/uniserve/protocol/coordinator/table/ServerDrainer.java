package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writer of an operator's request to drain a server, or to use it again. Its replicas then move as from a server that shuts down. */
public final class ServerDrainer {
    private static final Logger LOG = LoggerFactory.getLogger(ServerDrainer.class);

    private final LeaderContext leader;
    private final ServerId server;
    private final boolean drained;
    private final PendingAdminReply reply;
    private final RetryBudget retryBudget;

    public ServerDrainer(LeaderContext leader, AdminRequest.DrainServer request, PendingAdminReply answer) {
        this.leader = leader;
        this.server = request.server();
        this.drained = request.drained();
        this.reply = answer;
        retryBudget = new RetryBudget(leader, answer, "the registry did not confirm it: ask again");
    }

    public void start() {
        if (drained && !isRecorded()) {
            check();
        }
        write();
    }

    private boolean isRecorded() {
        return leader.catalog().cluster().drainedServers().contains(server);
    }

    private void check() {
        if (leader.liveServers().stream().noneMatch(live -> live.id().equals(server))) {
            throw UniserveException.invalid(
                    "server: no live server has the id " + server + ": see the status for live servers");
        }
        if (leader.catalog().cluster().drainedServers().size() >= Limits.SERVERS_MAX) {
            throw UniserveException.invalid(
                    "server: " + Limits.SERVERS_MAX + " servers are drained already: undo it for servers that left");
        }
        for (Table table : leader.catalog().tables()) {
            long others = leader.usableServers().stream()
                    .filter(other -> !other.id().equals(server) && ClusterView.offersPort(other, table.meta.port()))
                    .count();
            if (others < table.meta.rf() && hasReplicaOf(table)) {
                throw UniserveException.invalid("server: table " + table.meta.name() + " keeps " + table.meta.rf()
                        + " copies of each actor, and there are only " + others + " other servers with port "
                        + table.meta.port() + ": start another one first");
            }
        }
    }

    private boolean hasReplicaOf(Table table) {
        return table.map().actors().stream().map(ActorState::isr).anyMatch(isr -> isr.contains(server));
    }

    private void write() {
        if (!reply.isOpen()) {
            return;
        }
        if (isRecorded() == drained) {
            leader.reconcileSoon();
            reply.ok(new AdminReply.Ack());
            return;
        }
        ClusterRecord next = leader.catalog().cluster().withDrained(server, drained);
        Op set = new Op.Set(RegistryPaths.CLUSTER, next, leader.catalog().clusterVersion());
        leader.registry().write(List.of(set), written -> onWritten(written, next));
    }

    private void onWritten(WriteResult written, ClusterRecord next) {
        if (written.isApplied()) {
            leader.catalog().setCluster(next, written.versions().get(0));
            LOG.info("server {} {}", server, drained ? "is to hold nothing" : "may hold replicas again");
            write();
        } else if (written.error() != null) {
            reply.fail(written.error());
        } else {
            retryBudget.retry(this::readAgain);
        }
    }

    private void readAgain() {
        leader.registry()
                .afterSync(() -> leader.catalog().reloadCluster(new CatalogManager.LoadCallback() {
                    @Override
                    public void onLoaded() {
                        write();
                    }

                    @Override
                    public void onFailed(UniserveException error) {
                        reply.fail(error);
                    }
                }));
    }
}
