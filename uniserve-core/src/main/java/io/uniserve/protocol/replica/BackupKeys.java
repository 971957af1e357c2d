package io.uniserve.protocol.replica;

import io.uniserve.model.ReplicaKey;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names of an actor's objects in durable storage. */
final class BackupKeys {
    private static final Pattern NAME = Pattern.compile("(\\d{20})-(\\d{20})-(\\d{20})");

    private BackupKeys() {}

    /** A run of log entries, shipped by the primary of this epoch. */
    record Run(String key, long first, long last, long epoch) {}

    static String logPrefix(String clusterId, ReplicaKey key) {
        return "backup/" + clusterId + "/" + key.tableId() + "/" + key.actor() + "/log/";
    }

    static String log(String clusterId, ReplicaKey key, long first, long last, long epoch) {
        return logPrefix(clusterId, key) + "%020d-%020d-%020d".formatted(first, last, epoch);
    }

    /**
     * Objects that together hold the log from its beginning, as far as it goes. At each index the latest primary's word
     * counts, and after an object none of an earlier primary's follows: what a deposed primary shipped late is left out.
     */
    static List<Run> chain(List<String> keys, String prefix) {
        List<Run> runs = new ArrayList<>();
        for (String key : keys) {
            Matcher name = NAME.matcher(key.substring(prefix.length()));
            if (name.matches()) {
                runs.add(new Run(
                        key,
                        Long.parseLong(name.group(1)),
                        Long.parseLong(name.group(2)),
                        Long.parseLong(name.group(3))));
            }
        }
        List<Run> chain = new ArrayList<>();
        long next = 1;
        long epoch = 0;
        for (Run best = best(runs, next, epoch); best != null; best = best(runs, next, epoch)) {
            chain.add(best);
            next = best.last() + 1;
            epoch = best.epoch();
        }
        return chain;
    }

    private static @org.jspecify.annotations.Nullable Run best(List<Run> runs, long next, long epochMin) {
        Run best = null;
        for (Run run : runs) {
            boolean fits = run.first() <= next && run.last() >= next && run.epoch() >= epochMin;
            if (fits
                    && (best == null
                            || run.epoch() > best.epoch()
                            || run.epoch() == best.epoch() && run.last() > best.last())) {
                best = run;
            }
        }
        return best;
    }
}
