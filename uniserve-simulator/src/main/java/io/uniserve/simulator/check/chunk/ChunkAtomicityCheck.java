package io.uniserve.simulator.check.chunk;

import io.uniserve.model.Partitioner;
import io.uniserve.simulator.check.TableTimelines;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.check.chunk.ChunkHistory.Read;
import io.uniserve.simulator.check.chunk.ChunkHistory.Write;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Check of the history of an atomic table that is partitioned by time. It uses only requests and results of clients, and the maps in the
 * registry.
 *
 * <p>An update has a version, whether its client knows it or not. An actor's answer at a version has exactly the rows of all updates up to
 * it (I3). If the client does not know the version, the answers with and without the rows bound it, and the bounds must not cross. So an
 * update is in all chunks that a read asks, or in none. A read asks each live actor that it covers and that has a row acknowledged, or read
 * by any client, before the read began, and shows the row (I4, I20). It asks all buckets of a chunk, or none (I20). Versions of a client
 * never fall (I5), a refused update never appears and no row appears twice (I9), lists only grow, in the order of versions (ORDER, I11).
 *
 * <p>A table that was restored has one era per number. An update of an earlier era is in a later one if its version is at most the one to
 * which the table went back (ERA).
 */
public final class ChunkAtomicityCheck {
    private static final int LOST = -1;

    private final ViolationCollector violations;
    private final String table;
    private final Partitioner.Time time;
    private final ChunkHistory history;
    private final TableTimelines eras;
    private final Map<String, Bounds> bounds = new HashMap<>();
    private final Map<String, List<String>> longest = new HashMap<>();
    private int compared;

    /** Versions between which an update was committed, as far as reads show it. */
    private static final class Bounds {
        private long above;
        private String lacks = "";
        private long through = Long.MAX_VALUE;
        private String has = "";
        private long seenNanos = Long.MAX_VALUE;
    }

    public ChunkAtomicityCheck(
            ViolationCollector violations,
            String table,
            Partitioner.Time time,
            ChunkHistory history,
            TableTimelines eras) {
        this.violations = violations;
        this.table = table;
        this.time = time;
        this.history = history;
        this.eras = eras;
    }

    /** Number of rows that reads were compared with. */
    public int compared() {
        return compared;
    }

    /** Runs all checks. Call it once. */
    public void run() {
        for (Read read : history.reads()) {
            checkLists(read);
            checkWholeChunks(read);
            checkRows(read);
        }
        bounds.forEach((marker, bound) -> {
            if (bound.above >= bound.through) {
                violation(
                        "I3",
                        marker + " is in a read through version " + bound.through + " (" + bound.has
                                + "), and not in one of version " + bound.above + " (" + bound.lacks + ")");
            }
        });
        history.reads().forEach(this::checkRealTime);
        checkVersionsOfClients();
        history.stale().forEach(read -> read.rows().forEach(row -> checkSent(read.client() + " read STALE", row)));
    }

    private void violation(String code, String what) {
        violations.add(code, "table " + table + ": " + what);
    }

    private void checkSent(String reader, String row) {
        Write write = history.find(ChunkHistory.marker(row));
        if (write == null || !write.actors.contains(ChunkHistory.actor(row))) {
            violation("I11", reader + " row " + row + ", which no client sent");
        } else if (write.refused) {
            violation("I9", reader + " row " + row + " of an update that was refused for good");
        }
    }

    /** Lists have only rows that were sent, in the order of versions, and each is a prefix of all longer ones of its era. */
    private void checkLists(Read read) {
        read.lists().forEach((list, rows) -> {
            Set<String> once = new HashSet<>();
            long newest = 0;
            for (String row : rows) {
                checkSent(read.describe(), row);
                if (!once.add(row)) {
                    violation("I9", read.describe() + " row " + row + " twice");
                }
                Write write = history.find(ChunkHistory.marker(row));
                if (write != null && write.committed() && write.version < newest) {
                    violation("ORDER", read.describe() + " " + row + " after a row of a later version");
                }
                newest = write == null ? newest : Math.max(newest, write.version);
            }
            String key = eras.timelineOfTable(read.tableId()) + " " + list;
            List<String> known = longest.getOrDefault(key, List.of());
            List<String> shorter = known.size() < rows.size() ? known : rows;
            List<String> longer = known.size() < rows.size() ? rows : known;
            if (!longer.subList(0, shorter.size()).equals(shorter)) {
                violation("I11", read.describe() + " list " + list + " as " + rows + ", which was read as " + known);
            }
            longest.put(key, longer);
        });
    }

    /** A read asks all buckets of a chunk that it covers, or none, and a confirmed one no chunk that was expired before. */
    private void checkWholeChunks(Read read) {
        for (int actor : read.versions().keySet()) {
            int ordinal = time.ordinalOf(actor);
            int first = time.firstActor(ordinal);
            for (int other = first; other < first + time.buckets(); other++) {
                if (read.scope().covered().test(other) && !read.versions().containsKey(other)) {
                    violation(
                            "I20", read.describe() + " actor " + actor + ", and not actor " + other + " of its chunk");
                }
            }
            if (!read.scope().covered().test(actor)) {
                violation("I20", read.describe() + " actor " + actor + ", which it does not cover");
            }
            if (read.scope().confirmed() && ordinal < read.scope().firstLive()) {
                violation("I20", read.describe() + " actor " + actor + ", which was expired when the read began");
            }
        }
        read.lists()
                .values()
                .forEach(rows -> rows.forEach(row -> {
                    if (!read.versions().containsKey(ChunkHistory.actor(row))) {
                        violation("I20", read.describe() + " row " + row + " of an actor that it does not ask");
                    }
                }));
    }

