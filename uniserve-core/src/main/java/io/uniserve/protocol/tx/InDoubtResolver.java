package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settles what is in doubt at a replica before a reader may have an answer (docs/protocol.md, section 4). A version that is decided
 * is waited for; one that is still in flight, confirmed after the question, or of whose commit nobody can know, may be left out: no
 * reader can have seen it.
 */
final class InDoubtResolver {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final BiFunction<TableName, Long, TransactionLogView> logs;
    private final Function<TableName, @Nullable TransactionLogState> copies;
    private final BiFunction<TableName, Long, ManagerProbe> drivers;
    private final TreeMap<ReplicaKey, List<Question>> waiting = new TreeMap<>();

    /** @param copies what this server has seen of a table's log last, perhaps an old one */
    InDoubtResolver(
            TransactionContext host,
            TransactionConfig config,
            BiFunction<TableName, Long, TransactionLogView> logs,
            Function<TableName, @Nullable TransactionLogState> copies,
            BiFunction<TableName, Long, ManagerProbe> drivers) {
        this.drivers = drivers;
        this.copies = copies;
        this.host = host;
        this.config = config;
        this.logs = logs;
    }

    /**
     * Done when the replica's published state is complete for a question asked now.
     *
     * @param at the version asked for: each at or below it must be settled; 0 for the newest
     * @param defers true where the asker looks for a denial by itself: what another server's driver has in flight is left open
     */
    void settle(TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        long deadline = host.env().clock().nanos() + config.settleNanos();
        new Question(table, key, at, defers, deadline, completion).ask();
    }

    /** What readers of the replica may have is another thing now. */
    void changed(ReplicaKey key) {
        List<Question> woken = waiting.get(key);
        if (woken != null) {
            List.copyOf(woken).forEach(Question::wake);
        }
    }

    /** The log of the table is known here as it was not before. */
    void logChanged(long tableId) {
        for (ReplicaKey key : List.copyOf(waiting.keySet())) {
            if (key.tableId() == tableId) {
                changed(key);
            }
        }
    }

    private final class Question {
        private final TableName table;
        private final ReplicaKey key;
        private final long at;
        private final boolean defers;
        private final long deadline;
        private final Completion<InDoubtResolution> completion;
        private Timers.Cancel timer = () -> {};
        private long asked;
        private long waited;

        private Question(
                TableName table,
                ReplicaKey key,
                long at,
                boolean defers,
                long deadline,
                Completion<InDoubtResolution> completion) {
            this.table = table;
            this.key = key;
            this.at = at;
            this.defers = defers;
            this.deadline = deadline;
            this.completion = completion;
        }

        private void ask() {
            ReadGate gate = host.gate(key);
            if (gate == null) {
                fail("the replica is gone");
            } else if (gate.doubt() == 0 || at > 0 && gate.doubt() > at) {
                completion.done(Outcome.ok(InDoubtResolution.ALL));
            } else if (host.env().clock().nanos() - deadline >= 0) {
                fail("version " + gate.doubt() + " is in doubt");
            } else {
                long doubt = gate.doubt();
                TransactionLogState copy = copies.apply(table);
                boolean heard = copy != null && copy.tableId() == key.tableId() && copy.next() > doubt;
                InFlight flight = heard ? copy.inFlight() : null;
                boolean flying = flight != null && flight.version() == doubt;
                if (heard && !flying) {
                    again(); // decided, as this server knows
                } else if (waited != doubt && (!heard || at > 0)) {
                    // Of its beginning, or of the decision that the asker knows of, this server is about to hear.
                    waited = doubt;
                    again();
                } else if (at == 0
                        && defers
                        && flight != null
                        && flying
                        && !flight.driver().equals(host.self())) {
                    completion.done(Outcome.ok(InDoubtResolution.open(doubt)));
                } else if (at == 0 && flying && flight != null && doubt != asked) {
                    asked = doubt;
                    drivers.apply(table, key.tableId()).look(flight, certain -> driverSaid(certain, doubt));
                } else {
                    askLog(doubt);
                }
            }
        }

        /**
         * Nobody can have seen a version that its driver has not disclosed. Where it does not say so the version is decided, as a
         * rule, of which this server is about to hear by itself; the log is asked where that takes longer.
         */
        private void driverSaid(boolean undisclosed, long doubt) {
            if (undisclosed) {
                completion.done(Outcome.ok(InDoubtResolution.denied(doubt)));
                return;
            }
            ReadGate gate = host.gate(key);
            if (gate != null && gate.doubt() == doubt) {
                again();
            } else {
                ask();
            }
        }

        private void askLog(long doubt) {
            logs.apply(table, key.tableId()).confirm(doubt, at > 0, looked -> {
                if (looked instanceof Outcome.Ok<TransactionLogState> ok) {
                    looked(ok.value(), doubt);
                } else {
                    again();
                }
            });
        }

        private void looked(TransactionLogState log, long doubt) {
            if (!TransactionLogTransitions.inFlight(log, doubt)) {
                again(); // decided: the log here will say so
            } else if (at > 0) {
                fail("version " + doubt + " is in flight, though version " + at + " was asked for");
            } else {
                completion.done(Outcome.ok(
                        InDoubtResolution.denied(doubt))); // confirmed after the question: it is not committed
            }
        }

        /** Waits for the replica to change, or for a moment. */
        private void again() {
            waiting.computeIfAbsent(key, k -> new ArrayList<>()).add(this);
            timer = host.env().timers().after(config.tellNanos(), this::wake);
        }

        private void wake() {
            List<Question> others = waiting.get(key);
            if (others != null && others.remove(this)) {
                if (others.isEmpty()) {
                    waiting.remove(key);
                }
                timer.cancel();
                ask();
            }
        }

        private void fail(String why) {
            completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, why)));
        }
    }
}
