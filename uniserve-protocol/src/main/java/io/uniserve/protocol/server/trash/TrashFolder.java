package io.uniserve.protocol.server.trash;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashEntry;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.server.config.DirectorySizeCalculator;
import io.uniserve.protocol.server.config.TrashConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trash folder of a server, for replicas of unknown tables, kept for a limited time. An entry is a directory with a description and the
 * replica's own directory, which is moved there in one step. So after any crash a replica is complete, and is either in its place or in the
 * trash. To delete an entry, it is first moved out of the folder.
 */
public final class TrashFolder {
    private static final Logger LOG = LoggerFactory.getLogger(TrashFolder.class);
    private static final String FOLDER = "trash";
    private static final String PURGED = "purged";
    private static final String ABOUT = "about";
    private static final String REPLICA = "replica";
    private static final long MILLI = 1_000_000;
    private static final long PAUSE_NANOS = 60_000 * MILLI;
    private static final Comparator<TrashEntry> OLDEST_FIRST =
            Comparator.comparingLong(TrashEntry::trashedMs).thenComparing(TrashEntry::id);

    private final Environment env;
    private final TrashConfig config;
    private final long retryNanos;
    private final long startedNanos;
    private final TreeMap<String, TrashEntry> entries = new TreeMap<>();
    private final TreeMap<String, Long> addedNanos = new TreeMap<>();
    private final TreeSet<String> busy = new TreeSet<>();
    private long purgeAt;
    private volatile Usage usage = new Usage(0, 0);

    /** Number and bytes of entries. */
    public record Usage(int entries, long bytes) {}

    public TrashFolder(Environment env, TrashConfig config, long retryNanos) {
        this.env = env;
        this.config = config;
        this.retryNanos = retryNanos;
        this.startedNanos = env.clock().nanos();
        this.purgeAt = startedNanos;
    }

    /** Current usage; thread-safe. */
    public Usage usage() {
        return usage;
    }

    /** Finds the entries, and completes deletions that a crash interrupted. Retries until it succeeds. */
    public void load(Runnable then) {
        entries.clear();
        addedNanos.clear();
        env.disk()
                .delete(
                        PURGED,
                        cleared -> env.disk().list(FOLDER, listed -> {
                            if (cleared instanceof Outcome.Ok<Done>
                                    && listed instanceof Outcome.Ok<List<Disk.Entry>> ok) {
                                ArrayDeque<TrashEntry> named = new ArrayDeque<>();
                                for (Disk.Entry entry : ok.value()) {
                                    String id = entry.name().endsWith("/")
                                            ? entry.name()
                                                    .substring(0, entry.name().length() - 1)
                                            : "";
                                    TrashEntryFormat.parseId(id, config.retentionMs())
                                            .ifPresent(named::add);
                                }
                                loadNext(named, then);
                            } else {
                                loadLater(then);
                            }
                        }));
    }

    private void loadLater(Runnable then) {
        env.timers().after(10 * retryNanos, () -> load(then));
    }

    private void loadNext(ArrayDeque<TrashEntry> named, Runnable then) {
        TrashEntry entry = named.poll();
        if (entry == null) {
            then.run();
            return;
        }
        checkEntry(entry, looked -> {
            if (looked instanceof Outcome.Ok<Boolean>) {
                loadNext(named, then);
            } else {
                loadLater(then);
            }
        });
    }

    /** Adds an entry whose directory has a replica. Deletes an entry whose replica was never moved in, or was moved out. */
    private void checkEntry(TrashEntry entry, Completion<Boolean> completion) {
        env.disk().list(path(entry.id()), listed -> {
            if (!(listed instanceof Outcome.Ok<List<Disk.Entry>> ok)) {
                completion.done(Outcome.err(listed.error()));
            } else if (ok.value().stream().noneMatch(file -> file.name().equals(REPLICA + "/"))) {
                env.disk().delete(path(entry.id()), done -> completion.done(done.map(deleted -> false)));
            } else if (ok.value().stream().noneMatch(file -> file.name().equals(ABOUT))) {
                add(entry);
                completion.done(Outcome.ok(true));
            } else {
                env.disk().read(path(entry.id()) + "/" + ABOUT, read -> {
                    if (read instanceof Outcome.Ok<Bytes> text) {
                        add(TrashEntryFormat.decode(entry, text.value()));
                    }
                    completion.done(read.map(text -> true));
                });
            }
        });
    }

