package io.uniserve.cli.place;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.text.PlacementInstance;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the properties of servers and the goals of a placement, which are not in the problem's file. */
final class ClusterOptions {
    private static final double WEIGHT_MIN = 1e-9;
    private static final double WEIGHT_MAX = 1e9;

    @Option(
            names = "--eps",
            paramLabel = "E",
            description =
                    "Tolerance of a server's load, relative to its share (default: 0.05, of a running cluster 0.2).")
    double eps = 0.05;

    @Option(names = "--rf", paramLabel = "R", description = "Minimum replicas per actor (default: the instance's).")
    private @Nullable Integer rf;

    @Option(
            names = "--weights",
            split = ",",
            paramLabel = "W",
            description = "Weights of the servers, repeated; memory in proportion (default: all" + " alike).")
    private List<Double> weights = List.of();

    @Option(
            names = "--zones",
            split = ",",
            paramLabel = "Z",
            description = "Failure domains of the servers, repeated (default: one per server).")
    private List<Integer> zones = List.of();

    /** Returns the usage error of these options; null if there is none. */
    @Nullable
    String usageProblem() {
        if (!(eps >= 0 && eps < 1)) {
            return "--eps is " + eps + ": use 0 to less than 1";
        }
        if (rf != null && rf < 1) {
            return "--rf is " + rf + ": use 1 or more";
        }
        for (double weight : weights) {
            if (!(weight >= WEIGHT_MIN && weight <= WEIGHT_MAX)) {
                return "--weights has " + weight + ": use " + WEIGHT_MIN + " to " + WEIGHT_MAX;
            }
        }
        return null;
    }

    /** Returns the problem of a round that starts from this placement. */
    ClusterLoad at(PlacementInstance instance, int round, Assignment current) {
        ClusterLoad in = instance.at(round, current, eps, rf == null ? instance.rf() : rf);
        if (!weights.isEmpty()) {
            double[] strength = new double[in.servers()];
            double[] capacity = new double[in.servers()];
            for (int j = 0; j < strength.length; j++) {
                strength[j] = weights.get(j % weights.size());
                capacity[j] = Math.max(1, Math.floor(in.capacity(j) * strength[j]));
            }
            in = in.toBuilder().weights(strength).capacity(capacity).build();
        }
        if (!zones.isEmpty()) {
            int[] domains = new int[in.servers()];
            for (int j = 0; j < domains.length; j++) {
                domains[j] = zones.get(j % zones.size());
            }
            in = in.toBuilder().zones(domains).build();
        }
        return in;
    }
}
