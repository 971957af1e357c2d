package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.TableMap;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.SessionEvent;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.ConsistentCut;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reader of a consistent snapshot: versions and epochs of several tables that all held at one moment after the request. It reads all
 * transaction logs and maps twice, the second time after a write through ZooKeeper's quorum. If both readings are equal, all values held in
 * between, because versions, epochs and table numbers only grow. Versions in flight do not matter. If a version was committed meanwhile, a
 * third reading is compared with the second, and so on: all readings after the write are in one session, whose reads never go back. It
 * depends on no clock. The result is returned once its versions are visible.
 *
 * <p>Runs on the server's event loop only.
 */
public final class ConsistentCutReader {
    /** Limit of readings. Each costs reads at the session's ZooKeeper server, and no write. */
    private static final int LOOKS_MAX = 48;

    /** Time limit of one request; the caller has given up by then. */
    private static final long LOOK_NANOS_MAX = 2_000_000_000L;

    /** Limit of restarts, because of another coordinator since the previous reading, or an ended session. */
    private static final int BEGINNINGS_MAX = 8;

    private final Clock clock;
    private final Registry registry;
    private final Disclosed disclosed;
    /** Table numbers by the last reading, which locate the transaction logs. Only of names that have a table. */
    private final TreeMap<TableName, Long> numbers = new TreeMap<>();
    /** Number of ended sessions. A new session may read older values than the one before. */
    private int sessionsEnded;

    /** Waits until a version that was found in ZooKeeper may be used. */
    public interface Disclosed {
        void await(long tableId, long version, Runnable then);
    }

    public ConsistentCutReader(Clock clock, Registry registry, Disclosed disclosed) {
        this.clock = clock;
        this.registry = registry;
        this.disclosed = disclosed;
    }

    /** Called with every event of the ZooKeeper session, before the results that follow it. */
    public void onSession(SessionEvent event) {
        if (event == SessionEvent.EXPIRED) {
            sessionsEnded++;
        }
    }

    /** The error of a STRICT read of an eventual table. */
    public static UniserveException noVersions(TableName table) {
        return new UniserveException(
                ErrorCode.UNSUPPORTED,
                "mode STRICT is not served for table " + table
                        + ", whose level is EVENTUAL: use the default mode, or a table of level SERIALIZABLE or"
                        + " FULLY_SERIALIZABLE");
    }

    /**
     * Reads a consistent snapshot. Fails with TABLE_NOT_FOUND if a table does not exist at that moment, and with UNSUPPORTED for an
     * eventual table. Fails with UNAVAILABLE if no two readings in a row are equal.
     */
    public void cut(List<TableName> tables, Completion<ConsistentCut> completion) {
        if (tables.isEmpty()) {
            completion.done(Outcome.ok(new ConsistentCut(List.of())));
            return;
        }
        new Question(List.copyOf(tables), completion).begin();
    }

    /**
     * Reading of one table.
     *
     * @param assumed the table number whose log was read
     * @param number the table number in the map, 0 if there is no map
     * @param versions true if the log exists
     */
    private record Found(long assumed, long number, boolean versions, ConsistentCut.Table table) {
        private static Found of(TableName name, long assumed, Versioned log, Versioned map) {
            long number = map.value() instanceof TableMap actors ? actors.tableId() : 0;
            List<Long> epochs = map.value() instanceof TableMap actors
                    ? actors.actors().stream().map(ActorState::epoch).toList()
                    : List.of();
            return log.value() instanceof TransactionLogState versions
                    ? new Found(
                            assumed, number, true, new ConsistentCut.Table(name, assumed, versions.version(), epochs))
                    : new Found(assumed, number, false, new ConsistentCut.Table(name, 0, 0, epochs));
        }

        /** True if the log belongs to the map; false if the name has another table, or its number was not known. */
        private boolean ofOne() {
            return number == assumed;
        }
    }

    private final class Question {
        private final List<TableName> tables;
        private final Completion<ConsistentCut> completion;
        private final long began = clock.nanos();
        private List<Found> last = List.of();
        private int endedBefore;
        private int beginnings;
        private int looks;

        private Question(List<TableName> tables, Completion<ConsistentCut> completion) {
            this.tables = tables;
            this.completion = completion;
        }

        /** The known table numbers, 0 for others. */
        private List<Long> assumed() {
            return tables.stream()
                    .map(table -> Objects.requireNonNull(numbers.getOrDefault(table, 0L)))
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
        private void begin() {
            if (beginnings++ == BEGINNINGS_MAX) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE, "no consistent snapshot: leader or session changed at every attempt")));
                return;
            }
            endedBefore = sessionsEnded;
            List<Long> assumed = assumed();
            List<String> all = paths(assumed);
            all.add(RegistryPaths.TERM);
            read(all, values -> {
                last = found(assumed, values);
                write(values.get(2 * tables.size()).version());
            });
        }

        /** Checks one node, which goes through the quorum as every write does: all later reads of this session are newer. */
        private void write(int term) {
            if (term == Registry.ABSENT) { // an old reading, or the cluster never had a leader
                registry.sync(synced -> begin());
                return;
            }
            registry.multi(List.of(new Op.Check(RegistryPaths.TERM, term)), checked -> {
                if (checked instanceof Outcome.Err<MultiResult> err) {
                    completion.done(Outcome.err(err.error()));
                } else if (checked.value().applied()) {
                    look();
                } else {
                    registry.sync(synced -> begin());
                }
            });
        }

        private void look() {
            if (looks++ == LOOKS_MAX || clock.nanos() - began > LOOK_NANOS_MAX) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        "could not get a consistent snapshot: the tables changed at every attempt; retry")));
                return;
            }
            List<Long> assumed = assumed();
            read(paths(assumed), values -> {
                List<Found> now = found(assumed, values);
                if (sessionsEnded != endedBefore) {
                    begin();
                } else if (now.equals(last) && now.stream().allMatch(Found::ofOne)) {
                    answer(now);
                } else {
                    last = now;
                    look();
                }
            });
        }

        private List<Found> found(List<Long> assumed, List<Versioned> values) {
            List<Found> found = new ArrayList<>();
            for (int i = 0; i < tables.size(); i++) {
                Found one = Found.of(tables.get(i), assumed.get(i), values.get(2 * i), values.get(2 * i + 1));
                found.add(one);
                if (one.number() == 0) {
                    numbers.remove(tables.get(i));
                } else {
                    numbers.put(tables.get(i), one.number());
                }
            }
            return found;
        }

        private void answer(List<Found> found) {
            for (Found one : found) {
                if (one.number() == 0) {
                    completion.done(Outcome.err(new UniserveException(
                            ErrorCode.TABLE_NOT_FOUND, "table " + one.table().name() + " does not exist")));
                    return;
                }
                if (!one.versions()) {
                    completion.done(Outcome.err(noVersions(one.table().name())));
                    return;
                }
            }
            disclose(found.stream().map(Found::table).toList(), 0);
        }

        /** Returns no version before it is visible: a later read with an older version would not see it. */
        private void disclose(List<ConsistentCut.Table> cut, int place) {
            if (place == cut.size()) {
                completion.done(Outcome.ok(new ConsistentCut(cut)));
            } else {
                ConsistentCut.Table table = cut.get(place);
                disclosed.await(table.tableId(), table.version(), () -> disclose(cut, place + 1));
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
