package io.uniserve.simulator.plant;

import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import java.util.List;

/** {@link Plant#OWN_VERSION_COUNTERS}: registry of a server that takes the next version from the server's own counter. */
public final class OwnVersionCountersBug extends ForwardingRegistry {
    private long next = 1;

    public OwnVersionCountersBug(Registry registry) {
        super(registry);
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        registry.read(
                path,
                outcome -> completion.done(
                        outcome instanceof Outcome.Ok<Versioned> ok
                                        && ok.value().value() instanceof TransactionLogState log
                                ? Outcome.ok(new Versioned(own(log), ok.value().version()))
                                : outcome));
    }

    private TransactionLogState own(TransactionLogState log) {
        return new TransactionLogState(
                log.tableId(),
                log.committedVersion(),
                next,
                log.inFlight(),
                log.decisions(),
                log.newestForgottenVersion(),
                log.historyNumber(),
                log.chunkVersions());
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        for (Op op : ops) {
            if (op instanceof Op.Set set && set.value() instanceof TransactionLogState log) {
                next = Math.max(next, log.nextVersion());
            }
        }
        registry.multi(ops, completion);
    }
}
