package io.uniserve.simulator.plant;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** {@link Plant#FLIGHTS_LEFT}: registry of one start of a server that never ends an update in flight of another start or server. */
public final class InFlightNeverAbortedBug extends ForwardingRegistry {
    private final ServerId self;
    private final TreeMap<String, TransactionLogState> seen = new TreeMap<>();
    private final TreeMap<String, Long> startedVersions = new TreeMap<>();

    public InFlightNeverAbortedBug(Registry registry, ServerId self) {
        super(registry);
        this.self = self;
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        registry.read(path, outcome -> {
            if (outcome instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                seen.put(path, log);
            }
            completion.done(outcome);
        });
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        for (Op op : ops) {
            if (op instanceof Op.Set set && set.value() instanceof TransactionLogState after) {
                if (endsForeignVersion(seen.get(set.path()), startedVersions.getOrDefault(set.path(), 0L), after)) {
                    completion.done(Outcome.err(
                            new UniserveException(ErrorCode.UNAVAILABLE, "planted: foreign version in flight")));
                    return;
                }
                InFlight flight = after.inFlight();
                if (flight != null && flight.manager().equals(self)) {
                    startedVersions.put(set.path(), flight.version());
                }
            }
        }
        registry.multi(ops, completion);
    }

    private static boolean endsForeignVersion(
            @Nullable TransactionLogState before, long startedVersion, TransactionLogState after) {
        InFlight flight = before == null ? null : before.inFlight();
        InFlight now = after.inFlight();
        return flight != null
                && flight.version() > startedVersion
                && (now == null || now.version() != flight.version());
    }
}
