package io.uniserve.sql;

import io.uniserve.api.plan.PlanContext;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What is told of a step of an explained plan. */
final class StepLine {
    /** Servers that are named; of more their number says enough. */
    private static final int NAMED_MAX = 8;

    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private StepLine() {}

    /**
     * A line.
     *
     * @param taken what its reads took
     * @param nanos since the step before
     */
    static String of(String what, PlanContext.Taken taken, long nanos) {
        String read = taken.servers().isEmpty()
                ? ""
                : String.format(Locale.ROOT, "; %,d bytes read of %s", taken.bytes(), servers(taken.servers()));
        return String.format(Locale.ROOT, "%s%s; %.1f ms", what, read, nanos / 1e6);
    }

    /** How many, and which: {@code 2 servers (3f2a9c41, b07d11e8)}. */
    static String servers(Collection<String> servers) {
        String names = servers.stream().limit(NAMED_MAX).map(StepLine::brief).collect(Collectors.joining(", "));
        int more = servers.size() - NAMED_MAX;
        return servers.size()
                + (servers.size() == 1 ? " server (" : " servers (")
                + names
                + (more > 0 ? " and " + more + " more)" : ")");
    }

    /** As {@code uniserve status} has them: of a UUID the first eight characters. */
    static String brief(String server) {
        return UUID.matcher(server).matches() ? server.substring(0, 8) : server;
    }
}
