package io.uniserve.placement.generate;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.text.PlacementInstance;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Generator of placement problems: loads by Zipf's law in a random order of the actors, shard sets whose frequencies also follow that law,
 * and a first placement of neighbours on the same server. The same seed gives the same problem.
 */
public final class InstanceGenerator {
    private static final int SLOTS = 16;
    private static final int ACTORS_A_SERVER = 10;
    private static final double NOISE = 0.1;
    private static final double NOISE_KEPT = 0.7;

    private final InstanceParameters instanceParameters;
    private final SplittableRandom random;
    private final int actors;
    private final int servers;
    private int[] rank;
    private final double[] noise;
    private List<int[]> sets = new ArrayList<>();

    private InstanceGenerator(InstanceParameters instanceParameters, long seed) {
        this.instanceParameters = instanceParameters;
        random = new SplittableRandom(seed * 1_000_003 + instanceParameters.actors());
        actors = instanceParameters.actors();
        servers = (actors + ACTORS_A_SERVER - 1) / ACTORS_A_SERVER;
        rank = permutation(actors);
        noise = new double[actors];
        fill();
    }

    /** Returns the problem of this seed. */
    public static PlacementInstance make(InstanceParameters instanceParameters, long seed) {
        return new InstanceGenerator(instanceParameters, seed).make();
    }

    private PlacementInstance make() {
        int[] initial = new int[actors];
        Arrays.setAll(initial, i -> (int) ((long) i * servers / actors));
        List<PlacementInstance.Round> rounds = new ArrayList<>();
        for (int round = 0; round < instanceParameters.rounds(); round++) {
            if (round > 0) {
                changeRound();
            }
            rounds.add(new PlacementInstance.Round(loads(), frequencies()));
        }
        return new PlacementInstance(
                servers, SLOTS * instanceParameters.rf(), instanceParameters.rf(), Assignment.single(initial), rounds);
    }

    private void changeRound() {
        if (instanceParameters.change() == InstanceParameters.Change.RESAMPLE) {
            rank = permutation(actors);
            sets = new ArrayList<>();
        } else {
            int[] some = Arrays.copyOf(permutation(actors), Math.max(2, actors / 10));
            int[] order = permutation(some.length);
            int[] before = rank.clone();
            for (int q = 0; q < some.length; q++) {
                rank[some[q]] = before[some[order[q]]];
            }
            for (int i = 0; i < actors; i++) {
                noise[i] = NOISE_KEPT * noise[i] + NOISE * gaussian();
            }
            List<int[]> kept = new ArrayList<>();
            for (int[] set : sets) {
                if (random.nextDouble() >= 0.1) {
                    kept.add(set);
                }
            }
            sets = kept;
        }
        fill();
    }

    private double[] loads() {
        double[] loads = new double[actors];
        double sum = 0;
        for (int i = 0; i < actors; i++) {
            loads[i] = Math.exp(noise[i]) / (1 + rank[i]);
            sum += loads[i];
        }
        for (int i = 0; i < actors; i++) {
            loads[i] *= servers / sum;
        }
        return loads;
    }

    private List<ShardSet> frequencies() {
        int[] order = permutation(sets.size());
        double sum = 0;
        for (int s = 0; s < sets.size(); s++) {
            sum += 1.0 / (1 + s);
        }
        List<ShardSet> result = new ArrayList<>();
        for (int s = 0; s < sets.size(); s++) {
            result.add(new ShardSet(1.0 / (1 + order[s]) / sum, sets.get(s)));
        }
        return result;
    }

    private void fill() {
        TreeSet<String> seen = new TreeSet<>();
        sets.forEach(set -> seen.add(Arrays.toString(set)));
        for (int tries = 0;
                sets.size() < instanceParameters.sets() && tries < 60 * instanceParameters.sets();
                tries++) {
            int[] set = draw();
            if (seen.add(Arrays.toString(set))) {
                sets.add(set);
            }
        }
    }

    private int[] draw() {
        double kind = instanceParameters.mix() == InstanceParameters.Mix.RANGE ? 0 : random.nextDouble();
        if (kind < 0.80) {
            return range(Math.min(actors, random.nextInt(2, 9)));
        }
        if (kind < 0.95) {
            int[] some = Arrays.copyOf(permutation(actors), Math.min(actors, random.nextInt(2, 9)));
            Arrays.sort(some);
            return some;
        }
        int most = Math.max(9, Math.min(64, actors / 2));
        return range(Math.min(actors, random.nextInt(Math.min(16, most - 1), most)));
    }

    private int[] range(int size) {
        int first = random.nextInt(actors - size + 1);
        int[] set = new int[size];
        Arrays.setAll(set, q -> first + q);
        return set;
    }

    private int[] permutation(int n) {
        int[] p = new int[n];
        for (int i = 0; i < n; i++) {
            int j = random.nextInt(i + 1);
            p[i] = p[j];
            p[j] = i;
        }
        return p;
    }

    private double gaussian() {
        double u = 1 - random.nextDouble();
        return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
