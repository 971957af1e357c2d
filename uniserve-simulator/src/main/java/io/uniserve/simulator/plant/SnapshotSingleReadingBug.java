package io.uniserve.simulator.plant;

import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Timers;
import io.uniserve.simulator.kernel.Prng;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@link Plant#CUT_ONE_LOOK}: registry of a server that breaks the second reading of logs and maps in a snapshot. After a check of the
 * coordinators' term it repeats the values of the first reading. Each read of the first reading is delayed by a random time.
 */
public final class SnapshotSingleReadingBug extends ForwardingRegistry {
    private static final long SLOW_NANOS = 40_000_000;
    private static final long LOOKS_NANOS = 300_000_000;

    private final Timers timers;
    private final Prng random;
    private final Map<String, Versioned> found = new TreeMap<>();
    private int checks;
    private boolean readingCut;

    public SnapshotSingleReadingBug(Registry registry, Timers timers, Prng random) {
        super(registry);
        this.timers = timers;
        this.random = random;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        boolean cut = ops.size() == 1
                && ops.get(0) instanceof Op.Check
                && ops.get(0).path().equals(RegistryPaths.TERM);
        registry.multi(ops, outcome -> {
            if (cut) {
                int check = ++checks;
                found.clear();
                readingCut = true;
                timers.after(LOOKS_NANOS, () -> readingCut = readingCut && check != checks);
            }
            completion.done(outcome);
        });
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        if (!readingCut || !(RegistryPaths.isLog(path) || path.endsWith("/map"))) {
            registry.read(path, completion);
            return;
        }
        Versioned known = found.remove(path);
        if (known != null) {
            timers.after(1, () -> completion.done(Outcome.ok(known)));
            return;
        }
        timers.after(
                random.below(SLOW_NANOS),
                () -> registry.read(path, outcome -> {
                    if (outcome instanceof Outcome.Ok<Versioned> ok) {
                        found.put(path, ok.value());
                    }
                    completion.done(outcome);
                }));
    }
}
