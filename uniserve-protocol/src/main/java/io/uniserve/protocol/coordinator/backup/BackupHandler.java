package io.uniserve.protocol.coordinator.backup;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReplies;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.table.StorageRequestClient;
import io.uniserve.protocol.coordinator.table.TableIdAllocator;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handler of requests about named backups. At most one operation per backup runs at a time. */
public final class BackupHandler {
    private static final Logger LOG = LoggerFactory.getLogger(BackupHandler.class);
    private final LeaderContext leader;
    private final PendingAdminReplies pending;
    private final StorageRequestClient storage;
    private final TableIdAllocator tableIds;
    private final TreeMap<BackupName, BackupOperation> operations = new TreeMap<>();

    public BackupHandler(LeaderContext leader, PendingAdminReplies pending) {
        this.leader = leader;
        this.pending = pending;
        this.storage = new StorageRequestClient(leader);
        this.tableIds = new TableIdAllocator(leader, storage);
    }

    public TableIdAllocator tableIds() {
        return tableIds;
    }

    /** Description of a backup operation under way; empty if there is none. */
    public Optional<String> operationUnderWay() {
        return operations.isEmpty()
                ? Optional.empty()
                : Optional.of("backup " + operations.firstKey() + " is being worked on");
    }

    /** Handles the request if it is about backups; returns false otherwise. */
    public boolean handle(AdminRequest request, PendingAdminReply answer) {
        if (request instanceof AdminRequest.ListBackups) {
            list(answer);
        } else if (request instanceof AdminRequest.LostTables) {
            tableIds.lostTables(lost -> answer.ok(new AdminReply.Definitions(lost)), answer::fail);
        } else if (request instanceof AdminRequest.BackupWork work) {
            BoundedFanOut under = operations.containsKey(work.name())
                    ? operations.get(work.name()).progress()
                    : null;
            answer.ok(new AdminReply.WorkProgress(
                    under == null ? 0 : under.finishedCount(), under == null ? 0 : under.total()));
        } else if (request instanceof AdminRequest.SalvageTable salvage) {
            BackupOperation job = startOperation(salvage.name(), answer);
            tableIds.lostTables(lost -> salvage(job, salvage.tableId(), lost), answer::fail);
        } else if (request instanceof AdminRequest.VerifyBackup verify) {
            BackupOperation job = startOperation(verify.name(), answer);
            job.readManifest(backup -> verify(job, backup));
        } else if (request instanceof AdminRequest.DeleteBackup delete) {
            delete(startOperation(delete.name(), answer));
        } else {
            return false;
        }
        return true;
    }

    public void create(AdminRequest.BackupTable request, Table table, PendingAdminReply answer) {
        BackupOperation job = startOperation(request.name(), answer);
        new CreateBackupProcedure(job, table.meta, false, taken -> acknowledge(job, taken)).start();
    }

    public void restore(
            AdminRequest.RestoreTable request, PendingAdminReply answer, Consumer<RestoreTableProcedure> then) {
        BackupOperation job = startOperation(request.name(), answer);
        job.readManifest(backup -> then.accept(new RestoreTableProcedure(job, backup, request.table(), tableIds)));
    }

    /**
     * Restores a table that has lost an actor for good to the newest version that is complete in durable storage. Does nothing if such a
     * restoration is already running.
     *
     * @param number of the actor
     * @param lost whether an actor is lost for good
     * @param ended called with true if the table was restored
     */
    public void rollBackTable(Table table, int number, IntPredicate lost, Consumer<Boolean> ended) {
        String id = "-" + table.meta.tableId();
        String named = "lost-" + table.meta.name() + id;
        BackupName name = new BackupName(named.length() > Limits.BACKUP_NAME_CHARS_MAX ? "lost" + id : named);
        if (operations.containsKey(name) || leader.droppedTables().isPending(table.meta.name())) {
            return;
        }
        PendingAdminReply answer = pending.add(outcome -> {
            if (outcome instanceof Outcome.Err<AdminReply> err) {
                LOG.warn(
                        "{}: restoration of the table failed, it will be retried: {}",
                        table.meta.name(),
                        err.error().getMessage());
            }
            ended.accept(outcome instanceof Outcome.Ok<AdminReply>);
        });
        BackupOperation job = startOperation(name, answer);
        leader.droppedTables().hold(table.meta.name());
        answer.whenDone(() -> leader.droppedTables().release(table.meta.name()));
        new CreateBackupProcedure(job, table.meta, true, taken -> {
                    if (taken instanceof Outcome.Ok<TableSnapshot> ok) {
                        new RollbackTableProcedure(job, ok.value(), tableIds, () -> lost.test(number)).start();
                    } else {
                        acknowledge(job, taken);
                    }
                })
                .replaceExisting(lost)
                .start();
    }

