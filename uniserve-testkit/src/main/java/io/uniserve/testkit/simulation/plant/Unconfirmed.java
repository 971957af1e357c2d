package io.uniserve.testkit.simulation.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import java.util.List;

/**
 * {@link Plant#CONFIRM_SKIPPED} and {@link Plant#CUT_UNCONFIRMED}: a server's registry that says yes to a check of one node, of a
 * table's log or of the coordinators' term, without asking anybody.
 */
public final class Unconfirmed extends PassedOn {
    private final Timers timers;
    private final String node;

    /** @param node how the paths of these nodes end */
    public Unconfirmed(Registry registry, Timers timers, String node) {
        super(registry);
        this.timers = timers;
        this.node = node;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        boolean confirms = ops.size() == 1
                && ops.get(0) instanceof Op.Check
                && ops.get(0).path().endsWith(node);
        if (confirms) {
            timers.after(1, () -> completion.done(Outcome.ok(new MultiResult(true, List.of(ABSENT), -1))));
        } else {
            registry.multi(ops, completion);
        }
    }
}
