package io.uniserve.benchmark.placement;

import io.uniserve.placement.generate.InstanceParameters;
import java.util.Locale;

/**
 * One line of the bench's table.
 *
 * @param unequalWeights true for servers with weights 1, 2 and 3, repeated
 */
record BenchCase(String policy, InstanceParameters shape, boolean unequalWeights) {
    String name() {
        return shape.actors() + " " + shape.mix().name().toLowerCase(Locale.ROOT) + " "
                + shape.change().name().toLowerCase(Locale.ROOT) + (shape.rf() > 1 ? " rf" + shape.rf() : "")
                + (unequalWeights ? " unequal" : "") + (policy.equals("parallelism") ? "" : " " + policy);
    }
}
