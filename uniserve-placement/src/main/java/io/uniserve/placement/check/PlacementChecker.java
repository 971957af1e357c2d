package io.uniserve.placement.check;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ShardSet;

/**
 * Independent checker of placements. It shares only the problem and the placement with the policies, so that it reveals errors in a
 * policy's bookkeeping.
 */
public final class PlacementChecker {
    private PlacementChecker() {}

    /** Returns the properties of a placement that replaces {@code in.current()}; its servers must exist. */
    public static PlacementProperties check(ClusterLoad in, Assignment after) {
        double[] load = new double[in.servers()];
        double[] memory = new double[in.servers()];
        double shareError = 0;
        int lacking = 0;
        double hottest = 0;
        double total = 0;
        double strength = 0;
        for (int j = 0; j < in.servers(); j++) {
            strength += in.weight(j);
        }
        for (int i = 0; i < in.actors(); i++) {
            double sum = 0;
            for (int p = 0; p < after.replicas(i); p++) {
                double share = after.share(i, p);
                load[after.server(i, p)] += share * in.load(i);
                memory[after.server(i, p)] += in.memory(i);
                sum += share;
                shareError = share >= 0 ? shareError : Double.POSITIVE_INFINITY;
            }
            shareError = Math.max(shareError, Math.abs(sum - 1));
            lacking += after.replicas(i) < in.rf() ? 1 : 0;
            hottest = Math.max(hottest, in.load(i));
            total += in.load(i);
        }
        double mean = total > 0 ? total / strength : 1;
        double largest = 0;
        double least = in.servers() == 0 ? 0 : Double.POSITIVE_INFINITY;
        double outside = 0;
        int overfull = 0;
        for (int j = 0; j < in.servers(); j++) {
            double due = (total > 0 ? mean : 0) * in.weight(j);
            largest = Math.max(largest, load[j] / (mean * in.weight(j)));
            least = Math.min(least, load[j] / (mean * in.weight(j)));
            outside += Math.max(0, load[j] - due * (1 + in.eps())) + Math.max(0, due * (1 - in.eps()) - load[j]);
            overfull += memory[j] > in.capacity(j) * (1 + 1e-9) ? 1 : 0;
        }
        return new PlacementProperties(
                largest,
                least,
                hottest / mean,
                outside / mean,
                overfull,
                lacking,
                shareError,
                contention(in, after),
                bound(in, mean, total),
                adds(in.current(), after),
                adds(after, in.current()),
                after.replicas());
    }

    private static double contention(ClusterLoad in, Assignment after) {
        int[] count = new int[in.servers()];
        double sum = 0;
        for (ShardSet set : in.sets()) {
            int most = 0;
            for (int actor : set.actors()) {
                for (int p = 0; p < after.replicas(actor); p++) {
                    most = Math.max(most, ++count[after.server(actor, p)]);
                }
            }
            for (int actor : set.actors()) {
                for (int p = 0; p < after.replicas(actor); p++) {
                    count[after.server(actor, p)] = 0;
                }
            }
            sum += set.frequency() * most;
        }
        return sum;
    }

    private static double bound(ClusterLoad in, double mean, double total) {
        double highest = 0;
        for (int j = 0; j < in.servers(); j++) {
            highest = Math.max(highest, mean * in.weight(j) * (1 + in.eps()));
        }
        double sum = 0;
        for (ShardSet set : in.sets()) {
            double replicas = 0;
            for (int actor : set.actors()) {
                double least = total > 0 && highest > 0 ? Math.ceil(in.load(actor) / highest - 1e-9) : 0;
                replicas += Math.max(in.rf(), least);
            }
            if (set.actors().length > 0 && in.servers() > 0) {
                sum += set.frequency() * Math.max(1, Math.ceil(replicas / in.servers()));
            }
        }
        return sum;
    }

    private static int adds(Assignment before, Assignment after) {
        int n = 0;
        for (int i = 0; i < after.actors(); i++) {
            for (int p = 0; p < after.replicas(i); p++) {
                n += before.isOn(i, after.server(i, p)) ? 0 : 1;
            }
        }
        return n;
    }
}
