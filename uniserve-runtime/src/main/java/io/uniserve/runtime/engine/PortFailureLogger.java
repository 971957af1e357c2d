package io.uniserve.runtime.engine;

import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.time.SystemClock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of exceptions of ports, with stack traces. Failures of one kind, by class and place, are logged once per minute; the next line
 * has the number of omitted ones. Thread-safe.
 */
public final class PortFailureLogger {
    /** Log of this process. */
    public static final PortFailureLogger INSTANCE = new PortFailureLogger(SystemClock.INSTANCE);

    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);
    static final int KINDS_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(PortFailureLogger.class);
    private static final int CAUSES_MAX = 16;
    /** First number of the error codes that blame Uniserve or the port, not a user. */
    private static final int INTERNAL_RANGE = 4_000;

    private final Clock clock;
    /** Recent kinds of failures, oldest first. */
    private final Map<String, Kind> kinds = new LinkedHashMap<>(16, 0.75f, true);

    PortFailureLogger(Clock clock) {
        this.clock = clock;
    }

    private static final class Kind {
        private long loggedNanos;
        private long omitted;
    }

    /**
     * Logs a failure of a port. Ignores errors that a user has caused or that other servers have reported.
     *
     * @param what the failed call, such as {@code port kv: operator kv.get@1}
     */
    public void log(String what, Throwable failure) {
        if (!isPortFailure(failure)) {
            return;
        }
        long leftOut = omittedSinceLastLine(failure);
        if (leftOut > 0) {
            LOG.warn("{} failed; {} more failures of this kind since the last such line", what, leftOut, failure);
        } else if (leftOut == 0) {
            LOG.warn("{} failed", what, failure);
        } else {
            LOG.debug("{} failed: {}", what, classAndMessage(failure));
        }
    }

    /** Class and message on one line. */
    public static String classAndMessage(Throwable failure) {
        String message = failure.getMessage();
        String name = failure.getClass().getName();
        return message == null ? name : name + ": " + PrintableText.line(message);
    }

    private static boolean isPortFailure(Throwable failure) {
        return !(failure instanceof UniserveException known)
                || known.code().number() >= INTERNAL_RANGE && known.tried().isEmpty();
    }

    /** Number of omitted failures of this kind since the last line; -1 if this one is omitted too. */
    private synchronized long omittedSinceLastLine(Throwable failure) {
        long now = clock.nanos();
        String name = kind(failure);
        Kind kind = kinds.get(name);
        if (kind != null && now - kind.loggedNanos < PERIOD_NANOS) {
            kind.omitted++;
            return -1;
        }
        long leftOut = kind == null ? 0 : kind.omitted;
        Kind next = new Kind();
        next.loggedNanos = now;
        kinds.put(name, next);
        if (kinds.size() > KINDS_MAX) {
            kinds.remove(kinds.keySet().iterator().next());
        }
        return leftOut;
    }

    /** Class and place of the root cause: exceptions that wrap it are of the same kind. */
    private static String kind(Throwable failure) {
        Throwable first = failure;
        for (int depth = 0; depth < CAUSES_MAX && first.getCause() != null; depth++) {
            first = first.getCause();
        }
        StackTraceElement[] places = first.getStackTrace();
        return first.getClass().getName() + (places.length == 0 ? "" : " at " + places[0]);
    }
}
