package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerRecord;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.archive.TableSnapshot;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a backup of a table: says in durable storage that it is begun, has each actor's primary ship and pin what it has, and
 * then stores the manifest that names all parts. Of a table that only durable storage has, its parts are salvaged instead.
 * One that fails is taken away again; one that was broken off is replaced when it is taken again.
 */
final class CreateBackup {
    private static final Logger LOG = LoggerFactory.getLogger(CreateBackup.class);
    private static final int ATTEMPTS_MAX = 60;
    private static final int ROUNDS_MAX = 20;
    private static final long PIN_TIMEOUT_NANOS = 60_000_000_000L;

    private final BackupOperation job;
    private final TableMeta meta;
    private final boolean salvage;
    private final TableSnapshot begun;
    private final TableSnapshot.@Nullable Part[] parts;
    private final Completion<TableSnapshot> completion;
    private RestorePointFinder.@Nullable Found surveyed;
    private boolean replace;
    private @Nullable IntPredicate lost;
    private long version;
    private long newest;
    private int rounds;

    /** @param completion hears of the complete backup, or why there is none */
    CreateBackup(BackupOperation job, TableMeta meta, boolean salvage, Completion<TableSnapshot> completion) {
        this.completion = completion;
        this.job = job;
        this.meta = meta;
        this.salvage = salvage;
        String id = "%016x".formatted(job.reign().env().ids().next());
        this.begun = new TableSnapshot(job.name(), id, job.reign().config().clusterId(), meta, 0, 0, List.of());
        this.parts = new TableSnapshot.Part[begun.actors()];
    }

    /**
     * One of this name goes first, complete or not; and the table is one of this cluster that is to go back.
     *
     * @param lostForGood of its actors
     */
    CreateBackup replacing(IntPredicate lostForGood) {
        replace = true;
        lost = lostForGood;
        return this;
    }

    void start() {
        job.ask(new ArchiveRequest.Find(job.name().value()), PeerReply.Archives.class, outcome -> {
            if (outcome instanceof Outcome.Ok<PeerReply.Archives> ok) {
                clear(new ArrayDeque<>(ok.value().backups()));
            } else {
                end(outcome.error());
            }
        });
    }

    private void clear(ArrayDeque<BackupInfo> old) {
        BackupInfo one = old.poll();
        if (one == null) {
            begin();
        } else if (one.state() != BackupInfo.State.INCOMPLETE && !replace) {
            end(new UniserveException(
                    ErrorCode.BACKUP_EXISTS, "backup " + job.name() + " exists: delete it first or use another name"));
        } else {
            new DeleteBackup(job, one).run(done -> {
                if (done instanceof Outcome.Err<Done> err) {
                    end(err.error());
                } else {
                    clear(old);
                }
            });
        }
    }

    private void begin() {
        job.tell(new ArchiveRequest.Store(begun.encode()), stored -> {
            if (stored instanceof Outcome.Ok<Done>) {
                version();
            } else {
                undo(stored.error());
            }
        });
    }

    /** All parts are of one version: the newest committed one as of now. Where an actor cannot give it any more, of a newer one. */
    private void version() {
        if (meta.level() == ConsistencyLevel.EVENTUAL) {
            parts();
            return;
        }
        if (salvage) {
            new RestorePointFinder(job, meta, lost, this::surveyed).start();
            return;
        }
        rounds++;
        log(ATTEMPTS_MAX, log -> {
            version = log.version();
            parts();
        });
    }

    private void log(int attempt, Consumer<TransactionLogState> then) {
        FencedRegistry registry = job.reign().registry();
        registry.synced(() -> registry.read(RegistryPaths.log(meta.name(), meta.tableId()), read -> {
            if (read instanceof Outcome.Ok<Versioned> ok
                    && ok.value().value() instanceof TransactionLogState log
                    && log.tableId() == meta.tableId()) {
                then.accept(log);
            } else if (read instanceof Outcome.Err<Versioned> err) {
                if (attempt < ATTEMPTS_MAX && job.answer().isOpen()) {
                    registry.after(job.reign().config().tickNanos(), () -> log(attempt + 1, then));
                } else {
                    undo(err.error());
                }
            } else {
                undo(dropped());
            }
        }));
    }

    /** Without the registry the logs tell which version all actors have. */
    private void surveyed(Outcome<RestorePointFinder.Found> outcome) {
        if (outcome instanceof Outcome.Ok<RestorePointFinder.Found> ok) {
            surveyed = ok.value();
            version = surveyed.version();
            newest = Math.max(version, surveyed.newest());
            LOG.info("backup {} of table {} is of version {}", job.name(), meta.name(), version);
            parts();
        } else {
            undo(outcome.error());
        }
    }

    private void parts() {
        job.each(begun.actors(), (actor, then) -> part(actor, 1, then), this::pinned);
    }

    private UniserveException dropped() {
        return new UniserveException(
                ErrorCode.TABLE_NOT_FOUND, "table " + meta.name() + " was dropped while it was backed up");
    }