    private BackupOperation startOperation(BackupName name, PendingAdminReply answer) {
        if (operations.containsKey(name)) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "backup " + name + " has another operation running: retry later");
        }
        BackupOperation job = new BackupOperation(leader, storage, name, answer);
        operations.put(name, job);
        answer.whenDone(() -> operations.remove(name));
        return job;
    }

    private void list(PendingAdminReply answer) {
        storage.send(new ArchiveRequest.FindBackups(""), PeerReply.Archives.class, outcome -> {
            if (outcome instanceof Outcome.Ok<PeerReply.Archives> ok) {
                answer.ok(new AdminReply.Backups(ok.value().backups()));
            } else {
                answer.fail(outcome.error());
            }
        });
    }

    private void salvage(BackupOperation job, long tableId, List<TableMeta> lost) {
        try {
            TableMeta meta = lost.stream()
                    .filter(one -> one.tableId() == tableId)
                    .findFirst()
                    .orElseThrow(() -> new UniserveException(
                            ErrorCode.TABLE_NOT_FOUND,
                            "durable storage has no table number " + tableId + " that this cluster does not have"));
            new CreateBackupProcedure(job, meta, true, taken -> acknowledge(job, taken)).start();
        } catch (UniserveException e) {
            job.reply().fail(e);
        }
    }

    private void verify(BackupOperation job, TableSnapshot backup) {
        job.forEachActor(
                backup.actors().numbers(),
                (actor, then) -> job.callForAck(
                        new ArchiveRequest.VerifyPart(backup.forActor(actor).encode(), actor),
                        checked -> then.done(
                                checked instanceof Outcome.Err<Done> err
                                        ? Outcome.err(BackupPartCopier.copyError(backup, actor, err.error()))
                                        : checked)),
                outcome -> acknowledge(job, outcome));
    }

    private void delete(BackupOperation job) {
        job.call(new ArchiveRequest.FindBackups(job.name().value()), PeerReply.Archives.class, outcome -> {
            if (!(outcome instanceof Outcome.Ok<PeerReply.Archives> ok)) {
                job.reply().fail(outcome.error());
            } else if (ok.value().backups().isEmpty()) {
                job.reply()
                        .fail(new UniserveException(
                                ErrorCode.BACKUP_NOT_FOUND,
                                "backup " + job.name() + " does not exist: list the backups for the right name"));
            } else {
                remove(job, new ArrayDeque<>(ok.value().backups()));
            }
        });
    }

    private static void remove(BackupOperation job, ArrayDeque<BackupInfo> left) {
        BackupInfo one = left.poll();
        if (one == null) {
            job.reply().ok(new AdminReply.Ack());
            return;
        }
        Completion<Done> then = done -> {
            if (done instanceof Outcome.Err<Done> err) {
                job.reply().fail(err.error());
            } else {
                remove(job, left);
            }
        };
        new DeleteBackupProcedure(job, one).run(then);
    }

    private static void acknowledge(BackupOperation job, Outcome<?> outcome) {
        if (outcome instanceof Outcome.Err<?> err) {
            job.reply().fail(err.error());
        } else {
            job.reply().ok(new AdminReply.Ack());
        }
    }
}
