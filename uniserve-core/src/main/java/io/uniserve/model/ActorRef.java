package io.uniserve.model;

/** An actor of a table by number, 0 to actors - 1. */
public record ActorRef(TableName table, int actor) implements Comparable<ActorRef> {
    @Override
    public int compareTo(ActorRef other) {
        int byTable = table.compareTo(other.table);
        return byTable != 0 ? byTable : Integer.compare(actor, other.actor);
    }

    @Override
    public String toString() {
        return table + "/" + actor;
    }
}
