package io.uniserve.testkit.seed;

import java.util.Random;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/** JUnit extension that passes the seed to a test and adds it to the test's failure. */
final class SeedExtension implements ParameterResolver, TestExecutionExceptionHandler {
    private final ToLongFunction<ExtensionContext> seeds;

    SeedExtension() {
        this(context -> SeedSource.replaySeed(context).orElseGet(() -> SeedSource.seedOfName(context)));
    }

    SeedExtension(ToLongFunction<ExtensionContext> seeds) {
        this.seeds = seeds;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.isAnnotated(Seed.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        long seed = seeds.applyAsLong(context);
        Class<?> type = parameter.getParameter().getType();
        if (type == long.class) {
            return seed;
        }
        if (type == Random.class) {
            return new Random(seed);
        }
        throw new ParameterResolutionException("@Seed is for a long or a java.util.Random, not for " + type.getName());
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        SeedSource.explain(failure, context, seeds.applyAsLong(context));
        throw failure;
    }
}
