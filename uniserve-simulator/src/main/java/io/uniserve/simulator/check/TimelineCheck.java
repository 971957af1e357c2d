package io.uniserve.simulator.check;

import io.uniserve.codec.Bytes;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.registry.SimEnsemble.Applied;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Check of restorations of a table to an older version under a new number (ERA). The version was committed before. No version is assigned
 * twice. The restoration keeps every version that durable storage had completely, with decisions, when it started. The check derives that
 * from the stored logs, and from versions and participants in the registry.
 */
public final class TimelineCheck implements SimEnsemble.Listener {
    private final ViolationCollector violations;
    private final EventTrace trace;
    private final TableName table;
    private final Runnable restored;
    private final List<TableTimelines.TableTimeline> timelines = new ArrayList<>();
    /** Committed versions of the current number, with their participants. */
    private final TreeMap<Long, List<Integer>> commits = new TreeMap<>();

    private final Map<ReplicaKey, Stored> stored = new HashMap<>();
    private long completeVersion;
    /** The newest version that storage had completely when a restoration of the current number started, per attempt. */
    private final Map<String, Long> completeVersionAtStart = new TreeMap<>();

    private final List<TableSnapshot> complete = new ArrayList<>();

    /**
     * @param table the table to observe
     * @param restored runs for each restoration
     */
    public TimelineCheck(ViolationCollector violations, EventTrace trace, TableName table, Runnable restored) {
        this.violations = violations;
        this.trace = trace;
        this.table = table;
        this.restored = restored;
    }

    /** Versions that an actor's log in durable storage ever contained. */
    private static final class Stored {
        private final Set<Long> prepared = new HashSet<>();
        private final Set<Long> committed = new HashSet<>();
    }

    /** The eras so far; before the table exists, one of an unknown number. */
    public TableTimelines timelines() {
        return timelines.isEmpty() ? TableTimelines.single() : new TableTimelines(timelines);
    }

    @Override
    public void onCommitted(String session, long zxid, List<Applied> applied, Set<String> changed) {
        TransactionLogState deleted = applied.stream()
                .filter(one -> one.after() == null)
                .flatMap(one -> log(one, one.before()).stream())
                .findFirst()
                .orElse(null);
        for (Applied one : applied) {
            log(one, one.after()).ifPresent(after -> {
                Optional<TransactionLogState> before = log(one, one.before());
                if (before.isPresent()) {
                    step(before.get(), after);
                } else if (deleted != null) {
                    replaced(deleted, after, map(applied));
                } else {
                    timelines.add(new TableTimelines.TableTimeline(after.tableId(), 0, 0));
                }
            });
        }
    }

    /** The table's map that the transaction wrote; null if it wrote none. */
    private @Nullable TableMap map(List<Applied> applied) {
        for (Applied one : applied) {
            if (one.after() != null
                    && one.after().value() instanceof TableMap map
                    && one.op().path().equals(RegistryPaths.map(table))) {
                return map;
            }
        }
        return null;
    }

    /** The newest version up to this one with rows in the map: later ones are only in chunks of time that are expired. */
    private long newestWithRows(long version, @Nullable TableMap map) {
        if (map == null || version == Long.MAX_VALUE) {
            return version;
        }
        for (Map.Entry<Long, List<Integer>> commit :
                commits.headMap(version, true).descendingMap().entrySet()) {
            if (commit.getValue().stream().anyMatch(map::has)) {
                return commit.getKey();
            }
        }
        return Math.min(version, timelines.get(timelines.size() - 1).base());
    }

    /** The transaction log, if the transaction wrote that of the table, under any number. */
    private Optional<TransactionLogState> log(Applied one, SimEnsemble.@Nullable State state) {
        return state != null
                        && state.value() instanceof TransactionLogState log
                        && one.op().path().equals(RegistryPaths.log(table, log.tableId()))
                ? Optional.of(log)
                : Optional.empty();
    }

    private void step(TransactionLogState before, TransactionLogState after) {
        if (after.committedVersion() > before.committedVersion()) {
            TransactionLogTransitions.decision(after, after.committedVersion())
                    .ifPresent(decision -> commits.put(after.committedVersion(), decision.unackedParticipants()));
        }
    }

    /** Handles an object that was written to durable storage. */
    public void stored(String key, Bytes data) {
        if (timelines.isEmpty()) {
            return;
        }
        long number = timelines.get(timelines.size() - 1).tableId();
        String[] parts = key.split("/");
        if (parts[0].equals("archive")) {
            TableSnapshot backup = TableSnapshot.decode(data);
            if (backup.meta().tableId() == number && backup.isComplete()) {
                complete.add(backup);
            } else if (backup.meta().tableId()
                    == number) { // stored before the coordinator requests the versions of the actors
                completeVersionAtStart.putIfAbsent(backup.id(), completeVersion());
            }
        } else if (parts.length == 6 && parts[4].equals("log") && parts[2].equals("" + number)) {
            long first = Long.parseLong(parts[5].substring(0, parts[5].indexOf('-')));
            Stored of =
                    stored.computeIfAbsent(new ReplicaKey(number, Integer.parseInt(parts[3])), actor -> new Stored());
            if (ReplicaLog.decode(data, first) instanceof Outcome.Ok<List<LogEntry>> ok) {
                ok.value().forEach(entry -> {
                    if (entry.type() == LogEntry.Type.PREPARE) {
                        of.prepared.add(entry.version());
                    } else if (entry.isCommit()) {
                        of.committed.add(entry.version());
                    }
                });
            }
        }
    }

    /** The newest version for which storage has every part and decision, of it and of all versions before it. */
    private long completeVersion() {
        long number = timelines.get(timelines.size() - 1).tableId();
        for (Map.Entry<Long, List<Integer>> next :
                commits.tailMap(completeVersion, false).entrySet()) {
            for (int actor : next.getValue()) {
                Stored of = stored.get(new ReplicaKey(number, actor));
                if (of == null || !of.prepared.contains(next.getKey()) || !of.committed.contains(next.getKey())) {
                    return completeVersion;
                }
            }
            completeVersion = next.getKey();
        }
        return completeVersion;
    }

    private void replaced(TransactionLogState before, TransactionLogState after, @Nullable TableMap map) {
        long base = after.committedVersion();
        long inherited = timelines.get(timelines.size() - 1).base();
        String what = "number " + before.tableId() + " at version " + before.committedVersion()
                + " goes back to version " + base + " as number " + after.tableId();
        long had = complete.stream() // the lowest of all attempts that went back to this version
                .filter(backup -> backup.version() == base)
                .mapToLong(backup -> completeVersionAtStart.getOrDefault(backup.id(), 0L))
                .min()
                .orElse(Long.MAX_VALUE);
        trace.line("table restored: " + what + "; storage had " + had);
        if (base != inherited && !commits.containsKey(base)) {
            violations.add("ERA", what + ", which was never committed");
        }
        if (base < newestWithRows(had, map)) {
            violations.add("ERA", what + ", and storage had all of version " + had);
        }
        if (after.nextVersion() < before.nextVersion() || after.inFlight() != null) {
            violations.add(
                    "ERA",
                    what + " and goes on with version " + after.nextVersion() + " after " + before.nextVersion());
        }
        timelines.add(new TableTimelines.TableTimeline(after.tableId(), base, before.nextVersion()));
        commits.clear();
        stored.clear();
        completeVersion = base;
        completeVersionAtStart.clear();
        complete.clear();
        restored.run();
    }
}
