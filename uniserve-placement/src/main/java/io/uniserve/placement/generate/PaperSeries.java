package io.uniserve.placement.generate;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.text.PlacementInstance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Series of problems from the papers on scaling: one server per ten actors, 16 slots, loads {@code 1e6 / (i + 1)^z} with z drawn from 0.25
 * to 0.75 each round. The shard sets are 1,000 constant ranges of 2 to 8 actors.
 */
public final class PaperSeries {
    /** Tolerance of the servers' load. */
    public static final double EPS = 0.1;

    private static final int SLOTS = 16;
    private static final int SETS = 1_000;

    private PaperSeries() {}

    /** Returns the problem of this seed. */
    public static PlacementInstance make(int actors, int rounds, long seed) {
        InstanceParameters instanceParameters = new InstanceParameters(
                actors, SETS, 1, InstanceParameters.Change.DRIFT, InstanceParameters.Mix.RANGE, 1);
        PlacementInstance first = InstanceGenerator.make(instanceParameters, seed);
        List<ShardSet> sets = first.rounds().get(0).sets();
        SplittableRandom random = new SplittableRandom(seed);
        List<PlacementInstance.Round> all = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            double z = 0.25 + 0.5 * random.nextDouble();
            double[] loads = new double[actors];
            Arrays.setAll(loads, i -> 1e6 / Math.pow(i + 1, z));
            all.add(new PlacementInstance.Round(loads, sets));
        }
        Assignment initial = first.initial();
        return new PlacementInstance(first.servers(), SLOTS, 1, initial, all);
    }
}
