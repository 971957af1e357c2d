package io.uniserve.protocol.transaction.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.gate.InDoubtResolution;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import io.uniserve.protocol.transaction.TransactionLogView;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Resolver of versions in doubt at a replica, before the replica answers a read (docs/protocol.md, section 4). It waits for the outcome of
 * a decided version. It permits the read to omit a version that no reader can have seen: one that is in flight by a confirmation after the
 * call, or one that its manager claims is not visible.
 */
final class InDoubtResolver {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final BiFunction<TableName, Long, TransactionLogView> logs;
    private final Function<TableName, @Nullable TransactionLogState> logCopies;
    private final BiFunction<TableName, Long, ManagerProbe> managerProbes;
    private final TreeMap<ReplicaKey, List<InDoubtRead>> waiting = new TreeMap<>();

    /** @param copies this server's copy of a table's transaction log, which may be outdated */
    InDoubtResolver(
            TransactionContext host,
            TransactionConfig config,
            BiFunction<TableName, Long, TransactionLogView> logs,
            Function<TableName, @Nullable TransactionLogState> copies,
            BiFunction<TableName, Long, ManagerProbe> drivers) {
        this.managerProbes = drivers;
        this.logCopies = copies;
        this.host = host;
        this.config = config;
        this.logs = logs;
    }

    /**
     * Completes when the replica's published state is complete for a read that starts now.
     *
     * @param at requested version: all versions up to it must be resolved; 0 for the newest
     * @param defers true if the caller finds a claim itself: a version in flight of another server's manager is then left open
     */
    void resolve(TableName table, ReplicaKey key, long at, boolean defers, Completion<InDoubtResolution> completion) {
        long deadline = host.env().clock().nanos() + config.inDoubtWaitNanos();
        new InDoubtRead(table, key, at, defers, deadline, completion).tryResolve();
    }

    /** Called when the replica's read gate has changed. */
    void onGateChanged(ReplicaKey key) {
        List<InDoubtRead> woken = waiting.get(key);
        if (woken != null) {
            List.copyOf(woken).forEach(InDoubtRead::retry);
        }
    }

    /** Called when this server has a newer transaction log of the table. */
    void onLogChanged(long tableId) {
        for (ReplicaKey key : List.copyOf(waiting.keySet())) {
            if (key.tableId() == tableId) {
                onGateChanged(key);
            }
        }
    }

    private final class InDoubtRead {
        private final TableName table;
        private final ReplicaKey key;
        private final long version;
        private final boolean acceptsOpenVersions;
        private final long deadline;
        private final Completion<InDoubtResolution> completion;
        private Timers.Cancel timer = () -> {};
        private long asked;
        private long waited;

        private InDoubtRead(
                TableName table,
                ReplicaKey key,
                long at,
                boolean defers,
                long deadline,
                Completion<InDoubtResolution> completion) {
            this.table = table;
            this.key = key;
            this.version = at;
            this.acceptsOpenVersions = defers;
            this.deadline = deadline;
            this.completion = completion;
        }

        private void tryResolve() {
            ReadGate gate = host.gate(key);
            if (gate == null) {
                fail("the replica was removed");
            } else if (gate.inDoubtVersion() == 0 || version > 0 && gate.inDoubtVersion() > version) {
                completion.done(Outcome.ok(InDoubtResolution.NOTHING_OMITTED));
            } else if (host.env().clock().nanos() - deadline >= 0) {
                fail("version " + gate.inDoubtVersion() + " is in doubt");
            } else {
                long doubt = gate.inDoubtVersion();
                TransactionLogState copy = logCopies.apply(table);
                boolean heard = copy != null && copy.tableId() == key.tableId() && copy.nextVersion() > doubt;
                InFlight flight = heard ? copy.inFlight() : null;
                boolean flying = flight != null && flight.version() == doubt;
                if (heard && !flying) {
                    waitForChange(); // decided, by this server's copy
                } else if (waited != doubt && (!heard || version > 0)) {
                    // The start of the version, or the decision that the caller knows of, arrives at this server soon.
                    waited = doubt;
                    waitForChange();
                } else if (version == 0
                        && acceptsOpenVersions
                        && flight != null
                        && flying
                        && !flight.manager().equals(host.self())) {
                    completion.done(Outcome.ok(InDoubtResolution.omitOpen(doubt)));
                } else if (version == 0 && flying && flight != null && doubt != asked) {
                    asked = doubt;
                    managerProbes
                            .apply(table, key.tableId())
                            .requestClaim(flight, certain -> onProbeResult(certain, doubt));
                } else {
                    confirmLog(doubt);
                }
            }
        }

        /**
         * Handles the manager's reply. If it claims "not visible", the read omits the version. Without a claim the version is usually
         * decided, and the decision arrives soon; else the transaction log is confirmed.
         */
        private void onProbeResult(boolean undisclosed, long doubt) {
            if (undisclosed) {
                completion.done(Outcome.ok(InDoubtResolution.omitInvisible(doubt)));
                return;
            }
            ReadGate gate = host.gate(key);
            if (gate != null && gate.inDoubtVersion() == doubt) {
                waitForChange();
            } else {
                tryResolve();
            }
        }

        private void confirmLog(long doubt) {
            logs.apply(table, key.tableId()).confirm(doubt, version > 0, looked -> {
                if (looked instanceof Outcome.Ok<TransactionLogState> ok) {
                    onConfirmedLog(ok.value(), doubt);
                } else {
                    waitForChange();
                }
            });
        }

        private void onConfirmedLog(TransactionLogState log, long doubt) {
            if (!TransactionLogTransitions.isInFlight(log, doubt)) {
                waitForChange(); // decided: this server's copy has it
            } else if (version > 0) {
                fail("version " + doubt + " is in flight, but version " + version + " was requested");
            } else {
                completion.done(Outcome.ok(
                        InDoubtResolution.omitInvisible(doubt))); // confirmed after the call: it is not committed
            }
        }

        /** Waits until the replica or the log changes, or for a short time. */
        private void waitForChange() {
            waiting.computeIfAbsent(key, k -> new ArrayList<>()).add(this);
            timer = host.env().timers().after(config.propagationNanos(), this::retry);
        }

        private void retry() {
            List<InDoubtRead> others = waiting.get(key);
            if (others != null && others.remove(this)) {
                if (others.isEmpty()) {
                    waiting.remove(key);
                }
                timer.cancel();
                tryResolve();
            }
        }

        private void fail(String why) {
            completion.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, why)));
        }
    }
}
