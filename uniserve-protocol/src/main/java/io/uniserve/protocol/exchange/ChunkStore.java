package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.SequentialTaskQueue;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Store of chunks: in memory up to the budgets of the query and of the server, beyond that in files. A user has at most {@link
 * Limits#EXCHANGE_USER_MULTIPLE_OF_FREE} times what then is free, of memory and of files each. So a user alone has most of a budget,
 * and always leaves room for others. Work without a user has no such limit. Files are written once and never changed. None outlives
 * the process, because the next start deletes the folder.
 */
final class ChunkStore {
    static final String FOLDER = "exchange";

    private final Disk disk;
    private final ExchangeLimits limits;
    private final Map<QueryKey, Usage> queries = new LinkedHashMap<>();
    private final Map<String, Usage> users = new LinkedHashMap<>();
    private long memory;
    private long spilled;
    private long files;
    private long made;
    /** Files that could not be deleted because of a disk error. */
    private final Set<String> undeleted = new LinkedHashSet<>();

    private final Runnable onUndeleted;

    /** A query of a user, over all its attempts. Numbers of queries are unique only within a user. */
    private record QueryKey(String user, long query) {}

    /** Usage of one query or user. */
    private static final class Usage {
        private long memory;
        private long spilled;
        private int chunks;

        private void add(Stored stored) {
            chunks++;
            memory += stored.isSpilled() ? 0 : stored.size;
            spilled += stored.isSpilled() ? stored.size : 0;
        }

        /** Subtracts a chunk; null if it was the last one. */
        private @Nullable Usage subtract(Stored stored) {
            memory -= stored.isSpilled() ? 0 : stored.size;
            spilled -= stored.isSpilled() ? stored.size : 0;
            return --chunks == 0 ? null : this;
        }
    }

    /** A stored chunk, which is kept until it is freed. */
    final class Stored {
        private final QueryKey query;
        private final int size;
        private final String file;
        private final SequentialTaskQueue steps = new SequentialTaskQueue();
        private @Nullable List<Bytes> parts;
        private boolean freed;

        private Stored(QueryKey query, int size, String file) {
            this.query = query;
            this.size = size;
            this.file = file;
        }

        int size() {
            return size;
        }

        boolean isSpilled() {
            return !file.isEmpty();
        }

        /** Reads the whole chunk in parts: as they arrived, or from its file. */
        void readAll(Completion<List<Bytes>> completion) {
            List<Bytes> here = parts;
            if (!freed && here != null) {
                completion.done(Outcome.ok(here));
            } else {
                read(0, size, outcome -> completion.done(outcome.map(List::of)));
            }
        }

        /** Reads a part of the chunk from memory or from its file. */
        void read(int offset, int length, Completion<Bytes> completion) {
            List<Bytes> here = parts;
            if (freed) {
                completion.done(Outcome.err(lostError()));
            } else if (here != null) { // only a chunk of another server has several parts, and it is read as a whole
                completion.done(Outcome.ok(ChunkCompressor.join(here).slice(offset, length)));
            } else {
                steps.add(next -> disk.readRange(file, offset, length, outcome -> {
                    completion.done(freed ? Outcome.err(lostError()) : outcome);
                    next.run();
                }));
            }
        }

        /** Frees the chunk. Idempotent. */
        void free() {
            if (freed) {
                return;
            }
            freed = true;
            uncount(this);
            if (isSpilled()) {
                steps.add(next -> delete(file, next));
            } else {
                parts = null;
            }
        }
    }

    /** @param onUndeleted called when {@link #retryDeletions} should be called some time later */
    ChunkStore(Disk disk, ExchangeLimits limits, Runnable onUndeleted) {
        this.disk = disk;
        this.limits = limits;
        this.onUndeleted = onUndeleted;
    }

    private void delete(String file, Runnable then) {
        disk.delete(file, deleted -> {
            if (deleted instanceof Outcome.Ok<Done>) {
                files--;
            } else {
                undeleted.add(file);
                onUndeleted.run();
            }
            then.run();
        });
    }

    /** Tries again to delete files that could not be deleted before. */
    void retryDeletions() {
        List<String> all = List.copyOf(undeleted);
        undeleted.clear();
        all.forEach(file -> delete(file, () -> {}));
    }

    /**
     * Stores a chunk that consists of these parts. The completion may run at once.
     *
     * @param user user of the query; empty for work without a user
     */
    void add(String user, long query, List<Bytes> parts, Completion<Stored> completion) {
        int size = parts.stream().mapToInt(Bytes::size).sum();
        QueryKey key = new QueryKey(user, query);
        if (fitsMemory(key, size)) {
            Stored stored = new Stored(key, size, "");
            count(stored);
            stored.parts = List.copyOf(parts);
            completion.done(Outcome.ok(stored));
            return;
        }
        UniserveException refusal = refuseFile(key, size);
        if (refusal != null) {
            completion.done(Outcome.err(refusal));
            return;
        }
        Stored stored = new Stored(key, size, FOLDER + "/" + Long.toHexString(query) + "-" + made++);
        count(stored);
        files++;
        stored.steps.add(next -> spill(stored, parts, 0, outcome -> {
            if (outcome instanceof Outcome.Err<Done> failed) {
                stored.free();
                completion.done(Outcome.err(failed.error()));
            } else {
                completion.done(Outcome.ok(stored));
            }
            next.run();
        }));
    }

    private void count(Stored stored) {
        queries.computeIfAbsent(stored.query, key -> new Usage()).add(stored);
        users.computeIfAbsent(stored.query.user, key -> new Usage()).add(stored);
        memory += stored.isSpilled() ? 0 : stored.size;
        spilled += stored.isSpilled() ? stored.size : 0;
    }

    private void uncount(Stored stored) {
        if (!queries.containsKey(stored.query) || !users.containsKey(stored.query.user)) {
            throw new IllegalStateException("a stored chunk of a query without chunks");
        }
        queries.computeIfPresent(stored.query, (key, usage) -> usage.subtract(stored));
        users.computeIfPresent(stored.query.user, (key, usage) -> usage.subtract(stored));
        memory -= stored.isSpilled() ? 0 : stored.size;
        spilled -= stored.isSpilled() ? stored.size : 0;
    }

    private boolean fitsMemory(QueryKey key, int size) {
        return usage(queries, key).memory + size <= limits.queryMemoryBytes()
                && memory + size <= limits.serverMemoryBytes()
                && usage(users, key.user).memory + size <= userMax(key.user, limits.serverMemoryBytes(), memory, true);
    }

    /** Returns the error if a chunk of this size may not be in a file; null if it may. */
    private @Nullable UniserveException refuseFile(QueryKey key, int size) {
        Usage query = usage(queries, key);
        long queryMax = querySpillMax(key.user);
        if (query.spilled + size > queryMax) {
            return new UniserveException(
                    ErrorCode.TOO_LARGE, // an error that is not retried on another server
                    "the query's chunks on this server take " + query.memory + " bytes of memory and " + query.spilled
                            + " of files, at most " + limits.queryMemoryBytes() + " and " + queryMax
                            + " are permitted: add conditions, or select fewer columns");
        }
        if (spilled + size > limits.serverSpillBytes()) {
            return new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, // another server may have room, or this one later
                    "chunks of all queries take " + spilled + " bytes of files on this server, at most "
                            + limits.serverSpillBytes() + " are permitted: try again later");
        }
        long most = userMax(key.user, limits.serverSpillBytes(), spilled, false);
        long used = usage(users, key.user).spilled;
        if (used + size > most) {
            return new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "chunks of user " + key.user + " would take " + (used + size)
                            + " bytes of files on this server, at most "
                            + most + " are permitted while others have " + (spilled - used)
                            + ": try again when other queries of this user have ended");
        }
        return null;
    }

    /**
     * Bytes of memory or files that the user may have beside the others: the multiple m of what then is free, which is m / (m + 1) of what
     * the others leave.
     */
    private long userMax(String user, long budget, long total, boolean ofMemory) {
        if (user.isEmpty()) {
            return budget;
        }
        Usage own = usage(users, user);
        long left = budget - total + (ofMemory ? own.memory : own.spilled);
        return share(left);
    }

    /** Bytes of files of one query; that of a user who is alone is no larger than the user's share. */
    private long querySpillMax(String user) {
        return user.isEmpty()
                ? limits.querySpillBytes()
                : Math.min(limits.querySpillBytes(), share(limits.serverSpillBytes()));
    }

    private static long share(long left) {
        int parts = Limits.EXCHANGE_USER_MULTIPLE_OF_FREE + 1;
        return left - left / parts - (left % parts == 0 ? 0 : 1);
    }

    private static <K> Usage usage(Map<K, Usage> usages, K key) {
        return usages.getOrDefault(key, new Usage());
    }

    /** Writes one part after the other, without copying them. */
    private void spill(Stored stored, List<Bytes> parts, int from, Completion<Done> completion) {
        disk.append(stored.file, parts.get(from), outcome -> {
            if (outcome instanceof Outcome.Err<Done> || from == parts.size() - 1) {
                completion.done(outcome);
            } else {
                spill(stored, parts, from + 1, completion);
            }
        });
    }

    static UniserveException lostError() {
        return new UniserveException(ErrorCode.EXCHANGE_LOST, "the scattered chunk is no longer kept on this server");
    }

    /** Deletes the files of an earlier process. */
    void start(Completion<Done> completion) {
        disk.delete(FOLDER, completion);
    }

    long memory() {
        return memory;
    }

    /** Number of files, including those that are being deleted. */
    long files() {
        return files;
    }

    long spilled() {
        return spilled;
    }

    int queries() {
        return queries.size();
    }

    /** Number of users with chunks; work without a user counts as one. */
    int users() {
        return users.size();
    }
}
