package io.uniserve.testkit.seed;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/** Provider of the runs of a {@link SeededTest}, one per seed. */
final class SeedRunProvider implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return context.getRequiredTestMethod().isAnnotationPresent(SeededTest.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        int count =
                context.getRequiredTestMethod().getAnnotation(SeededTest.class).seeds();
        if (count < 1) {
            throw new IllegalArgumentException("@SeededTest(seeds = " + count + "): at least 1 is needed");
        }
        OptionalLong replayed = SeedSource.replaySeed(context);
        long first = SeedSource.seedOfName(context);
        LongStream seeds =
                replayed.isPresent() ? LongStream.of(replayed.getAsLong()) : LongStream.range(first, first + count);
        return seeds.mapToObj(Run::new);
    }

    private record Run(long seed) implements TestTemplateInvocationContext {
        @Override
        public String getDisplayName(int invocationIndex) {
            return "seed " + seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new SeedExtension(context -> seed));
        }
    }
}
