package io.uniserve.simulator.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import java.util.List;
import java.util.function.Predicate;

/**
 * {@link Plant#CONFIRM_SKIPPED} and {@link Plant#CUT_UNCONFIRMED}: registry of a server that answers a check of one node without a request.
 * The node is a table's transaction log or the coordinators' term. The check always succeeds.
 */
public final class ConfirmationSkippedBug extends ForwardingRegistry {
    private final Timers timers;
    private final Predicate<String> nodes;

    /** @param nodes true for the paths of these nodes */
    public ConfirmationSkippedBug(Registry registry, Timers timers, Predicate<String> nodes) {
        super(registry);
        this.timers = timers;
        this.nodes = nodes;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        boolean confirms = ops.size() == 1
                && ops.get(0) instanceof Op.Check
                && nodes.test(ops.get(0).path());
        if (confirms) {
            timers.after(1, () -> completion.done(Outcome.ok(new MultiResult(true, List.of(ABSENT), -1))));
        } else {
            registry.multi(ops, completion);
        }
    }
}
