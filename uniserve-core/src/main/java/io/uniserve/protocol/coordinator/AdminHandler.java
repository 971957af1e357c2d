package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Dispatcher of clients' requests to the leader. Each request gets exactly one answer, at the latest when the leader's term ends. */
final class AdminHandler {
    private final LeaderTerm leaderTerm;
    private final PendingAdminReplies pending;
    private final Set<TableName> creating = new TreeSet<>();

    AdminHandler(LeaderTerm leaderTerm, PendingAdminReplies pending) {
        this.leaderTerm = leaderTerm;
        this.pending = pending;
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
        } else if (request instanceof AdminRequest.DescribeTable describe) {
            answer.ok(new AdminReply.Tables(List.of(known(describe.name()).route())));
        } else if (request instanceof AdminRequest.DropTable drop) {
            new TableDropper(leaderTerm, known(drop.name()), answer).start();
        } else if (request instanceof AdminRequest.UpdateTable update) {
            new TableUpdater(leaderTerm, update, answer).start();
        } else if (request instanceof AdminRequest.MoveReplica move) {
            new MoveReplica(leaderTerm, leaderTerm.rebalancer(), known(move.name()), move, answer).start();
        } else if (request instanceof AdminRequest.ReplicateActor replicate) {
            new SetReplicaCount(leaderTerm, leaderTerm.rebalancer(), known(replicate.name()), replicate, answer)
                    .start();
        } else if (request instanceof AdminRequest.DrainServer drain) {
            new ServerDrainer(leaderTerm, drain, answer).start();
        } else if (request instanceof AdminRequest.ServerTrash trash) {
            TrashRelay.ask(leaderTerm, trash, answer);
        } else if (request instanceof AdminRequest.VerifyActor verify) {
            new ActorVerifier(leaderTerm, known(verify.name()), verify.actor(), answer).start();
        } else if (request instanceof AdminRequest.ListTables) {
            answer.ok(new AdminReply.Tables(leaderTerm.catalog().routes()));
        } else if (request instanceof AdminRequest.BackupTable backup) {
            leaderTerm.backups().take(backup, known(backup.table()), answer);
        } else if (request instanceof AdminRequest.RestoreTable restore) {
            free(restore.table(), answer);
            leaderTerm.backups().restore(restore, answer, RestoreTable::start);
        } else if (!leaderTerm.backups().handle(request, answer)) {
            status(answer);
        }
    }

    private void create(AdminRequest.CreateTable request, PendingAdminReply answer) {
        free(request.meta().name(), answer);
        new TableCreator(leaderTerm, leaderTerm.backups().numbers(), request.meta(), answer).start();
    }

    /** Reserves the table name for this request; fails with TABLE_EXISTS if the name is taken. */
    private void free(TableName name, PendingAdminReply answer) {
        if (leaderTerm.catalog().find(name) != null || creating.contains(name)) {
            throw TableCreator.exists(name);
        }
        creating.add(name);
        answer.whenDone(() -> creating.remove(name));
    }

    private Table known(TableName name) {
        Table table = leaderTerm.catalog().find(name);
        if (table == null) {
            throw new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND,
                    "table " + name + " does not exist: create it, or list the tables for the right name");
        }
        return table;
    }

    private void status(PendingAdminReply answer) {
        new StatusSurvey(leaderTerm, leaderTerm.rebalancer(), answer).start();
    }
}
