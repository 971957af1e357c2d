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
 * Resolves versions in doubt at a replica before it answers a read (docs/protocol.md, section 4). It waits for the outcome of a decided
 * version. It permits the read to omit a version that no reader can have seen: one that is in flight by a confirmation after the call, or
 * one that its manager claims is not visible.
 */
final class InDoubtResolver {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final BiFunction<TableName, Long, TransactionLogView> logs;
    private final Function<TableName, @Nullable TransactionLogState> copies;
    private final BiFunction<TableName, Long, ManagerProbe> drivers;
    private final TreeMap<ReplicaKey, List<Question>> waiting = new TreeMap<>();

    /** @param copies this server's copy of a table's transaction log, which may be outdated */
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
     * Completes when the replica's published state is complete for a question that is sent now.
     *
     * @param at requested version: all versions up to it must be resolved; 0 for the newest
     * @param defers true if the caller finds a claim itself: a version in flight of another server's manager is then left open
     */
    void settle(TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        long deadline = host.env().clock().nanos() + config.settleNanos();
        new Question(table, key, at, defers, deadline, completion).ask();
    }

    /** Called when the replica's read gate has changed. */
    void changed(ReplicaKey key) {
        List<Question> woken = waiting.get(key);
        if (woken != null) {
            List.copyOf(woken).forEach(Question::wake);
        }
    }

    /** Called when this server has a newer transaction log of the table. */
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
                fail("the replica was removed");
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
                    again(); // decided, by this server's copy
                } else if (waited != doubt && (!heard || at > 0)) {
                    // The start of the version, or the decision that the caller knows of, arrives at this server soon.
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
         * Handles the manager's reply. If it claims "not visible", the read omits the version. Without a claim the version is usually
         * decided, and the decision arrives soon; else the transaction log is confirmed.
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
                again(); // decided: this server's copy has it
            } else if (at > 0) {
                fail("version " + doubt + " is in flight, but version " + at + " was requested");
            } else {
                completion.done(
                        Outcome.ok(InDoubtResolution.denied(doubt))); // confirmed after the call: it is not committed
            }
        }

        /** Waits until the replica or the log changes, or for a short time. */
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
