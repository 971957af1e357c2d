package io.uniserve.simulator.plant;

import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;

/**
 * {@link Plant#AHEAD_TAKEN}: registry of a server that hides a version which another server has started ahead. The server assigns this
 * version to its own next update.
 */
public final class ForeignReservationUsedBug extends ForwardingRegistry {
    private final ServerId self;

    public ForeignReservationUsedBug(Registry registry, ServerId self) {
        super(registry);
        this.self = self;
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        registry.read(
                path,
                outcome -> completion.done(
                        outcome instanceof Outcome.Ok<Versioned> ok
                                        && ok.value().value() instanceof TransactionLogState log
                                ? Outcome.ok(new Versioned(
                                        withoutForeignReservation(log),
                                        ok.value().version()))
                                : outcome));
    }

    private TransactionLogState withoutForeignReservation(TransactionLogState log) {
        InFlight flight = log.inFlight();
        return flight == null || !flight.isStartedAhead() || flight.manager().equals(self)
                ? log
                : new TransactionLogState(
                        log.tableId(),
                        log.committedVersion(),
                        flight.version(),
                        null,
                        log.decisions(),
                        log.newestForgottenVersion(),
                        log.historyNumber(),
                        log.chunkVersions());
    }
}
