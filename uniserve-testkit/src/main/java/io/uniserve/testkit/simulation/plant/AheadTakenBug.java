package io.uniserve.testkit.simulation.plant;

import io.uniserve.model.ServerId;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;

/**
 * {@link Plant#AHEAD_TAKEN}: registry of a server that hides a version which another server has started ahead. The server assigns this
 * version to its own next update.
 */
public final class AheadTakenBug extends ForwardingRegistry {
    private final ServerId self;

    public AheadTakenBug(Registry registry, ServerId self) {
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
                                ? Outcome.ok(new Versioned(free(log), ok.value().version()))
                                : outcome));
    }

    private TransactionLogState free(TransactionLogState log) {
        InFlight flight = log.inFlight();
        return flight == null || !flight.ahead() || flight.driver().equals(self)
                ? log
                : new TransactionLogState(
                        log.tableId(),
                        log.version(),
                        flight.version(),
                        null,
                        log.decisions(),
                        log.forgotten(),
                        log.outcomes());
    }
}
