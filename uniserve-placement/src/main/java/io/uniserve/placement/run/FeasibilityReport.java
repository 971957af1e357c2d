package io.uniserve.placement.run;

import io.uniserve.placement.model.ClusterLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Feasibility check of a problem before a policy runs.
 *
 * @param impossible reasons why no placement exists; empty if one may
 * @param reduced reasons why the placement has less than requested
 * @param rf possible number of replicas
 */
record FeasibilityReport(List<String> impossible, List<String> reduced, int rf) {
    /** Maximum number of actors in reasons. */
    private static final int ACTORS_LISTED_MAX = 3;

    static FeasibilityReport of(ClusterLoad in) {
        List<String> impossible = new ArrayList<>();
        List<String> reduced = new ArrayList<>();
        if (in.actors() == 0) {
            return new FeasibilityReport(impossible, reduced, 1);
        }
        if (in.servers() == 0) {
            impossible.add("there are no servers: add one");
            return new FeasibilityReport(impossible, reduced, in.rf());
        }
        double room = 0;
        double widest = 0;
        for (int j = 0; j < in.servers(); j++) {
            room += in.capacity(j);
            widest = Math.max(widest, in.capacity(j));
        }
        double once = 0;
        int large = 0;
        for (int i = 0; i < in.actors(); i++) {
            once += in.memory(i);
            if (in.memory(i) > widest && ++large <= ACTORS_LISTED_MAX) {
                impossible.add(
                        text("actor %d needs %.6g memory, no server has more than %.6g", i, in.memory(i), widest));
            }
        }
        if (large > ACTORS_LISTED_MAX) {
            impossible.add("the same for " + (large - ACTORS_LISTED_MAX) + " more actors");
        }
        if (once > room) {
            impossible.add(text("one replica of each actor needs %.6g memory, the servers have %.6g", once, room));
        }
        int rf = in.rf();
        if (rf > in.servers()) {
            reduced.add("rf is " + rf + ", but there are only " + in.servers() + " servers");
            rf = in.servers();
        }
        if (once * rf > room) {
            reduced.add(text("%d replicas of each actor need %.6g memory, the servers have %.6g", rf, once * rf, room));
            rf = (int) Math.max(1, Math.floor(room / once));
        }
        return new FeasibilityReport(impossible, reduced, rf);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
