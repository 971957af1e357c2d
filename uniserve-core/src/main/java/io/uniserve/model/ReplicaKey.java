package io.uniserve.model;

/**
 * An actor's identity on disk: the table's number (never used again after a drop) and the actor's. File names are made
 * from these numbers, never from a user's name.
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
