package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerRequest;
import java.util.Set;
import java.util.TreeSet;

/** Wait for the primaries of a new table: completes its creation once all of them accept updates. */
public final class TableReadinessWaiter {
    private static final long PERIOD_NANOS = 50_000_000L;

    private final LeaderContext leader;
    private final TableName name;
    private final long tableId;
    private final PendingAdminReply reply;
    private final long deadline;
    private final Set<Integer> ready = new TreeSet<>();

    TableReadinessWaiter(LeaderContext leader, TableName name, long tableId, PendingAdminReply answer) {
        this(leader, name, tableId, answer, leader.config().createTimeoutNanos());
    }

    public TableReadinessWaiter(
            LeaderContext leader, TableName name, long tableId, PendingAdminReply answer, long patienceNanos) {
        this.leader = leader;
        this.name = name;
        this.tableId = tableId;
        this.reply = answer;
        deadline = leader.env().clock().nanos() + patienceNanos;
    }

    public void start() {
        poll();
    }

    private void poll() {
        Table table = leader.catalog().find(name);
        if (table == null || table.meta.tableId() != tableId) {
            reply.fail(new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND, "table " + name + " was dropped while its actors started"));
            return;
        }
        int actors = table.map().actors().size();
        ready.retainAll(table.map().numbers());
        if (ready.size() == actors) {
            reply.ok(new AdminReply.Ack());
        } else if (leader.env().clock().nanos() - deadline >= 0) {
            reply.fail(new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "table " + name + " exists, but " + (actors - ready.size()) + " of its " + actors
                            + " actors are still starting: check the status, or drop the table"));
        } else {
            requestLoads(table);
        }
    }

    private void requestLoads(Table table) {
        Set<ServerId> servers = new TreeSet<>();
        for (ActorState actor : table.map().actors()) {
            if (!ready.contains(actor.actor())) {
                servers.add(actor.primary());
            }
        }
        int[] waiting = {servers.size()};
        for (ServerId id : servers) {
            ServerRecord server = leader.members().find(id);
            if (server == null) {
                onServerDone(waiting);
                continue;
            }
            leader.env()
                    .network()
                    .call(
                            server.address(),
                            new PeerRequest.ReportLoad(),
                            leader.config().rpcTimeoutNanos(),
                            leader.registry().scoped(outcome -> {
                                if (outcome instanceof Outcome.Ok<PeerReply> ok
                                        && ok.value() instanceof PeerReply.Load load) {
                                    load.replicas().forEach(replica -> recordLoad(load.server(), replica));
                                }
                                onServerDone(waiting);
                            }));
        }
    }

    private void onServerDone(int[] waiting) {
        if (--waiting[0] == 0) {
            long wait = ready.isEmpty() ? PERIOD_NANOS / 2 : PERIOD_NANOS;
            leader.registry().after(wait, this::poll);
        }
    }

    private void recordLoad(ServerId server, ReplicaLoad replica) {
        Table table = leader.catalog().find(name);
        if (table == null || replica.key().tableId() != tableId) {
            return;
        }
        ActorState actor = table.map().find(replica.key().actor());
        if (actor != null
                && actor.primary().equals(server)
                && actor.epoch() == replica.epoch()
                && replica.role().equals(ReplicaLoad.PRIMARY)) {
            ready.add(actor.actor());
        }
    }
}
