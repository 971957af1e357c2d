package io.uniserve.protocol.message;

/**
 * What is asked of a server's trash.
 *
 * @param entry the entry's id; empty for all, where nothing is restored
 */
public record TrashCall(Action action, String entry) {
    /** Kinds of requests. Every one is answered with what the trash holds then. */
    public enum Action {
        LIST,
        /** Puts a replica back into its place, where the table's map names this server. */
        RESTORE,
        /** Deletes an entry, or all of them, for good. */
        PURGE
    }

    /** Asks what is there. */
    public static TrashCall list() {
        return new TrashCall(Action.LIST, "");
    }
}
