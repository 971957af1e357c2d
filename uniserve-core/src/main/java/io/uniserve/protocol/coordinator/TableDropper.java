package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.AdminReply;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drops one table: definition and map in one write. Servers see it and delete their replicas. */
final class TableDropper {
    private static final Logger LOG = LoggerFactory.getLogger(TableDropper.class);
    private static final int ATTEMPTS_MAX = 40;

    private final Reign reign;
    private final TableName name;
    private final long tableId;
    private final AdminDesk.Answer answer;
    private int attempts;

    TableDropper(Reign reign, Table table, AdminDesk.Answer answer) {
        this.reign = reign;
        this.name = table.meta.name();
        this.tableId = table.meta.tableId();
        this.answer = answer;
    }

    void start() {
        Table table = reign.catalog().find(name);
        if (table == null || table.meta.tableId() != tableId) {
            dropped();
        } else if (++attempts > ATTEMPTS_MAX) {
            answer.fail(new UniserveException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the registry did not confirm the drop of " + name
                            + ": describe the table, drop it again if present"));
        } else if (table.busy || table.stale) {
            reign.retryLater();
            reign.registry().after(reign.config().tickNanos() / 4, this::start);
        } else {
            write(table);
        }
    }

    private void write(Table table) {
        table.busy = true;
        if (table.meta.level() == ConsistencyLevel.EVENTUAL) {
            write(table, List.of());
            return;
        }
        String log = RegistryPaths.log(name);
        reign.registry().read(log, read -> {
            int version = read instanceof Outcome.Ok<Versioned> ok ? ok.value().version() : Registry.ABSENT;
            write(table, List.of(new Op.Delete(log, version))); // refused where it is no longer this one: tried again
        });
    }

    private void write(Table table, List<Op> more) {
        List<Op> ops = new ArrayList<>(List.of(
                new Op.Delete(RegistryPaths.map(name), table.mapVersion()),
                new Op.Delete(RegistryPaths.meta(name), table.metaVersion)));
        ops.addAll(more);
        reign.registry().write(ops, written -> {
            table.busy = false;
            if (written.applied()) {
                reign.catalog().remove(name);
                dropped();
            } else {
                table.stale = true;
                start();
            }
        });
    }

    private void dropped() {
        LOG.info("table {} (number {}) is dropped", name, tableId);
        reign.sweeper().addAll(List.of(name));
        reign.routingChanged();
        answer.ok(new AdminReply.Ack());
    }
}
