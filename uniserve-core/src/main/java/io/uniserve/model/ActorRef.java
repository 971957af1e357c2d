package io.uniserve.model;

/** Actor of a table, by its number from 0 to actors - 1. */
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