    /**
     * The newest version of an update's era that a read of another era can show, as the table may have gone back between them; LOST if the
     * read is of an earlier era.
     */
    private long limit(Write write, Read read) {
        int from = Math.max(0, eras.timelineOfTable(write.tableId));
        int to = Math.max(0, eras.timelineOfTable(read.tableId()));
        if (to < from) {
            return LOST;
        }
        long limit = Long.MAX_VALUE;
        for (int era = from + 1; era <= to; era++) {
            limit = Math.min(limit, eras.get(era).base());
        }
        return limit;
    }

    private void checkRows(Read read) {
        Set<String> found = new HashSet<>();
        read.lists().values().forEach(found::addAll);
        for (Write write : history.writes()) {
            if (write.invokedNanos > read.doneNanos()) {
                write.actors.stream()
                        .filter(actor -> found.contains(ChunkHistory.row(write.marker, actor)))
                        .forEach(actor ->
                                violation("I11", read.describe() + " " + write.marker + " before it was sent"));
                continue;
            }
            long limit = limit(write, read);
            for (int actor : write.actors) {
                Long version = read.versions().get(actor);
                if (version != null) {
                    boolean seen = found.contains(ChunkHistory.row(write.marker, actor));
                    checkRow(read, write, actor, seen, limit == LOST ? LOST : Math.min(version, limit));
                }
            }
        }
    }

    /** @param version the newest version of the update that the answer has room for */
    private void checkRow(Read read, Write write, int actor, boolean seen, long version) {
        compared++;
        if (write.refused) {
            return; // the check of lists reports its rows
        }
        Bounds bound = bounds.computeIfAbsent(write.marker, unused -> new Bounds());
        if (seen) {
            bound.seenNanos = Math.min(bound.seenNanos, read.doneNanos());
        }
        if (write.committed()) {
            boolean due = write.version <= version;
            if (seen != due) {
                violation(
                        version == LOST || limit(write, read) < Long.MAX_VALUE ? "ERA" : "I3",
                        read.describe() + (seen ? " row " : " without row ") + write.marker + " of actor " + actor
                                + ", committed in version " + write.version + " of number " + write.tableId);
            }
        } else if (seen && version < bound.through) {
            bound.through = version;
            bound.has = read.describe();
        } else if (!seen && version > bound.above) {
            bound.above = version;
            bound.lacks = read.describe() + " actor " + actor;
        }
    }

    /** A read shows what was acknowledged, or seen by a read that had ended, before it began. */
    private void checkRealTime(Read read) {
        Set<String> found = new HashSet<>();
        read.lists().values().forEach(found::addAll);
        for (Write write : history.writes()) {
            Bounds bound = bounds.get(write.marker);
            long seenNanos = bound == null ? Long.MAX_VALUE : bound.seenNanos;
            long known = Math.min(write.doneNanos, seenNanos);
            long version = write.committed() || bound == null ? write.version : bound.through;
            if (write.refused || known >= read.invokedNanos() || version > limit(write, read)) {
                continue;
            }
            for (int actor : write.actors) {
                boolean asked = read.versions().containsKey(actor);
                if (!read.scope().covered().test(actor) || !read.scope().live().contains(actor)) {
                    continue;
                }
                compared++;
                String what =
                        read.describe() + " without row " + write.marker + " of live actor " + actor + ", which was "
                                + (write.doneNanos < read.invokedNanos() ? "acknowledged" : "read") + " before";
                if (!asked) {
                    violation("I20", what + ", and does not ask the actor");
                } else if (!found.contains(ChunkHistory.row(write.marker, actor))) {
                    violation("I4", what);
                }
            }
        }
    }

    /** Versions that a client sees never fall, and no number of the table is answered after a later one was. */
    private void checkVersionsOfClients() {
        Map<String, Read> last = new HashMap<>();
        TreeMap<Long, Integer> newestEra = new TreeMap<>(Map.of(Long.MIN_VALUE, 0));
        for (Read read : history.reads()) {
            int era = eras.timelineOfTable(read.tableId());
            if (era < newestEra.lowerEntry(read.invokedNanos()).getValue()) {
                violation("ERA", read.describe() + ", after a later number was read");
            }
            newestEra.put(read.doneNanos(), Math.max(era, newestEra.lastEntry().getValue()));
            Read before = last.get(read.client());
            if (before == null || before.tableId() != read.tableId()) {
                last.put(read.client(), read);
                continue;
            }
            if (before.doneNanos() < read.invokedNanos() && read.version() < before.version()) {
                violation("I5", read.describe() + ", after version " + before.version());
            }
            if (before.version() <= read.version()) {
                last.put(read.client(), read);
            }
        }
    }
}
