package io.uniserve.testkit.seed;

import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Source of seeds, and the replay of a failed one. */
final class SeedSource {
    private static final String PROPERTY = "uniserve.seed";

    private SeedSource() {}

    /** The seed given on the command line. */
    static OptionalLong replaySeed(ExtensionContext context) {
        String text = context.getConfigurationParameter(PROPERTY).orElse("").strip();
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(PROPERTY + " must be a whole number, but is '" + text + "'", e);
        }
    }

    /** Seed derived from the test's name only: FNV-1a over class and method, without the sign. */
    static long seedOfName(ExtensionContext context) {
        String name = context.getRequiredTestClass().getName() + "#"
                + context.getRequiredTestMethod().getName();
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        return hash & 0xffff_ffffL;
    }

    /** Adds the seed, and the command that replays it, to a failure. */
    static void explain(Throwable failure, ExtensionContext context, long seed) {
        String test = context.getRequiredTestClass().getSimpleName() + "#"
                + context.getRequiredTestMethod().getName();
        failure.addSuppressed(new FailedSeed("seed " + seed + "; replay: ./mvnw" + module() + " -am -Dtest=" + test
                + " -Dsurefire.failIfNoSpecifiedTests=false -D" + PROPERTY + "=" + seed + " test"));
    }

    private static String module() {
        String root = System.getProperty("uniserve.root", "");
        if (root.isEmpty()) {
            return "";
        }
        Path module = Path.of(root).relativize(Path.of("").toAbsolutePath());
        return module.toString().isEmpty() ? "" : " -pl " + module;
    }

    /** Carrier of the seed in the stack trace of a failed test, which every report shows. */
    private static final class FailedSeed extends RuntimeException {
        FailedSeed(String message) {
            super(message, null, false, false);
        }

        @Override
        public String toString() {
            return getMessage() == null ? "" : getMessage();
        }
    }
}
