package io.uniserve.sql;

import io.uniserve.api.plan.PlanContext;
import java.util.Locale;

/** What is told of a step of an explained plan. */
final class StepLine {
    private StepLine() {}

    /**
     * A line.
     *
     * @param taken what its reads took
     * @param nanos since the step before
     */
    static String of(String what, PlanContext.Taken taken, long nanos) {
        int servers = taken.servers().size();
        String read = servers == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; %,d bytes read of %s",
                        taken.bytes(),
                        servers == 1 ? "1 server" : servers + " servers");
        return String.format(Locale.ROOT, "%s%s; %.1f ms", what, read, nanos / 1e6);
    }
}
