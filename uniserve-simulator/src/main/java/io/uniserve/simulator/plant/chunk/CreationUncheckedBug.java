package io.uniserve.simulator.plant.chunk;

import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.plant.ForwardingRegistry;
import io.uniserve.simulator.plant.Plant;
import java.util.ArrayList;
import java.util.List;

/**
 * {@link Plant#CREATION_UNCHECKED}: registry of a coordinator that makes chunks without the check that the transaction log is the one that
 * their first version comes from, sometimes late.
 */
public final class CreationUncheckedBug extends ForwardingRegistry {
    private static final long LATE_NANOS = 300_000_000;

    private final Timers timers;
    private final Prng random;

    public CreationUncheckedBug(Registry registry, Timers timers, Prng random) {
        super(registry);
        this.timers = timers;
        this.random = random;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        int check = -1;
        boolean map = false;
        for (int i = 0; i < ops.size(); i++) {
            check = ops.get(i) instanceof Op.Check
                            && RegistryPaths.isLog(ops.get(i).path())
                    ? i
                    : check;
            map |= ops.get(i) instanceof Op.Set set && set.value() instanceof TableMap;
        }
        if (check < 0 || !map) {
            super.multi(ops, completion);
            return;
        }
        int at = check;
        List<Op> rest = new ArrayList<>(ops);
        rest.remove(at);
        long late = random.below(2) == 0 ? random.below(LATE_NANOS) : 0;
        timers.after(late, () -> registry.multi(rest, outcome -> completion.done(withCheck(outcome, at))));
    }

    private static Outcome<MultiResult> withCheck(Outcome<MultiResult> outcome, int at) {
        return outcome.map(result -> {
            List<Integer> versions = new ArrayList<>(result.versions());
            if (result.applied()) {
                versions.add(at, ABSENT);
            }
            int conflict = result.conflict() >= at ? result.conflict() + 1 : result.conflict();
            return new MultiResult(result.applied(), versions, conflict);
        });
    }
}
