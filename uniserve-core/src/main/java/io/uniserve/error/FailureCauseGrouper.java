package io.uniserve.error;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Failed attempts grouped by cause. Messages that differ only in numbers, such as ports and times, count as one cause. At most 8 causes are
 * shown, each with its first message and at most 4 servers or replicas.
 */
public final class FailureCauseGrouper {
    private static final int CAUSES_MAX = 8;
    private static final int PLACES_MAX = 4;
    private static final Pattern NUMBER = Pattern.compile("[0-9a-f]*[0-9][0-9a-f]*");

    private FailureCauseGrouper() {}

    private static final class Cause {
        private final String told;
        private final Set<String> places = new LinkedHashSet<>();
        private int times;

        private Cause(Attempt first) {
            told = first.code() + " " + PrintableText.line(first.message());
        }

        @Override
        public String toString() {
            List<String> shown = new ArrayList<>(
                    places.stream().limit(PLACES_MAX).map(PrintableText::line).toList());
            if (places.size() > PLACES_MAX) {
                shown.add((places.size() - PLACES_MAX) + " more");
            }
            return told + ": " + String.join(", ", shown) + (times == 1 ? "" : " (" + times + " times)");
        }
    }

    /** One line per cause, in the order of first occurrence: {@code CODE message: server, server, 2 more (9 times)}. */
    public static List<String> of(List<Attempt> attempts) {
        Map<String, Cause> causes = new LinkedHashMap<>();
        for (Attempt attempt : attempts) {
            String key = attempt.code() + " "
                    + NUMBER.matcher(PrintableText.line(attempt.message())).replaceAll("#");
            Cause cause = causes.computeIfAbsent(key, unused -> new Cause(attempt));
            cause.places.add(attempt.where());
            cause.times++;
        }
        List<String> lines = new ArrayList<>(
                causes.values().stream().limit(CAUSES_MAX).map(Cause::toString).toList());
        if (causes.size() > CAUSES_MAX) {
            lines.add((causes.size() - CAUSES_MAX) + " more causes");
        }
        return lines;
    }
}
