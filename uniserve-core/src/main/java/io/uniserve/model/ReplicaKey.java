package io.uniserve.model;

/**
 * Identity of an actor on disk: the number of its table, which is never reused, and its own. File names contain these numbers, never names
 * given by users.
 */
public record ReplicaKey(long tableId, int actor) implements Comparable<ReplicaKey> {
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
