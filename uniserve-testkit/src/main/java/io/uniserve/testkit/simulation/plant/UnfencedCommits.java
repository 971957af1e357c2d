package io.uniserve.testkit.simulation.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import io.uniserve.testkit.simulation.kernel.Prng;
import java.util.ArrayList;
import java.util.List;

/** {@link Plant#COMMIT_UNFENCED}: a server's registry that writes a table's log without the check of its map, and some late. */
public record UnfencedCommits(Registry registry, Timers timers, Prng random) implements Registry {
    private static final int ONE_IN = 4;
    private static final long LATE_NANOS = 6_000_000_000L;

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        boolean commit = ops.size() == 2
                && ops.get(0) instanceof Op.Check
                && ops.get(1).path().endsWith("/log");
        if (!commit) {
            registry.multi(ops, completion);
            return;
        }
        long late = random.below(ONE_IN) == 0 ? random.below(LATE_NANOS) : 0;
        timers.after(late, () -> unfenced(ops, completion));
    }

    private void unfenced(List<Op> ops, Completion<MultiResult> completion) {
        registry.multi(ops.subList(1, 2), outcome -> {
            if (outcome instanceof Outcome.Ok<MultiResult> ok) {
                List<Integer> versions = new ArrayList<>(ok.value().versions());
                versions.add(0, ABSENT);
                int conflict = ok.value().applied() ? ok.value().conflict() : 1;
                completion.done(Outcome.ok(
                        new MultiResult(ok.value().applied(), ok.value().applied() ? versions : List.of(), conflict)));
            } else {
                completion.done(outcome);
            }
        });
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        registry.read(path, completion);
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        registry.children(path, completion);
    }

    @Override
    public void sync(Completion<Done> completion) {
        registry.sync(completion);
    }

    @Override
    public void watch(String path, Runnable changed) {
        registry.watch(path, changed);
    }

    @Override
    public void onSession(SessionListener listener) {
        registry.onSession(listener);
    }
}
