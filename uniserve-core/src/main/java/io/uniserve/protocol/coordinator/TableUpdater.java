package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.coordinator.FencedRegistry.Written;
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
final class TableUpdater {
    private static final Logger LOG = LoggerFactory.getLogger(TableUpdater.class);

    private final LeaderContext leader;
    private final TableName name;
    private final TableMeta known;
    private final TableMeta next;
    private final PendingAdminReply answer;
    private final Set<ServerId> learned = new TreeSet<>();
    private final long deadline;
    private final RetryBudget retryBudget;

    TableUpdater(LeaderContext leader, AdminRequest.UpdateTable request, PendingAdminReply answer) {
        this.leader = leader;
        this.known = request.known();
        this.name = known.name();
        this.next = known.with(request.options());
        this.answer = answer;
        deadline = leader.env().clock().nanos() + leader.config().createTimeoutNanos();
        retryBudget = new RetryBudget(
                leader,
                answer,
                "the registry did not confirm the change of " + name + ": describe the table, and change it again");
    }

    void start() {
        TableValidator.options(next.options());
        if (next.level() != ConsistencyLevel.EVENTUAL) {
            throw UniserveException.unsupported("table " + name + " is " + next.level()
                    + ": options of EVENTUAL tables alone can change: create another table and load it");
        }
        if (!current().meta.equals(next)) {
            PeerRequest.ValidateTable check = new PeerRequest.ValidateTable(next, Optional.of(known));
            PortValidation.run(leader, leader.usable(), check, answer, this::step);
        } else {
            teach();
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
        if (!answer.isOpen()) {
            return;
        }
        try {
            Table table = current();
            if (table.busy || table.stale) {
                again();
            } else if (table.meta.equals(next)) {
                teach();
            } else {
                write(table);
            }
        } catch (UniserveException refused) {
            answer.fail(refused);
        }
    }

    private void again() {
        leader.retryLater();
        retryBudget.again(this::step);
    }

    private void write(Table table) {
        table.busy = true;
        List<Op> ops = List.of(
                new Op.Set(RegistryPaths.meta(name), next, table.metaVersion),
                new Op.Set(RegistryPaths.map(name), table.map(), table.mapVersion()));
        leader.registry().write(ops, written -> written(table, written));
    }

    private void written(Table table, Written written) {
        table.busy = false;
        if (written.applied()) {
            List<Integer> versions = written.versions();
            leader.catalog().put(next, versions.get(0), table.map(), versions.get(1));
            LOG.info("table {} (number {}): options changed", name, next.tableId());
            leader.routingChanged();
            leader.wake();
            teach();
        } else if (written.error() != null) {
            answer.fail(written.error());
        } else {
            table.stale = true;
            again();
        }
    }

    /** Sends the definition to the live servers that have not confirmed it yet. */
    private void teach() {
        List<ServerRecord> servers = leader.live().stream()
                .filter(server -> !learned.contains(server.id()))
                .toList();
        if (servers.isEmpty()) {
            answer.ok(new AdminReply.Ack());
            return;
        }
        if (leader.env().clock().nanos() - deadline >= 0) {
            answer.fail(new UniserveException(
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
                            new PeerRequest.LearnTable(next),
                            leader.config().rpcTimeoutNanos(),
                            leader.registry().scoped(outcome -> {
                                if (outcome instanceof Outcome.Ok<PeerReply>) {
                                    learned.add(server.id());
                                }
                                if (--waiting[0] == 0) {
                                    leader.registry().after(leader.config().tickNanos() / 16, this::teach);
                                }
                            }));
        }
    }
}
