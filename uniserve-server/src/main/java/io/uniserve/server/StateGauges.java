package io.uniserve.server;

import io.uniserve.protocol.StateCounts;
import io.uniserve.protocol.backup.ship.LogShippingState;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.replica.ReplicaState;
import io.uniserve.protocol.server.ServerStateMachine;
import io.uniserve.protocol.transaction.manager.TransactionPhase;
import io.uniserve.runtime.loop.EventLoop;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Gauges with the number of replicas, transactions and shipped logs per state. The event loop counts them periodically and publishes
 * immutable counts, which any thread may read.
 */
final class StateGauges {
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ServerStateMachine machine;
    private final EventLoop loop;
    private volatile StateCounts<ReplicaState> replicas = StateCounts.of(ReplicaState.class, List.of());
    private volatile StateCounts<TransactionPhase> transactions = StateCounts.of(TransactionPhase.class, List.of());
    private volatile StateCounts<LogShippingState> logShipping = StateCounts.of(LogShippingState.class, List.of());

    /** Registers the gauges. They are 0 until {@link #watch}. */
    StateGauges(ServerMetrics metrics, ServerStateMachine machine, EventLoop loop) {
        this.machine = machine;
        this.loop = loop;
        for (ReplicaState state : ReplicaState.values()) {
            gauge(metrics, "uniserve.server.replicas", "Replicas by state", state, () -> replicas.count(state));
        }
        for (TransactionPhase phase : List.of(TransactionPhase.PREPARING, TransactionPhase.COMMITTING)) {
            gauge(
                    metrics,
                    "uniserve.server.transactions",
                    "Transactions that this server manages, by phase",
                    phase,
                    () -> transactions.count(phase));
        }
        for (LogShippingState state : LogShippingState.values()) {
            gauge(
                    metrics,
                    "uniserve.server.log.shipping",
                    "Actors with their primary here, by state of the shipping of their logs",
                    state,
                    () -> logShipping.count(state));
        }
    }

    private static void gauge(
            ServerMetrics metrics, String name, String description, Enum<?> state, Supplier<Number> value) {
        metrics.gauge(name, description, state.name().toLowerCase(Locale.ROOT).replace('_', '-'), value);
    }

    /** Counts the states now, and then periodically until the loop ends. Call it on the loop. */
    void watch() {
        replicas = machine.replicaStates();
        transactions = machine.transactionPhases();
        logShipping = machine.logShippingStates();
        Timers.Cancel unused = loop.after(PERIOD_NANOS, this::watch);
    }
}
