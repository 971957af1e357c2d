package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ClusterRecord;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.coordinator.FencedRegistry.Written;
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
final class TableCreator {
    private static final int WRITES_MAX = 5;

    private final LeaderContext leader;
    private final TableIds ids;
    private final TableMeta asked;
    private final PendingAdminReply answer;
    private int writes;
    private long idLeast;

    TableCreator(LeaderContext leader, TableIds ids, TableMeta asked, PendingAdminReply answer) {
        this.leader = leader;
        this.ids = ids;
        this.asked = asked;
        this.answer = answer;
    }

    static UniserveException exists(TableName name) {
        return new UniserveException(
                ErrorCode.TABLE_EXISTS,
                "table " + name + " exists or is being created: drop it first, or use another name");
    }

    void start() {
        TableValidator.check(asked, leader.config().levels());
        if (leader.catalog().tables().size() >= Limits.TABLES_MAX) {
            throw new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "the cluster has " + Limits.TABLES_MAX + " tables, the limit: drop one first");
        }
        List<ServerRecord> usable = leader.usable();
        TableValidator.check(asked, usable, leader.silent());
        PortValidation.run(leader, usable, new PeerRequest.ValidateTable(asked), answer, this::number);
    }

    private void number() {
        ids.next(
                least -> {
                    idLeast = least;
                    write();
                },
                answer::fail);
    }

    private void write() {
        if (!answer.isOpen()) {
            return;
        }
        List<ServerView> servers = leader.view().eligible(asked.port());
        if (asked.rf() > servers.size()) {
            answer.fail(UniserveException.invalid(
                    "rf is " + asked.rf() + " but only " + servers.size() + " live servers offer port \"" + asked.port()
                            + "\" now: start more servers, or use a smaller rf"));
            return;
        }
        ClusterRecord cluster = leader.catalog().cluster();
        long id = Math.max(idLeast, cluster.nextTableId());
        TableMeta meta = asked.as(asked.name(), id);
        List<ActorState> actors = new ArrayList<>();
        for (List<ServerId> replicas :
                leader.placement().place(meta.partitioner().actors(), meta.rf(), servers)) {
            actors.add(new ActorState(
                    actors.size(), 1, replicas.get(0), replicas, List.of(), List.of(), replicas, Map.of(), 0));
        }
        TableMap map = new TableMap(meta.name(), id, actors);
        ClusterRecord next = cluster.next(id + 1);
        List<Op> ops = new ArrayList<>(List.of(
                new Op.Set(RegistryPaths.CLUSTER, next, leader.catalog().clusterVersion()),
                new Op.Create(RegistryPaths.meta(meta.name()), meta, false),
                new Op.Create(RegistryPaths.map(meta.name()), map, false)));
        if (meta.level() != ConsistencyLevel.EVENTUAL) {
            ops.add(new Op.Create(RegistryPaths.log(meta.name(), id), TransactionLogState.empty(id), false));
        }
        leader.registry().write(ops, written -> written(written, next, meta, map));
    }

    private void written(Written written, ClusterRecord next, TableMeta meta, TableMap map) {
        if (written.applied()) {
            List<Integer> versions = written.versions();
            leader.catalog().setCluster(next, versions.get(0));
            leader.catalog().put(meta, versions.get(1), map, versions.get(2));
            created(meta.tableId());
        } else if (written.error() != null) {
            answer.fail(written.error());
        } else if (++writes >= WRITES_MAX) {
            answer.fail(new UniserveException(
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
                .synced(() -> leader.catalog()
                        .reloadCluster(orFail(() -> leader.catalog().reload(meta.name(), orFail(() -> {
                            Table found = leader.catalog().find(meta.name());
                            if (found == null) {
                                write();
                            } else if (found.meta.equals(meta)) {
                                created(meta.tableId());
                            } else {
                                answer.fail(exists(meta.name()));
                            }
                        })))));
    }

    private CatalogManager.Then orFail(Runnable task) {
        return new CatalogManager.Then() {
            @Override
            public void done() {
                task.run();
            }

            @Override
            public void failed(UniserveException error) {
                answer.fail(new UniserveException(
                        ErrorCode.OUTCOME_UNKNOWN,
                        "the connection to the registry was lost while table " + asked.name()
                                + " was created: describe the table, and create it again if it is absent",
                        error));
            }
        };
    }

    private void created(long tableId) {
        leader.routingChanged();
        leader.wake();
        new TableReadiness(leader, asked.name(), tableId, answer).start();
    }
}
