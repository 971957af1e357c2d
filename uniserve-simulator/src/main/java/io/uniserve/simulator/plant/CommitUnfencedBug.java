package io.uniserve.simulator.plant;

import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;

/** {@link Plant#COMMIT_UNFENCED}: registry of a server that writes a transaction log without the check of the map, sometimes late. */
public final class CommitUnfencedBug extends ForwardingRegistry {
    private static final int ONE_IN = 2;
    private static final long LATE_NANOS = 6_000_000_000L;

    private final Timers timers;
    private final Prng random;

    public CommitUnfencedBug(Registry registry, Timers timers, Prng random) {
        super(registry);
        this.timers = timers;
        this.random = random;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        boolean commit = ops.size() > 1
                && ops.stream().skip(2).allMatch(op -> op instanceof Op.Check) // of the cluster's identity
                && ops.get(0) instanceof Op.Check
                && RegistryPaths.isLog(ops.get(1).path());
        if (!commit) {
            super.multi(ops, completion);
            return;
        }
        long late = random.below(ONE_IN) == 0 ? random.below(LATE_NANOS) : 0;
        timers.after(late, () -> unfenced(ops, completion));
    }

    private void unfenced(List<Op> ops, Completion<MultiResult> completion) {
        registry.multi(ops.subList(1, ops.size()), outcome -> {
            if (outcome instanceof Outcome.Ok<MultiResult> ok) {
                List<Integer> versions = new ArrayList<>(ok.value().versions());
                versions.add(0, ABSENT);
                int conflict = ok.value().applied()
                        ? ok.value().conflict()
                        : ok.value().conflict() + 1;
                completion.done(Outcome.ok(
                        new MultiResult(ok.value().applied(), ok.value().applied() ? versions : List.of(), conflict)));
            } else {
                completion.done(outcome);
            }
        });
    }
}
