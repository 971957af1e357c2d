package io.uniserve.protocol.backup.inventory;

/** Object of durable storage that nothing in it refers to. */
public record OrphanedObject(String key, Reason reason) {
    /** Why an object is orphaned. */
    public enum Reason {
        UNKNOWN_NAME("Uniserve gives no object such a name"),
        PROBE("left by a test of the store"),
        NO_DEFINITION("storage has no definition of its table: dropped, or not yet stored"),
        DELETED_BACKUP("a manifest of a named backup that is deleted"),
        NO_BACKUP("a pin of a named backup that storage does not have"),
        NO_MANIFEST("no checkpoint names it: an upload under way, or one that failed"),
        COVERED_LOG("every checkpoint of its actor covers this part of the log");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        /** The reason in words. */
        public String text() {
            return text;
        }
    }
}
