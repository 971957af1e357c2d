package io.uniserve.placement.timeorder;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Selection of the server with least cost; the first one of equals. */
final class LeastCostSelector {
    private LeastCostSelector() {}

    static int indexOfLeastCost(
            List<List<ServerSelector.Chunk>> servers, ToDoubleFunction<List<ServerSelector.Chunk>> cost) {
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int j = 0; j < servers.size(); j++) {
            double value = cost.applyAsDouble(servers.get(j));
            if (value < least) {
                least = value;
                best = j;
            }
        }
        return best;
    }
}