    private static String path(String id) {
        return FOLDER + "/" + id;
    }

    private void add(TrashEntry entry) {
        entries.put(entry.id(), entry);
        addedNanos.put(entry.id(), env.clock().nanos());
        updateUsage();
    }

    private void remove(String id) {
        entries.remove(id);
        addedNanos.remove(id);
        updateUsage();
    }

    private void updateUsage() {
        usage = new Usage(
                entries.size(),
                entries.values().stream().mapToLong(TrashEntry::bytes).sum());
    }

    /** All entries, oldest first. */
    public List<TrashEntry> all() {
        return entries.values().stream().sorted(OLDEST_FIRST).toList();
    }

    @Nullable
    public TrashEntry find(String id) {
        return entries.get(id);
    }

    /** The newest entry of this replica of this table; null if there is none. */
    @Nullable
    public TrashEntry find(ReplicaKey key, TableName table) {
        return entries.values().stream()
                .filter(entry -> entry.key().equals(key) && entry.table().equals(table.value()))
                .max(OLDEST_FIRST)
                .orElse(null);
    }

    /** Milliseconds since 1970, from the wall clock at the start and the time that has passed since. */
    private long nowMs() {
        return config.startMs() + (env.clock().nanos() - startedNanos) / MILLI;
    }

    /**
     * Moves an unused replica to the trash. Its description is durable before the move, so that after a crash every entry has one.
     *
     * @param table the table's name, empty if unknown
     */
    public void put(
            ReplicaKey key, String table, long epoch, long lastIndex, String reason, Completion<Done> completion) {
        env.disk().list(key.toString(), listed -> {
            if (listed instanceof Outcome.Err<List<Disk.Entry>> err) {
                completion.done(Outcome.err(err.error()));
            } else if (listed.value().isEmpty()) {
                env.disk().delete(key.toString(), completion); // there is nothing to keep
            } else {
                putWhole(key, table, epoch, lastIndex, reason, completion);
            }
        });
    }

    private void putWhole(
            ReplicaKey key, String table, long epoch, long lastIndex, String reason, Completion<Done> completion) {
        DirectorySizeCalculator.of(env.disk(), key.toString(), completion.then(sized -> {
            long now = nowMs();
            String id = TrashEntryFormat.id(now, key, env.ids().next());
            TrashEntry entry =
                    new TrashEntry(id, table, key, epoch, lastIndex, sized, now, now + config.retentionMs(), reason);
            env.disk().replace(path(id) + "/" + ABOUT, TrashEntryFormat.encode(entry), described -> {
                if (described instanceof Outcome.Err<Done>) {
                    completion.done(described);
                } else {
                    env.disk().move(key.toString(), path(id) + "/" + REPLICA, moved -> put(entry, moved, completion));
                }
            });
        }));
    }

    private void put(TrashEntry entry, Outcome<Done> moved, Completion<Done> completion) {
        if (moved instanceof Outcome.Err<Done>) {
            // the files may have been moved despite the error
            checkEntry(
                    entry,
                    looked -> completion.done(
                            looked instanceof Outcome.Ok<Boolean> ok && ok.value() ? Outcome.ok(Done.DONE) : moved));
            return;
        }
        add(entry);
        LOG.warn(
                "table {} replica {}: moved to the trash as {} ({} bytes, epoch {}, kept for {} h): {}. It is restored"
                        + " when the table's map names this server again; see uniserve trash",
                entry.table().isEmpty() ? "unknown" : entry.table(),
                entry.key(),
                entry.id(),
                entry.bytes(),
                entry.epoch(),
                config.retentionMs() / 3_600_000,
                entry.reason());
        completion.done(moved);
    }

