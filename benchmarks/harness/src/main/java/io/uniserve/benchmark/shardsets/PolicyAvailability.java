package io.uniserve.benchmark.shardsets;

import io.uniserve.cli.command.SolverJarLoader;
import io.uniserve.placement.catalog.PolicyCatalog;

/** Check that a policy can be created in this installation. */
final class PolicyAvailability {
    private PolicyAvailability() {}

    /** Fails with the reason: UNSUPPORTED without the solver of {@code milp}, INVALID_ARGUMENT for an unknown policy. */
    static void check(String policy) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try {
            SolverJarLoader.addToClassLoader();
            PolicyCatalog.byName(policy);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
