package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Procedure that creates a table: check of the definition, validation by the port on a live server, placement, and one multi with number,
 * definition and map. It then waits until the primaries accept updates. All replicas start empty, so all of them are in sync from the first
 * epoch.
 */
public final class TableCreator {
    private static final int WRITES_MAX = 5;

    private final LeaderContext leader;
    private final TableIdAllocator ids;
    private final TableMeta requested;
    private final PendingAdminReply reply;
    private int writes;
    private long tableIdMin;

    public TableCreator(LeaderContext leader, TableIdAllocator ids, TableMeta asked, PendingAdminReply answer) {
        this.leader = leader;
        this.ids = ids;
        this.requested = asked;
        this.reply = answer;
    }

    public static UniserveException tableExists(TableName name) {
        return new UniserveException(
                ErrorCode.TABLE_EXISTS,
                "table " + name + " exists or is being created: drop it first, or use another name");
    }

    public void start() {
        TableValidator.check(requested, leader.config().levels());
        if (leader.catalog().tables().size() >= Limits.TABLES_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the cluster has " + Limits.TABLES_MAX + " tables, the limit: drop one first");
        }
        List<ServerRecord> usable = leader.usableServers();
        TableValidator.check(requested, usable, leader.silentServers());
        PortTableValidator.run(leader, usable, new PeerRequest.ValidateTable(requested), reply, this::reserveTableId);
    }

    private void reserveTableId() {
        ids.next(
                least -> {
                    tableIdMin = least;
                    write();
                },
                reply::fail);
    }

    private void write() {
        if (!reply.isOpen()) {
            return;
        }
        List<ServerView> servers = leader.clusterView().eligible(requested.port());
        if (requested.rf() > servers.size()) {
            reply.fail(UniserveException.invalid(
                    "rf is " + requested.rf() + " but only " + servers.size() + " live servers offer port \""
                            + requested.port() + "\" now: start more servers, or use a smaller rf"));
            return;
        }
        ClusterRecord cluster = leader.catalog().cluster();
        long id = Math.max(tableIdMin, cluster.nextTableId());
        TableMeta meta = requested.withNameAndId(requested.name(), id);
        List<ActorState> actors = new ArrayList<>();
        for (List<ServerId> replicas :
                leader.placement().place(meta.partitioner().actors(), meta.rf(), servers)) {
            actors.add(new ActorState(
                    actors.size(), 1, replicas.get(0), replicas, List.of(), List.of(), replicas, Map.of(), 0));
        }
        TableMap map = new TableMap(meta.name(), id, actors);
        ClusterRecord next = cluster.withNextTableId(id + 1);
        List<Op> ops = new ArrayList<>(List.of(
                new Op.Set(RegistryPaths.CLUSTER, next, leader.catalog().clusterVersion()),
                new Op.Create(RegistryPaths.meta(meta.name()), meta, false),
                new Op.Create(RegistryPaths.map(meta.name()), map, false)));
        if (meta.level() != ConsistencyLevel.EVENTUAL) {
            ops.add(new Op.Create(RegistryPaths.log(meta.name(), id), TransactionLogState.empty(id), false));
        }
        leader.registry().write(ops, written -> onWritten(written, next, meta, map));
    }

    private void onWritten(WriteResult written, ClusterRecord next, TableMeta meta, TableMap map) {
        if (written.isApplied()) {
            List<Integer> versions = written.versions();
            leader.catalog().setCluster(next, versions.get(0));
            leader.catalog().put(meta, versions.get(1), map, versions.get(2));
            onCreated(meta.tableId());
        } else if (written.error() != null) {
            reply.fail(written.error());
        } else if (++writes >= WRITES_MAX) {
            reply.fail(new UniserveException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the registry did not confirm the creation of " + meta.name()
                            + ": describe the table, and create it again if it is absent"));
        } else {
            leader.registry().after(leader.config().tickNanos() / 4, () -> readAgain(meta));
        }
    }

    /** Reads the table after a write that was rejected or has an unknown outcome. */
    private void readAgain(TableMeta meta) {
        leader.registry()
                .afterSync(() -> leader.catalog()
                        .reloadCluster(orFail(() -> leader.catalog().reload(meta.name(), orFail(() -> {
                            Table found = leader.catalog().find(meta.name());
                            if (found == null) {
                                write();
                            } else if (found.meta.equals(meta)) {
                                onCreated(meta.tableId());
                            } else {
                                reply.fail(tableExists(meta.name()));
                            }
                        })))));
    }

    private CatalogManager.LoadCallback orFail(Runnable task) {
        return new CatalogManager.LoadCallback() {
            @Override
            public void onLoaded() {
                task.run();
            }

            @Override
            public void onFailed(UniserveException error) {
                reply.fail(new UniserveException(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "the connection to the registry was lost while table " + requested.name()
                                + " was created: describe the table, and create it again if it is absent",
                        error));
            }
        };
    }

    private void onCreated(long tableId) {
        leader.routingChanged();
        leader.reconcileSoon();
        new TableReadinessWaiter(leader, requested.name(), tableId, reply).start();
    }
}
