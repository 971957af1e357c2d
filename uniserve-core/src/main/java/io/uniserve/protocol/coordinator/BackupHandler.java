package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupName;
import io.uniserve.model.TableMeta;
import io.uniserve.protocol.archive.TableSnapshot;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handler of requests about named backups. At most one operation per backup runs at a time. */
final class BackupHandler {
    private static final Logger LOG = LoggerFactory.getLogger(BackupHandler.class);
    private final LeaderContext leader;
    private final PendingAdminReplies pending;
    private final StorageRequests storage;
    private final TableIds numbers;
    private final TreeMap<BackupName, BackupOperation> jobs = new TreeMap<>();

    BackupHandler(LeaderContext leader, PendingAdminReplies pending) {
        this.leader = leader;
        this.pending = pending;
        this.storage = new StorageRequests(leader);
        this.numbers = new TableIds(leader, storage);
    }

    TableIds numbers() {
        return numbers;
    }

    /** Handles the request if it is about backups; returns false otherwise. */
    boolean handle(AdminRequest request, PendingAdminReply answer) {
        if (request instanceof AdminRequest.ListBackups) {
            list(answer);
        } else if (request instanceof AdminRequest.LostTables) {
            numbers.lost(lost -> answer.ok(new AdminReply.Definitions(lost)), answer::fail);
        } else if (request instanceof AdminRequest.BackupWork work) {
            BoundedFanOut under =
                    jobs.containsKey(work.name()) ? jobs.get(work.name()).work() : null;
            answer.ok(new AdminReply.WorkDone(under == null ? 0 : under.done(), under == null ? 0 : under.total()));
        } else if (request instanceof AdminRequest.SalvageTable salvage) {
            BackupOperation job = begin(salvage.name(), answer);
            numbers.lost(lost -> salvage(job, salvage.tableId(), lost), answer::fail);
        } else if (request instanceof AdminRequest.VerifyBackup verify) {
            BackupOperation job = begin(verify.name(), answer);
            job.read(backup -> verify(job, backup));
        } else if (request instanceof AdminRequest.DeleteBackup delete) {
            delete(begin(delete.name(), answer));
        } else {
            return false;
        }
        return true;
    }

    void take(AdminRequest.BackupTable request, Table table, PendingAdminReply answer) {
        BackupOperation job = begin(request.name(), answer);
        new CreateBackup(job, table.meta, false, taken -> acknowledge(job, taken)).start();
    }

    void restore(AdminRequest.RestoreTable request, PendingAdminReply answer, Consumer<RestoreTable> then) {
        BackupOperation job = begin(request.name(), answer);
        job.read(backup -> then.accept(new RestoreTable(job, backup, request.table(), numbers)));
    }

    /**
     * Restores a table that has lost an actor for good to the newest version that is complete in durable storage. Does nothing if such a
     * restoration is already running.
     *
     * @param number of the actor
     * @param lost whether an actor is lost for good
     * @param ended called with true if the table was restored
     */
    void replace(Table table, int number, IntPredicate lost, Consumer<Boolean> ended) {
        String id = "-" + table.meta.tableId();
        String named = "lost-" + table.meta.name() + id;
        BackupName name = new BackupName(named.length() > Limits.BACKUP_NAME_CHARS_MAX ? "lost" + id : named);
        if (jobs.containsKey(name) || leader.droppedTables().pending(table.meta.name())) {
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
        BackupOperation job = begin(name, answer);
        new CreateBackup(job, table.meta, true, taken -> {
                    if (taken instanceof Outcome.Ok<TableSnapshot> ok) {
                        new RollbackTable(job, ok.value(), numbers, () -> lost.test(number)).start();
                    } else {
                        acknowledge(job, taken);
                    }
                })
                .replacing(lost)
                .start();
    }

    private BackupOperation begin(BackupName name, PendingAdminReply answer) {
        if (jobs.containsKey(name)) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE, "backup " + name + " has another operation running: retry later");
        }
        BackupOperation job = new BackupOperation(leader, storage, name, answer);
        jobs.put(name, job);
        answer.whenDone(() -> jobs.remove(name));
        return job;
    }

    private void list(PendingAdminReply answer) {
        storage.ask(new ArchiveRequest.Find(""), PeerReply.Archives.class, outcome -> {
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
            new CreateBackup(job, meta, true, taken -> acknowledge(job, taken)).start();
        } catch (UniserveException e) {
            job.answer().fail(e);
        }
    }

    private void verify(BackupOperation job, TableSnapshot backup) {
        job.each(
                backup.actors(),
                (actor, then) -> job.tell(
                        new ArchiveRequest.Check(backup.encode(), actor),
                        checked -> then.done(
                                checked instanceof Outcome.Err<Done> err
                                        ? Outcome.err(BackupPartCopier.damaged(backup, actor, err.error()))
                                        : checked)),
                outcome -> acknowledge(job, outcome));
    }

    private void delete(BackupOperation job) {
        job.ask(new ArchiveRequest.Find(job.name().value()), PeerReply.Archives.class, outcome -> {
            if (!(outcome instanceof Outcome.Ok<PeerReply.Archives> ok)) {
                job.answer().fail(outcome.error());
            } else if (ok.value().backups().isEmpty()) {
                job.answer()
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
            job.answer().ok(new AdminReply.Ack());
            return;
        }
        Completion<Done> then = done -> {
            if (done instanceof Outcome.Err<Done> err) {
                job.answer().fail(err.error());
            } else {
                remove(job, left);
            }
        };
        new DeleteBackup(job, one).run(then);
    }

    private static void acknowledge(BackupOperation job, Outcome<?> outcome) {
        if (outcome instanceof Outcome.Err<?> err) {
            job.answer().fail(err.error());
        } else {
            job.answer().ok(new AdminReply.Ack());
        }
    }
}
