package io.uniserve.port.druid.suite;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * Outcome of one of Druid's tests. Immutable.
 *
 * @param suite simple name of Druid's test class
 * @param test the test's method, with its parameters
 * @param reason message of the refusal, of the difference, or of the assumption; empty for a pass
 */
record SuiteOutcome(String suite, String test, Kind kind, String reason) implements Comparable<SuiteOutcome> {
    /** What became of the test. */
    enum Kind {
        /** Expected results, expected native queries, or the expected error. */
        PASSED,
        /** The port refused the query with UNSUPPORTED. */
        REFUSED,
        /** Druid itself skips the test. */
        SKIPPED,
        /** The test fails and is about objects inside one process of Druid, see {@link InternalTests}. */
        INTERNAL,
        /** Everything else: other rows, other plans, other errors. */
        WRONG
    }

    private static final int REASON_CHARS_MAX = 160;

    /** Classifies a test's failure. */
    static SuiteOutcome failed(String suite, String test, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UniserveException known && known.code() == ErrorCode.UNSUPPORTED) {
                return new SuiteOutcome(
                        suite, test, Kind.REFUSED, line(known.getMessage().replaceFirst(" \\[tried: .*", "")));
            }
        }
        Optional<String> internal = InternalTests.reason(suite, test);
        if (internal.isPresent()) {
            return new SuiteOutcome(suite, test, Kind.INTERNAL, internal.get());
        }
        if (refusedIn(failure)) {
            return new SuiteOutcome(suite, test, Kind.REFUSED, "an error is expected, and UNSUPPORTED comes first");
        }
        Kind kind = failure instanceof TestAbortedException ? Kind.SKIPPED : Kind.WRONG;
        return new SuiteOutcome(
                suite, test, kind, line(failure.getClass().getSimpleName() + ": " + failure.getMessage()));
    }

    /** Whether the test expects another error than the refusal. Its assertion has no cause, only the message. */
    private static boolean refusedIn(Throwable failure) {
        return failure instanceof AssertionError
                && String.valueOf(failure.getMessage()).contains("UNSUPPORTED: ");
    }

    private static String line(String message) {
        String line = message.replaceAll("\\s+", " ").replace('|', '/').strip();
        return line.length() > REASON_CHARS_MAX ? line.substring(0, REASON_CHARS_MAX) + "..." : line;
    }

    @Override
    public int compareTo(SuiteOutcome other) {
        int bySuite = suite.compareTo(other.suite);
        return bySuite == 0 ? test.compareTo(other.test) : bySuite;
    }
}
