package io.uniserve.simulator.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Registry;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.registry.SimEnsemble;
import java.util.List;

/**
 * {@link Plant#SHRINK_WITHOUT_CAS}: registry of a coordinator that repeats some writes of a map later, in an ensemble that ignores their
 * checks. So a decision on an old map overwrites a newer one.
 */
public final class ShrinkWithoutCasBug extends ForwardingRegistry {
    private static final int ONE_IN = 10;
    private static final long LATE_NANOS = 8_000_000_000L;

    private final SimEnsemble ensemble;
    private final String session;
    private final EventQueue queue;
    private final Prng random;

    public ShrinkWithoutCasBug(Registry registry, SimEnsemble ensemble, String session, EventQueue queue, Prng random) {
        super(registry);
        this.ensemble = ensemble;
        this.session = session;
        this.queue = queue;
        this.random = random;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        boolean map =
                ops.stream().anyMatch(op -> op instanceof Op.Set && op.path().endsWith("/map"));
        if (map && random.below(ONE_IN) == 0) {
            queue.after(random.below(LATE_NANOS), () -> ensemble.multi(session, ops));
        }
        super.multi(ops, completion);
    }
}
