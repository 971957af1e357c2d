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
 * Tells versions and epochs of tables as they were together at one moment after the question. It looks at all logs and maps twice,
 * the second time after a write that went through the registry's quorum: what both looks found was so in between, as versions,
 * epochs and the tables' numbers only grow. Versions in flight do not matter, and where one was committed meanwhile a third look is
 * compared with the second: all looks after the write are of one session, whose reads never go back. Rests on no clock; what was
 * found is told when others may know of it.
 *
 * <p>For the loop only.
 */
public final class ConsistentCutReader {
    /** Each costs reads of the server that the session is with, and no write. */
    private static final int LOOKS_MAX = 48;

    /** Whoever asked has given up by then. */
    private static final long LOOK_NANOS_MAX = 2_000_000_000L;

    /** Writes that met another coordinator than the look before, and sessions that ended. */
    private static final int BEGINNINGS_MAX = 8;

    private final Clock clock;
    private final Registry registry;
    private final Disclosed disclosed;
    /** As the last look found them: a table's log is found by its number. Only of names that have a table. */
    private final TreeMap<TableName, Long> numbers = new TreeMap<>();
    /** How many sessions have ended: a new one may know less than the one before. */
    private int sessionsEnded;

    /** Tells when a version of a table that was found in the registry may be acted on. */
    public interface Disclosed {
        void await(long tableId, long version, Runnable then);
    }

    public ConsistentCutReader(Clock clock, Registry registry, Disclosed disclosed) {
        this.clock = clock;
        this.registry = registry;
        this.disclosed = disclosed;
    }

    /** Every event of the registry's session, before answers that come after it. */
    public void onSession(SessionEvent event) {
        if (event == SessionEvent.EXPIRED) {
            sessionsEnded++;
        }
    }

    /** The error of a strict read of a table whose updates are not atomic. */
    public static UniserveException noVersions(TableName table) {
        return new UniserveException(
                ErrorCode.UNSUPPORTED,
                "mode STRICT is not served for table " + table
                        + ", whose level is EVENTUAL: use the default mode, or a table of level SERIALIZABLE or"
                        + " FULLY_SERIALIZABLE");
    }

    /**
     * TABLE_NOT_FOUND for one that does not exist at that moment, UNSUPPORTED for one whose updates are not atomic, UNAVAILABLE where
     * no two looks in a row agree.
     */
    public void cut(List<TableName> tables, Completion<ConsistentCut> completion) {
        if (tables.isEmpty()) {
            completion.done(Outcome.ok(new ConsistentCut(List.of())));
            return;
        }
        new Question(List.copyOf(tables), completion).begin();
    }

    /**
     * What a look found of one table.
     *
     * @param assumed the number whose log was read
     * @param number by its map, 0 where there is none
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

        /** False where the log that was read is not that of the map: the name has another table, or its number was not known. */
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

        /** The tables' numbers as far as they are known. */
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

        /** The first look, with the version of a node that hardly ever changes. */
        private void begin() {
            if (beginnings++ == BEGINNINGS_MAX) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.UNAVAILABLE, "coordinators or sessions change faster than tables are looked at")));
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

        /** A check of one node goes through the quorum, as every write does: what this session reads from now on is newer. */
        private void write(int term) {
            if (term == Registry.ABSENT) { // an old look, or nobody has led the cluster yet
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
                        "versions are committed faster than the tables are looked at: no two looks in a row agree")));
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

        /** Nobody hears of a version before others may: who asks for less later would not see it. */
        private void disclose(List<ConsistentCut.Table> cut, int place) {
            if (place == cut.size()) {
                completion.done(Outcome.ok(new ConsistentCut(cut)));
            } else {
                ConsistentCut.Table table = cut.get(place);
                disclosed.await(table.tableId(), table.version(), () -> disclose(cut, place + 1));
            }
        }

        /** All at the same time, as each version that is committed from the first read to the last spoils the look. */
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
