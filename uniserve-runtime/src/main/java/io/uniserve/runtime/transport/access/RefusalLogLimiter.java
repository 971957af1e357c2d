package io.uniserve.runtime.transport.access;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.runtime.audit.AuditEvent;
import io.uniserve.runtime.audit.AuditEvent.Kind;
import io.uniserve.runtime.audit.AuditEvent.Outcome;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limit of the refusals in the audit log: per caller and minute the first ones are written, and the number of the others. So a caller cannot
 * fill the disk, or push out older lines. Callers beyond a number share one limit. Thread-safe.
 */
final class RefusalLogLimiter {
    /** Action of the line with the number of refusals that were not written. */
    static final String SUPPRESSED = "RefusalsSuppressed";

    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final String OTHERS = "";

    private final Clock clock;
    /** Windows by caller, the oldest first. Guarded by this. */
    private final Map<String, Window> windows = new LinkedHashMap<>();

    /** Decision on the line of a refusal. */
    enum RefusalDecision {
        WRITE,
        /** The first one of its window that is not written: the line with the number is due after a minute. */
        SUPPRESS_FIRST,
        SUPPRESS
    }

    private static final class Window {
        private final long startNanos;
        private final String principal;
        private final String address;
        private int written;
        private long suppressed;

        private Window(long startNanos, String principal, String address) {
            this.startNanos = startNanos;
            this.principal = principal;
            this.address = address;
        }
    }

    RefusalLogLimiter(Clock clock) {
        this.clock = clock;
    }

    /**
     * Counts a refusal.
     *
     * @param principal name of the caller; empty for one that is known by its address only
     * @param address its network address with the TCP port
     */
    synchronized RefusalDecision count(String principal, String address) {
        String host = host(address);
        String caller = principal.isEmpty() ? "address " + host : principal;
        boolean own = windows.containsKey(caller) || windows.size() < Limits.AUDIT_REFUSED_CALLERS_MAX;
        Window window = windows.computeIfAbsent(
                own ? caller : OTHERS, one -> new Window(clock.nanos(), own ? principal : "", own ? host : "several"));
        if (window.written < Limits.AUDIT_REFUSALS_PER_MINUTE_MAX) {
            window.written++;
            return RefusalDecision.WRITE;
        }
        window.suppressed++;
        return window.suppressed == 1 ? RefusalDecision.SUPPRESS_FIRST : RefusalDecision.SUPPRESS;
    }

    /** Removes windows that have ended, or all. Returns a line for each with refusals that were not written. */
    synchronized List<AuditEvent> takeEnded(boolean all) {
        List<AuditEvent> lines = new ArrayList<>();
        long now = clock.nanos();
        Iterator<Window> oldest = windows.values().iterator();
        while (oldest.hasNext()) {
            Window window = oldest.next();
            if (!all && now - window.startNanos < MINUTE_NANOS) {
                break;
            }
            oldest.remove();
            if (window.suppressed > 0) {
                lines.add(new AuditEvent(
                        Kind.REFUSAL,
                        window.principal,
                        window.address,
                        SUPPRESSED,
                        "",
                        Outcome.REFUSED,
                        window.suppressed + " further refusals within a minute"));
            }
        }
        return lines;
    }

    /** The address without its TCP port. */
    private static String host(String address) {
        int colon = address.lastIndexOf(':');
        return colon < 0 ? address : address.substring(0, colon);
    }
}
