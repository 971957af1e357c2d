package io.uniserve.protocol.transaction.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reader of a consistent snapshot: versions and epochs of several tables that all held at one time after the request. It reads all
 * transaction logs and maps twice, the second time after a write through ZooKeeper's quorum. If both readings are equal, all values held in
 * between, because versions, epochs, chunk generations and table numbers only grow, and an actor that has left a map never comes back.
 * Versions in flight do not matter. If a version was committed meanwhile, a third reading is compared with the second, and so on: all
 * readings after the write are in one session, whose reads never go back. It depends on no clock. The result is returned once its versions
 * are visible.
 *
 * <p>Runs on the server's event loop only.
 */
public final class ConsistentSnapshotReader {
    /** Limit of readings. Each costs reads at the session's ZooKeeper server, and no write. */
    private static final int READINGS_MAX = 48;

    /** Time limit of one request; the caller has given up by then. */
    private static final long READING_NANOS_MAX = 2_000_000_000L;

    /** Limit of restarts, because of another coordinator since the previous reading, or an ended session. */
    private static final int RESTARTS_MAX = 8;

    private final Clock clock;
    private final Registry registry;
    private final VisibilityWaiter visibility;
    /** Table numbers by the last reading, which locate the transaction logs. Only of names that have a table. */
    private final TreeMap<TableName, Long> tableIds = new TreeMap<>();
    /** Number of ended sessions. A new session may read older values than the one before. */
    private int expiredSessions;

    /** Waits until a version that was found in ZooKeeper may be used. */
    public interface VisibilityWaiter {
        void runWhenVisible(long tableId, long version, Runnable then);
    }

    public ConsistentSnapshotReader(Clock clock, Registry registry, VisibilityWaiter disclosed) {
        this.clock = clock;
        this.registry = registry;
        this.visibility = disclosed;
    }

    /** Called with every event of the ZooKeeper session, before the results that follow it. */
    public void onSession(SessionEvent event) {
        if (event == SessionEvent.EXPIRED) {
            expiredSessions++;
        }
    }

    /** The error of a STRICT read of an eventual table. */
    public static UniserveException notAtomicError(TableName table) {
        return new UniserveException(
                ErrorCode.UNSUPPORTED,
                "mode STRICT is not served for table " + table
                        + ", whose level is EVENTUAL: use the default mode, or a table of level SERIALIZABLE or"
                        + " FULLY_SERIALIZABLE");
    }

    /**
     * Reads a consistent snapshot. Fails with TABLE_NOT_FOUND if a table does not exist at that moment, and with UNSUPPORTED for an
     * eventual table. A single eventual TIME table has its chunk generation as the version, and no epochs. Fails with UNAVAILABLE if no two
     * readings in a row are equal.
     */
    public void readConsistentCut(List<TableName> tables, Completion<ConsistentSnapshot> completion) {
        if (tables.isEmpty()) {
            completion.done(Outcome.ok(new ConsistentSnapshot(List.of())));
            return;
        }
        new CutRequest(List.copyOf(tables), completion).start();
    }

    /**
     * Reading of one table.
     *
     * @param assumedTableId the table number whose log was read
     * @param tableId the table number in the map, 0 if there is no map
     * @param hasLog true if the log exists
     */
    private record TableReading(long assumedTableId, long tableId, boolean hasLog, ConsistentSnapshot.Table table) {
        private static TableReading of(TableName name, long assumed, Versioned log, Versioned map) {
            long number = map.value() instanceof TableMap actors ? actors.tableId() : 0;
            List<Integer> numbers = map.value() instanceof TableMap actors ? actors.numbers() : List.of();
            List<Long> epochs = map.value() instanceof TableMap actors
                    ? actors.actors().stream().map(ActorState::epoch).toList()
                    : List.of();
            long generation = map.value() instanceof TableMap actors ? actors.generation() : 0;
            return log.value() instanceof TransactionLogState versions
                    ? new TableReading(
                            assumed,
                            number,
                            true,
                            new ConsistentSnapshot.Table(
                                    name, assumed, versions.committedVersion(), numbers, epochs, generation))
                    : new TableReading(
                            assumed,
                            number,
                            false,
                            new ConsistentSnapshot.Table(name, number, generation, List.of(), List.of(), generation));
        }

        /** True if the log belongs to the map; false if the name has another table, or its number was not known. */
        private boolean hasMatchingTableIds() {
            return tableId == assumedTableId;
        }
    }

    private final class CutRequest {
        private final List<TableName> tables;
        private final Completion<ConsistentSnapshot> completion;
        private final long startedNanos = clock.nanos();
        private List<TableReading> previousReading = List.of();
        private int expiredSessionsAtStart;
        private int restarts;
        private int readings;

        private CutRequest(List<TableName> tables, Completion<ConsistentSnapshot> completion) {
            this.tables = tables;
            this.completion = completion;
        }

        /** The known table numbers, 0 for others. */
        private List<Long> assumedTableIds() {
            return tables.stream()
                    .map(table -> Objects.requireNonNull(tableIds.getOrDefault(table, 0L)))
                    .toList();
        }

