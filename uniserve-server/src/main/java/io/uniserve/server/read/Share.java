package io.uniserve.server.read;

/**
 * Table and client that a task works for. Workers take the tasks of all shares in turn.
 *
 * @param client empty where clients do not name themselves
 */
public record Share(String table, String client) {
    /** The server's own work: it takes its turn, and has no limit. */
    public static final Share NONE = new Share("", "");

    boolean sameTable(Share other) {
        return table.equals(other.table);
    }

    boolean sameClient(Share other) {
        return client.equals(other.client);
    }
}