    /** Moves an entry's replica back into its place, which must be free. */
    public void restore(TrashEntry entry, Completion<Done> completion) {
        if (!busy.add(entry.id())) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "trash entry " + entry.id() + " is being moved or deleted: retry later")));
            return;
        }
        env.disk().move(path(entry.id()) + "/" + REPLICA, entry.key().toString(), moved -> {
            busy.remove(entry.id());
            if (moved instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "table {} replica {}: restoration from trash entry {} failed: {}",
                        entry.table(),
                        entry.key(),
                        entry.id(),
                        err.error().getMessage());
            } else {
                remove(entry.id());
                LOG.warn("table {} replica {}: restored from trash entry {}", entry.table(), entry.key(), entry.id());
                env.disk().delete(path(entry.id()), left -> {}); // the next start deletes remains
            }
            completion.done(moved);
        });
    }

    /** Deletes an entry permanently. */
    void purge(TrashEntry entry, String why, Completion<Done> completion) {
        if (!busy.add(entry.id())) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "trash entry " + entry.id() + " is being moved or deleted: retry later")));
            return;
        }
        env.disk().move(path(entry.id()), PURGED + "/" + entry.id(), moved -> {
            busy.remove(entry.id());
            if (moved instanceof Outcome.Err<Done>) {
                completion.done(moved);
                return;
            }
            remove(entry.id());
            LOG.warn(
                    "table {} replica {}: deleted from the trash, entry {} ({} bytes, epoch {}): {}",
                    entry.table(),
                    entry.key(),
                    entry.id(),
                    entry.bytes(),
                    entry.epoch(),
                    why);
            env.disk().delete(PURGED + "/" + entry.id(), completion);
        });
    }

    /** Deletes entries one after another, and stops at the first failure. */
    public void purge(ArrayDeque<TrashEntry> doomed, String why, Completion<Done> completion) {
        TrashEntry entry = doomed.poll();
        if (entry == null) {
            completion.done(Outcome.ok(Done.DONE));
            return;
        }
        purge(entry, why, done -> {
            if (done instanceof Outcome.Err<Done>) {
                completion.done(done);
            } else {
                purge(doomed, why, completion);
            }
        });
    }

    /** Deletes entries that are old enough, and the oldest ones while the trash is too large. */
    public void tick() {
        long now = env.clock().nanos();
        if (!busy.isEmpty() || now - purgeAt < 0) {
            return;
        }
        long wall = nowMs();
        long keptMs = Math.min(config.retentionMs(), Limits.TRASH_KEPT_MS_MIN);
        long bytes = usage.bytes();
        List<TrashEntry> old = new ArrayList<>(all());
        old.removeIf(entry -> now - addedNanos.getOrDefault(entry.id(), now) < keptMs * MILLI);
        for (TrashEntry entry : old) {
            boolean expired = wall >= entry.keptUntilMs();
            boolean tooLarge = bytes > config.bytesMax() && wall - entry.trashedMs() >= keptMs;
            if (expired || tooLarge) {
                String why = expired
                        ? "its retention time has passed (server.trash-retention)"
                        : "the trash has " + bytes + " bytes, more than server.trash-bytes-max";
                purge(entry, why, done -> onPurged(entry, done));
                return;
            }
        }
    }

    private void onPurged(TrashEntry entry, Outcome<Done> done) {
        if (done instanceof Outcome.Err<Done> err) {
            purgeAt = env.clock().nanos() + PAUSE_NANOS;
            LOG.warn(
                    "trash entry {}: deletion failed, will be retried: {}",
                    entry.id(),
                    err.error().getMessage());
        } else {
            tick();
        }
    }
}