        private List<String> paths(List<Long> assumed) {
            List<String> paths = new ArrayList<>();
            for (int i = 0; i < tables.size(); i++) {
                paths.add(RegistryPaths.log(tables.get(i), assumed.get(i)));
                paths.add(RegistryPaths.map(tables.get(i)));
            }
            return paths;
        }

        /** The first reading, with the znode version of a node that rarely changes. */
        private void start() {
            if (restarts++ == RESTARTS_MAX) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE, "no consistent snapshot: leader or session changed at every attempt")));
                return;
            }
            expiredSessionsAtStart = expiredSessions;
            List<Long> assumed = assumedTableIds();
            List<String> all = paths(assumed);
            all.add(RegistryPaths.TERM);
            read(all, values -> {
                previousReading = toReadings(assumed, values);
                confirmThroughQuorum(values.get(2 * tables.size()).version());
            });
        }

        /** Checks one node, which goes through the quorum as every write does: all later reads of this session are newer. */
        private void confirmThroughQuorum(int term) {
            if (term == Registry.ABSENT) { // an old reading, or the cluster never had a leader
                registry.sync(synced -> start());
                return;
            }
            registry.multi(List.of(new Op.Check(RegistryPaths.TERM, term)), checked -> {
                if (checked instanceof Outcome.Err<MultiResult> err) {
                    completion.done(Outcome.err(err.error()));
                } else if (checked.value().applied()) {
                    readAndCompare();
                } else {
                    registry.sync(synced -> start());
                }
            });
        }

        private void readAndCompare() {
            if (readings++ == READINGS_MAX || clock.nanos() - startedNanos > READING_NANOS_MAX) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        "could not get a consistent snapshot: the tables changed at every attempt; retry")));
                return;
            }
            List<Long> assumed = assumedTableIds();
            read(paths(assumed), values -> {
                List<TableReading> now = toReadings(assumed, values);
                if (expiredSessions != expiredSessionsAtStart) {
                    start();
                } else if (now.equals(previousReading) && now.stream().allMatch(TableReading::hasMatchingTableIds)) {
                    complete(now);
                } else {
                    previousReading = now;
                    readAndCompare();
                }
            });
        }

        private List<TableReading> toReadings(List<Long> assumed, List<Versioned> values) {
            List<TableReading> found = new ArrayList<>();
            for (int i = 0; i < tables.size(); i++) {
                TableReading one =
                        TableReading.of(tables.get(i), assumed.get(i), values.get(2 * i), values.get(2 * i + 1));
                found.add(one);
                if (one.tableId() == 0) {
                    tableIds.remove(tables.get(i));
                } else {
                    tableIds.put(tables.get(i), one.tableId());
                }
            }
            return found;
        }

        private void complete(List<TableReading> found) {
            for (TableReading one : found) {
                if (one.tableId() == 0) {
                    completion.done(Outcome.err(new UniserveException(
                            ErrorCode.TABLE_NOT_FOUND, "table " + one.table().name() + " does not exist")));
                    return;
                }
                if (!one.hasLog()) {
                    completeWithoutVersions(one.table());
                    return;
                }
            }
            completeWhenVisible(found.stream().map(TableReading::table).toList(), 0);
        }

        /** Returns the generation of a single TIME table; fails for any other table without versions. */
        private void completeWithoutVersions(ConsistentSnapshot.Table table) {
            registry.read(RegistryPaths.meta(table.name()), read -> {
                if (read instanceof Outcome.Err<Versioned>) {
                    completion.done(Outcome.err(read.error()));
                } else if (tables.size() == 1
                        && read.value().value() instanceof TableMeta meta
                        && meta.partitioner() instanceof Partitioner.Time) {
                    completion.done(Outcome.ok(new ConsistentSnapshot(List.of(table))));
                } else {
                    completion.done(Outcome.err(notAtomicError(table.name())));
                }
            });
        }

        /** Returns no version before it is visible: a later read with an older version would not see it. */
        private void completeWhenVisible(List<ConsistentSnapshot.Table> cut, int place) {
            if (place == cut.size()) {
                completion.done(Outcome.ok(new ConsistentSnapshot(cut)));
            } else {
                ConsistentSnapshot.Table table = cut.get(place);
                visibility.runWhenVisible(table.tableId(), table.version(), () -> completeWhenVisible(cut, place + 1));
            }
        }

        /** Sends all reads at once, because a version that is committed between the first and the last one spoils the reading. */
        private void read(List<String> all, Consumer<List<Versioned>> then) {
            Map<Integer, Versioned> values = new TreeMap<>();
            List<UniserveException> errors = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                int place = i;
                registry.read(all.get(place), read -> {
                    if (read instanceof Outcome.Ok<Versioned> ok) {
                        values.put(place, ok.value());
                    } else {
                        errors.add(read.error());
                    }
                    if (values.size() == all.size()) {
                        then.accept(List.copyOf(values.values()));
                    } else if (values.size() + errors.size() == all.size()) {
                        completion.done(Outcome.err(errors.get(0)));
                    }
                });
            }
        }
    }
}
