package io.uniserve.model;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Identity of an actor on disk: the number of its table, which is never reused, and its own. File names contain these numbers, never names
 * given by users.
 */
public record ReplicaKey(long tableId, int actor) implements Comparable<ReplicaKey> {
    private static final Pattern DIRECTORY = Pattern.compile("t(\\d{1,18})-a(\\d{1,10})/");

    /** The replica whose directory has this name, as {@code t7-a3/}; null for any other entry of a disk. */
    public static @Nullable ReplicaKey ofDirectory(String entry) {
        Matcher name = DIRECTORY.matcher(entry);
        if (!name.matches()) {
            return null;
        }
        long actor = Long.parseLong(name.group(2));
        return actor > Integer.MAX_VALUE ? null : new ReplicaKey(Long.parseLong(name.group(1)), (int) actor);
    }

    @Override
    public int compareTo(ReplicaKey other) {
        int byTable = Long.compare(tableId, other.tableId);
        return byTable != 0 ? byTable : Integer.compare(actor, other.actor);
    }

    @Override
    public String toString() {
        return "t" + tableId + "-a" + actor;
    }
}
