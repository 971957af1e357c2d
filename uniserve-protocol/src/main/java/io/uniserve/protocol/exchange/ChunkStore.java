package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.SequentialTaskQueue;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Store of chunks: in memory up to the budgets of the query and of the server, beyond that in files. Files are written once and never
 * changed. None outlives the process, because the next start deletes the folder.
 */
final class ChunkStore {
    static final String FOLDER = "exchange";

    private final Disk disk;
    private final ExchangeLimits limits;
    private final Map<Long, Usage> queries = new TreeMap<>();
    private long memory;
    private long spilled;
    private long files;
    private long made;
    /** Files that could not be deleted because of a disk error. */
    private final Set<String> undeleted = new LinkedHashSet<>();

    private final Runnable onUndeleted;

    /** Usage of one query, over all its attempts. */
    private static final class Usage {
        private long memory;
        private long spilled;
        private int chunks;
    }

    /** A stored chunk, which is kept until it is freed. */
    final class Stored {
        private final long query;
        private final int size;
        private final String file;
        private final SequentialTaskQueue steps = new SequentialTaskQueue();
        private @Nullable List<Bytes> parts;
        private boolean freed;

        private Stored(long query, int size, String file) {
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
            Usage usage = queries.get(query);
            if (usage == null) {
                throw new IllegalStateException("a stored chunk of a query without chunks");
            }
            if (isSpilled()) {
                usage.spilled -= size;
                spilled -= size;
                steps.add(next -> delete(file, next));
            } else {
                usage.memory -= size;
                memory -= size;
                parts = null;
            }
            if (--usage.chunks == 0) {
                queries.remove(query);
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

    /** Stores a chunk that consists of these parts. The completion may run at once. */
    void add(long query, List<Bytes> parts, Completion<Stored> completion) {
        int size = parts.stream().mapToInt(Bytes::size).sum();
        Usage usage = queries.computeIfAbsent(query, key -> new Usage());
        boolean fits = usage.memory + size <= limits.queryMemoryBytes() && memory + size <= limits.serverMemoryBytes();
        if (!fits && usage.spilled + size > limits.querySpillBytes()) {
            if (usage.chunks == 0) {
                queries.remove(query);
            }
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.TOO_LARGE, // an error that is not retried on another server
                    "the query's chunks on this server take " + usage.memory + " bytes of memory and " + usage.spilled
                            + " of files, at most " + limits.queryMemoryBytes() + " and " + limits.querySpillBytes()
                            + " are permitted: add conditions, or select fewer columns")));
            return;
        }
        if (!fits && spilled + size > limits.serverSpillBytes()) {
            if (usage.chunks == 0) {
                queries.remove(query);
            }
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, // another server may have room, or this one later
                    "chunks of all queries take " + spilled + " bytes of files on this server, at most "
                            + limits.serverSpillBytes() + " are permitted: try again later")));
            return;
        }
        usage.chunks++;
        if (fits) {
            usage.memory += size;
            memory += size;
            Stored stored = new Stored(query, size, "");
            stored.parts = List.copyOf(parts);
            completion.done(Outcome.ok(stored));
        } else {
            usage.spilled += size;
            spilled += size;
            files++;
            Stored stored = new Stored(query, size, FOLDER + "/" + Long.toHexString(query) + "-" + made++);
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

    int queries() {
        return queries.size();
    }
}
