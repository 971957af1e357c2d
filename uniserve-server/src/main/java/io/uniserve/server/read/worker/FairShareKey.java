package io.uniserve.server.read.worker;

/**
 * Key of fair scheduling: the table and client of a task. Workers take tasks of all shares in turn.
 *
 * @param client empty if the client has no name
 */
public record FairShareKey(String table, String client) {
    /** Share of the server's own work. It has a turn like other shares, but no limit. */
    public static final FairShareKey NONE = new FairShareKey("", "");

    boolean sameTable(FairShareKey other) {
        return table.equals(other.table);
    }

    boolean sameClient(FairShareKey other) {
        return client.equals(other.client);
    }
}
