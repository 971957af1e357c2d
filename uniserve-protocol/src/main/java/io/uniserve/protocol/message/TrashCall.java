package io.uniserve.protocol.message;

/**
 * Action on a server's trash.
 *
 * @param entry id of the entry; empty for all, which RESTORE does not support
 */
public record TrashCall(Action action, String entry) {
    /** Kinds of actions. The reply to each has the content of the trash afterwards. */
    public enum Action {
        LIST,
        /** Puts a replica back, if the table's map names this server. */
        RESTORE,
        /** Deletes an entry, or all entries, for good. */
        PURGE
    }

    /** Lists the content. */
    public static TrashCall list() {
        return new TrashCall(Action.LIST, "");
    }
}
