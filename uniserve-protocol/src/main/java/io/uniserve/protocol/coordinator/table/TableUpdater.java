package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Procedure that changes a table's options: validation by the port on a live server, one compare-and-set of the definition, then a wait
 * until every live server has it. So any server applies the new options afterwards. The map is written too, unchanged: its new znode
 * version shows the change to servers that watch it.
 */
public final class TableUpdater {
    private static final Logger LOG = LoggerFactory.getLogger(TableUpdater.class);

    private final LeaderContext leader;
    private final TableName name;
    private final TableMeta known;
    private final TableMeta next;
    private final PendingAdminReply reply;
    private final Set<ServerId> confirmedServers = new TreeSet<>();
    private final long deadline;
    private final RetryBudget retryBudget;

    public TableUpdater(LeaderContext leader, AdminRequest.UpdateTable request, PendingAdminReply answer) {
        this.leader = leader;
        this.known = request.known();
        this.name = known.name();
        this.next = known.with(request.options());
        this.reply = answer;
        deadline = leader.env().clock().nanos() + leader.config().createTimeoutNanos();
        retryBudget = new RetryBudget(
                leader,
                answer,
                "the registry did not confirm the change of " + name + ": describe the table, and change it again");
    }

    public void start() {
        TableValidator.checkOptions(next.options());
        boolean samePortOptions =
                ReservedTableOptions.withoutReserved(next).equals(ReservedTableOptions.withoutReserved(current().meta));
        if (!samePortOptions && next.level() != ConsistencyLevel.EVENTUAL) {
            throw UniserveException.unsupported("table " + name + " is " + next.level()
                    + ": options of EVENTUAL tables alone can change: create another table and load it");
        }
        if (samePortOptions) {
            step();
        } else if (!current().meta.equals(next)) {
            PeerRequest.ValidateTable check = new PeerRequest.ValidateTable(next, Optional.of(known));
            PortTableValidator.run(leader, leader.usableServers(), check, reply, this::step);
        } else {
            distributeDefinition();
        }
    }

    /** The table, if it has the definition that the client knows or already the new one. */
    private Table current() {
        Table table = leader.catalog().find(name);
        if (table == null || table.meta.tableId() != known.tableId()) {
            throw new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND, "table " + name + " does not exist, or was dropped: list the tables");
        }
        if (!table.meta.equals(known) && !table.meta.equals(next)) {
            throw new UniserveException(
                    ErrorCode.VERSION_GONE,
                    "the definition of table " + name + " was changed meanwhile: describe it, and change it again");
        }
        return table;
    }

    private void step() {
        if (!reply.isOpen()) {
            return;
        }
        try {
            Table table = current();
            if (table.writePending || table.stale) {
                retry();
            } else if (table.meta.equals(next)) {
                distributeDefinition();
            } else {
                write(table);
            }
        } catch (UniserveException refused) {
            reply.fail(refused);
        }
    }

    private void retry() {
        leader.retryLater();
        retryBudget.retry(this::step);
    }

    private void write(Table table) {
        table.writePending = true;
        List<Op> ops = List.of(
                new Op.Set(RegistryPaths.meta(name), next, table.metaVersion),
                new Op.Set(RegistryPaths.map(name), table.map(), table.mapVersion()));
        leader.registry().write(ops, written -> onWritten(table, written));
    }

    private void onWritten(Table table, WriteResult written) {
        table.writePending = false;
        if (written.isApplied()) {
            List<Integer> versions = written.versions();
            leader.catalog().put(next, versions.get(0), table.map(), versions.get(1));
            LOG.info("table {} (number {}): options changed", name, next.tableId());
            leader.routingChanged();
            leader.reconcileSoon();
            distributeDefinition();
        } else if (written.error() != null) {
            reply.fail(written.error());
        } else {
            table.stale = true;
            retry();
        }
    }

    /** Sends the definition to the live servers that have not confirmed it yet. */
    private void distributeDefinition() {
        List<ServerRecord> servers = leader.liveServers().stream()
                .filter(server -> !confirmedServers.contains(server.id()))
                .toList();
        if (servers.isEmpty()) {
            reply.ok(new AdminReply.Ack());
            return;
        }
        if (leader.env().clock().nanos() - deadline >= 0) {
            reply.fail(new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "table " + name + " is changed, but " + servers.size() + " servers do not have it yet: send"
                            + " the same change again"));
            return;
        }
        int[] waiting = {servers.size()};
        for (ServerRecord server : servers) {
            leader.env()
                    .network()
                    .call(
                            server.address(),
                            new PeerRequest.UpdateTableDefinition(next),
                            leader.config().rpcTimeoutNanos(),
                            leader.registry().scoped(outcome -> {
                                if (outcome instanceof Outcome.Ok<PeerReply>) {
                                    confirmedServers.add(server.id());
                                }
                                if (--waiting[0] == 0) {
                                    leader.registry()
                                            .after(leader.config().tickNanos() / 16, this::distributeDefinition);
                                }
                            }));
        }
    }
}
