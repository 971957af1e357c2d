package io.uniserve.simulator.plant.scaling;

import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Registry;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.plant.ForwardingRegistry;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.registry.SimEnsemble;
import java.util.ArrayList;
import java.util.List;

/**
 * Registry of a coordinator with one of the bugs {@link Plant#SCALING_IN_MEMORY} and {@link Plant#SCALING_WITHOUT_TERM}: it changes the
 * writes of the auto-scaler's record.
 */
public final class ScalingRecordBug extends ForwardingRegistry {
    private static final long LATE_NANOS = 10_000_000_000L;

    private final Plant plant;
    private final SimEnsemble ensemble;
    private final String session;
    private final EventQueue queue;
    private final Prng random;

    public ScalingRecordBug(
            Registry registry, Plant plant, SimEnsemble ensemble, String session, EventQueue queue, Prng random) {
        super(registry);
        this.plant = plant;
        this.ensemble = ensemble;
        this.session = session;
        this.queue = queue;
        this.random = random;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        int at = -1;
        for (int i = 0; i < ops.size(); i++) {
            at = ops.get(i).path().equals(RegistryPaths.SCALING) ? i : at;
        }
        if (at < 0) {
            super.multi(ops, completion);
        } else if (plant == Plant.SCALING_IN_MEMORY) {
            withoutRecord(ops, at, completion);
        } else {
            Op late = ops.get(at);
            if (random.below(4) == 0) {
                queue.after(random.below(LATE_NANOS), () -> overwrite(late));
            }
            super.multi(ops, completion);
        }
    }

    private void withoutRecord(List<Op> ops, int at, Completion<MultiResult> completion) {
        List<Op> others = new ArrayList<>(ops);
        others.remove(at);
        super.multi(
                others,
                outcome -> completion.done(outcome.map(result -> {
                    List<Integer> versions = new ArrayList<>(result.versions());
                    if (result.applied()) {
                        versions.add(at, 1);
                    }
                    return new MultiResult(result.applied(), versions, result.conflict());
                })));
    }

    /** Writes an older record over the present one. */
    private void overwrite(Op late) {
        if (late instanceof Op.Set set) {
            int version = ensemble.read(RegistryPaths.SCALING, ensemble.zxid()).version();
            ensemble.multi(session, List.of(new Op.Set(set.path(), set.value(), version)));
        }
    }
}
