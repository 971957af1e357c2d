package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.coordinator.access.AccessChanger;
import io.uniserve.protocol.coordinator.backup.RestoreTableProcedure;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReplies;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.rebalance.ReplicaCountWriter;
import io.uniserve.protocol.coordinator.rebalance.ReplicaMoveWriter;
import io.uniserve.protocol.coordinator.table.ActorVerifier;
import io.uniserve.protocol.coordinator.table.ServerDrainer;
import io.uniserve.protocol.coordinator.table.TableCreator;
import io.uniserve.protocol.coordinator.table.TableDropper;
import io.uniserve.protocol.coordinator.table.TableUpdater;
import io.uniserve.protocol.coordinator.table.TrashRelay;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Dispatcher of clients' requests to the leader. Each request gets exactly one answer, at the latest when the leader's term ends. */
final class AdminHandler {
    private final LeaderTerm leaderTerm;
    private final PendingAdminReplies pending;
    private final Set<TableName> creating = new TreeSet<>();
    private int tableChanges;

    AdminHandler(LeaderTerm leaderTerm, PendingAdminReplies pending) {
        this.leaderTerm = leaderTerm;
        this.pending = pending;
    }

    /** Descriptions of changes of tables under way. */
    List<String> changesUnderWay() {
        List<String> changes = new ArrayList<>();
        if (tableChanges > 0) {
            changes.add("the options of a table are being changed");
        }
        if (!creating.isEmpty()) {
            changes.add("table " + creating.iterator().next() + " is being made");
        }
        return changes;
    }

    void handle(AdminRequest request, Completion<AdminReply> completion) {
        PendingAdminReply answer = pending.add(completion);
        try {
            dispatch(request, answer);
        } catch (UniserveException refused) {
            answer.fail(refused);
        }
    }

    private void dispatch(AdminRequest request, PendingAdminReply answer) {
        if (request instanceof AdminRequest.CreateTable create) {
            create(create, answer);
        } else if (request instanceof AdminRequest.CreateChunks chunks) {
            leaderTerm.chunks().create(chunks, answer);
        } else if (request instanceof AdminRequest.ExplainChunk explain) {
            explainChunk(explain, answer);
        } else if (request instanceof AdminRequest.DescribeTable describe) {
            answer.ok(new AdminReply.Tables(List.of(findTable(describe.name()).route())));
        } else if (request instanceof AdminRequest.DropTable drop) {
            new TableDropper(leaderTerm, findTable(drop.name()), answer).start();
        } else if (request instanceof AdminRequest.UpdateTable update) {
            tableChanges++;
            answer.whenDone(() -> tableChanges--);
            new TableUpdater(leaderTerm, update, answer).start();
        } else if (request instanceof AdminRequest.MoveReplica move) {
            new ReplicaMoveWriter(leaderTerm, leaderTerm.rebalancer(), findTable(move.name()), move, answer).start();
        } else if (request instanceof AdminRequest.ReplicateActor replicate) {
            new ReplicaCountWriter(leaderTerm, leaderTerm.rebalancer(), findTable(replicate.name()), replicate, answer)
                    .start();
        } else if (request instanceof AdminRequest.DrainServer drain) {
            leaderTerm.checkUndrain(drain);
            new ServerDrainer(leaderTerm, drain, answer).start();
        } else if (request instanceof AdminRequest.HoldScaling hold) {
            leaderTerm.scaler().hold(hold, answer);
        } else if (request instanceof AdminRequest.ScalingStatus) {
            answer.ok(leaderTerm.scaler().report());
        } else if (AccessChanger.isFor(request)) {
            new AccessChanger(leaderTerm, answer).handle(request);
        } else if (request instanceof AdminRequest.ServerTrash trash) {
            TrashRelay.relay(leaderTerm, trash, answer);
        } else if (request instanceof AdminRequest.VerifyActor verify) {
            new ActorVerifier(leaderTerm, findTable(verify.name()), verify.actor(), answer).start();
        } else if (request instanceof AdminRequest.ListTables) {
            answer.ok(new AdminReply.Tables(leaderTerm.catalog().routes()));
        } else if (request instanceof AdminRequest.BackupTable backup) {
            leaderTerm.backups().create(backup, findTable(backup.table()), answer);
        } else if (request instanceof AdminRequest.RestoreTable restore) {
            checkNameFree(restore.table(), answer);
            leaderTerm.backups().restore(restore, answer, RestoreTableProcedure::start);
        } else if (!leaderTerm.backups().handle(request, answer)) {
            status(answer);
        }
    }

    private void explainChunk(AdminRequest.ExplainChunk request, PendingAdminReply answer) {
        Table table = findTable(request.name());
        answer.ok(leaderTerm
                .chunkPlacement()
                .orElseThrow(() -> UniserveException.unsupported("this coordinator has no policy for chunks"))
                .explain(leaderTerm, table, request.millis()));
    }

    private void create(AdminRequest.CreateTable request, PendingAdminReply answer) {
        checkNameFree(request.meta().name(), answer);
        new TableCreator(leaderTerm, leaderTerm.backups().tableIds(), request.meta(), answer).start();
    }

    /** Reserves the table name for this request; fails with TABLE_EXISTS if the name is taken. */
    private void checkNameFree(TableName name, PendingAdminReply answer) {
        if (leaderTerm.catalog().find(name) != null || creating.contains(name)) {
            throw TableCreator.tableExists(name);
        }
        creating.add(name);
        answer.whenDone(() -> creating.remove(name));
    }

    private Table findTable(TableName name) {
        Table table = leaderTerm.catalog().find(name);
        if (table == null) {
            throw new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND, "table " + name + " does not exist; create it, or list the tables");
        }
        return table;
    }

    private void status(PendingAdminReply answer) {
        new ClusterStatusCollector(leaderTerm, leaderTerm.rebalancer(), answer).start();
    }
}
