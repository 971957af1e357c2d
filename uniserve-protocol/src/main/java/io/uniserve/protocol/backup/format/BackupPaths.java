package io.uniserve.protocol.backup.format;

import io.uniserve.model.ReplicaKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of an actor's objects in durable storage: log runs under {@code log/}, checkpoints under {@code checkpoint/}. Every upload has its
 * own generation, {@code <epoch>-<random>}, so no key is used twice. A late deletion therefore cannot affect a later upload.
 */
public final class BackupPaths {
    private static final Pattern RUN = Pattern.compile("(\\d{20})-(\\d{20})-(\\d{20})");
    private static final Pattern GENERATION = Pattern.compile("(\\d{20})-[0-9a-f]{16}");
    private static final Pattern STORED = Pattern.compile("((\\d{20})-[0-9a-f]{16})/(manifest-)?([0-9a-f]{64})");

    private static final Pattern OF_ACTOR =
            Pattern.compile("backup/([a-z0-9.-]+)/(\\d{1,18})/(0|[1-9]\\d{0,8})/(log|checkpoint|pin)/.+");

    private BackupPaths() {}

    /**
     * The actor whose object a key names, in any cluster.
     *
     * @param kind {@code log}, {@code checkpoint} or {@code pin}
     */
    public record OfActor(String cluster, ReplicaKey key, String kind) {}

    /** The actor whose object the key names; empty for other objects. */
    public static Optional<OfActor> actorOf(String key) {
        Matcher name = OF_ACTOR.matcher(key);
        return name.matches()
                ? Optional.of(new OfActor(
                        name.group(1),
                        new ReplicaKey(Long.parseLong(name.group(2)), Integer.parseInt(name.group(3))),
                        name.group(4)))
                : Optional.empty();
    }

    /**
     * A run of log entries, shipped by the primary of this epoch.
     *
     * @param last the last entry in use
     * @param stored the last entry in the object
     */
    public record Run(String key, long first, long last, long epoch, long stored) {
        /** The same object, with only the entries up to this index in use. */
        Run limitedTo(long index) {
            return new Run(key, first, index, epoch, stored);
        }
    }

    /** An object of a checkpoint, uploaded by the primary of this epoch. */
    public record Stored(String key, String generation, long epoch, boolean manifest, String sha256) {}

    /** Prefix of all objects of the actor. */
    public static String root(String clusterId, ReplicaKey key) {
        return table(clusterId, key.tableId()) + key.actor() + "/";
    }

    /** Prefix of all objects of all actors of the table. */
    public static String table(String clusterId, long tableId) {
        return cluster(clusterId) + tableId + "/";
    }

    /** Prefix of all objects of actors of the cluster. */
    public static String cluster(String clusterId) {
        return "backup/" + clusterId + "/";
    }

    public static String logPrefix(String clusterId, ReplicaKey key) {
        return root(clusterId, key) + "log/";
    }

    public static String log(String clusterId, ReplicaKey key, long first, long last, long epoch) {
        return logPrefix(clusterId, key) + "%020d-%020d-%020d".formatted(first, last, epoch);
    }

    public static String checkpointPrefix(String clusterId, ReplicaKey key) {
        return root(clusterId, key) + "checkpoint/";
    }

    /** Key of a pin, which protects the objects of an {@link ActorSnapshot} from deletion. */
    static String pin(String clusterId, ReplicaKey key, String backup, String sha256) {
        return pinPrefix(clusterId, key) + backup + "-" + sha256;
    }

    public static String pinPrefix(String clusterId, ReplicaKey key) {
        return root(clusterId, key) + "pin/";
    }

    public static String generation(long epoch, long random) {
        return "%020d-%016x".formatted(epoch, random);
    }

    static boolean isGeneration(String name) {
        return GENERATION.matcher(name).matches();
    }

    public static String chunk(String checkpointPrefix, String generation, String sha256) {
        return checkpointPrefix + generation + "/" + sha256;
    }

    public static String manifest(String checkpointPrefix, String generation, String sha256) {
        return checkpointPrefix + generation + "/manifest-" + sha256;
    }

    /** The object that a key under the prefix names; null if the key has another form. */
    static @Nullable public Stored stored(String key, String checkpointPrefix) {
        if (!key.startsWith(checkpointPrefix)) {
            return null;
        }
        Matcher name = STORED.matcher(key.substring(checkpointPrefix.length()));
        return name.matches() && isLong(name.group(2))
                ? new Stored(key, name.group(1), Long.parseLong(name.group(2)), name.group(3) != null, name.group(4))
                : null;
    }

    /** All runs among the keys. */
    public static List<Run> runs(List<String> keys, String logPrefix) {
        List<Run> runs = new ArrayList<>();
        for (String key : keys) {
            Matcher name = RUN.matcher(key.startsWith(logPrefix) ? key.substring(logPrefix.length()) : "");
            if (name.matches() && isLong(name.group(1)) && isLong(name.group(2)) && isLong(name.group(3))) {
                runs.add(new Run(
                        key,
                        Long.parseLong(name.group(1)),
                        Long.parseLong(name.group(2)),
                        Long.parseLong(name.group(3)),
                        Long.parseLong(name.group(2))));
            }
        }
        return runs;
    }

    private static boolean isLong(String digits) {
        return digits.compareTo("0" + Long.MAX_VALUE) < 0;
    }

    /**
     * Runs that together have the log after this index, as far as it is complete. At each index the run of the latest primary is used.
     * After a run only runs of the same or later primaries follow, so entries that a deposed primary shipped late are left out.
     *
     * @param after the index that the checkpoint covers, 0 for none
     * @param epochAfter epoch of the entry at that index; the primaries that shipped later entries have this or a later epoch
     */
    public static List<Run> chain(List<String> keys, String logPrefix, long after, long epochAfter) {
        List<Run> runs = runs(keys, logPrefix);
        List<Run> chain = new ArrayList<>();
        long next = after + 1;
        long epoch = epochAfter;
        for (Run best = bestRun(runs, next, epoch); best != null; best = bestRun(runs, next, epoch)) {
            long last = best.last();
            for (Run later : runs) {
                if (later.epoch() > best.epoch() && later.first() > next && later.first() <= last) {
                    last = later.first() - 1;
                }
            }
            chain.add(best.limitedTo(last));
            next = last + 1;
            epoch = best.epoch();
        }
        return chain;
    }

    private static @Nullable Run bestRun(List<Run> runs, long next, long epochMin) {
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