    private void part(int actor, int attempt, Completion<Done> then) {
        ReplicaKey key = new ReplicaKey(meta.tableId(), actor);
        Completion<PeerReply.Pinned> heard = outcome -> {
            if (outcome instanceof Outcome.Ok<PeerReply.Pinned> ok) {
                PeerReply.Pinned pinned = ok.value();
                if (surveyed != null
                        && (pinned.index() == 0) != surveyed.empty().contains(actor)) {
                    then.done(Outcome.err(new UniserveException(
                            ErrorCode.CORRUPT,
                            "durable storage has " + (pinned.index() == 0 ? "nothing" : "something") + " of " + key
                                    + ", and said otherwise just now")));
                    return;
                }
                parts[actor] = new TableSnapshot.Part(pinned.sha256(), pinned.index(), pinned.bytes());
                then.done(Outcome.ok(Done.DONE));
                return;
            }
            UniserveException error = outcome.error();
            boolean again = error.code().retriable() && (version == 0 || error.code() != ErrorCode.VERSION_GONE)
                    || error.code() == ErrorCode.DEADLINE_EXCEEDED;
            if (again && attempt < ATTEMPTS_MAX && job.answer().isOpen()) {
                job.reign().registry().after(job.reign().config().tickNanos(), () -> part(actor, attempt + 1, then));
            } else {
                then.done(Outcome.err(new UniserveException(
                        error.code(),
                        "actor " + actor + " of table " + meta.name() + " cannot be backed up: " + error.reason(),
                        error)));
            }
        };
        if (salvage) {
            long before = meta.level() == ConsistencyLevel.EVENTUAL ? 0 : version + 1;
            job.ask(new ArchiveRequest.Salvage(key, begun.id(), before), PeerReply.Pinned.class, heard);
        } else {
            pin(key, heard);
        }
    }

    private void pin(ReplicaKey key, Completion<PeerReply.Pinned> heard) {
        Table table = job.reign().catalog().find(meta.name());
        if (table == null || table.meta.tableId() != meta.tableId()) {
            heard.done(Outcome.err(dropped()));
            return;
        }
        ServerRecord primary =
                job.reign().members().find(table.actor(key.actor()).primary());
        if (primary == null) {
            heard.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "it has no live primary")));
            return;
        }
        job.reign()
                .env()
                .network()
                .call(
                        primary.address(),
                        new PeerRequest.PinActor(meta.name(), key, begun.id(), version),
                        PIN_TIMEOUT_NANOS,
                        job.reign()
                                .registry()
                                .scoped(outcome -> heard.done(StorageRequests.typed(outcome, PeerReply.Pinned.class))));
    }

    private void pinned(Outcome<Done> outcome) {
        if (outcome instanceof Outcome.Err<Done> err) {
            if (version > 0 && err.error().code() == ErrorCode.VERSION_GONE && rounds < ROUNDS_MAX) {
                version();
            } else {
                undo(err.error());
            }
            return;
        }
        if (salvage) {
            store();
        } else if (meta.level() == ConsistencyLevel.EVENTUAL) {
            there(this::store);
        } else {
            log(
                    1,
                    log -> { // again where it fails: the parts are pinned
                        newest = log.next() - 1; // parts may have aborts of what was begun until now
                        store();
                    });
        }
    }

    /**
     * The table is there when all is pinned: what was pinned after it was dropped may have been deleted before. The primaries' own
     * checks of its map do not tell where another table has the name.
     */
    private void there(Runnable then) {
        Table table = job.reign().catalog().find(meta.name());
        if (table == null || table.meta.tableId() != meta.tableId()) {
            undo(dropped());
            return;
        }
        Op still = new Op.Check(RegistryPaths.meta(meta.name()), table.metaVersion);
        job.reign().registry().write(List.of(still), checked -> {
            if (checked.applied()) {
                then.run();
            } else if (job.answer().isOpen()) {
                job.reign().registry().after(job.reign().config().tickNanos(), () -> there(then));
            } else {
                undo(new UniserveException(
                        ErrorCode.UNAVAILABLE, "the registry does not confirm that the table is there"));
            }
        });
    }

    private void store() {
        List<TableSnapshot.Part> all = new java.util.ArrayList<>();
        for (TableSnapshot.Part part : parts) {
            all.add(java.util.Objects.requireNonNull(part));
        }
        TableSnapshot whole = new TableSnapshot(begun.name(), begun.id(), begun.cluster(), meta, version, newest, all);
        job.tell(new ArchiveRequest.Store(whole.encode()), stored -> {
            if (stored instanceof Outcome.Ok<Done>) {
                LOG.info("backup {} of table {} is taken, {} actors", job.name(), meta.name(), all.size());
                completion.done(Outcome.ok(whole));
            } else {
                undo(stored.error());
            }
        });
    }

    private void undo(UniserveException error) {
        BackupInfo made = new BackupInfo(
                begun.id(),
                begun.name().value(),
                begun.cluster(),
                meta.name().value(),
                meta.tableId(),
                begun.actors(),
                BackupInfo.State.INCOMPLETE,
                0,
                0,
                "");
        new DeleteBackup(job, made).run(removed -> {
            if (removed instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "backup {} that failed is not taken away, delete it: {}",
                        job.name(),
                        err.error().getMessage());
            }
            end(error);
        });
    }

    private void end(UniserveException error) {
        completion.done(Outcome.err(error));
    }
}
