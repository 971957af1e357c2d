package io.uniserve.protocol.env;

import io.uniserve.model.registry.RegistryValue;
import java.util.List;

/**
 * The cluster's registry: ZooKeeper in production. Paths are relative to the cluster's root. Reads may be outdated by up to the session's
 * time-out; writes are linearizable. Within a session reads never go back: a read that is sent after the result of another read or of a
 * write returns the same state or a newer one. A new session may return older data than the one before: its EXPIRED event comes before any
 * of its results. Errors: UNAVAILABLE (certainly not done), OUTCOME_UNKNOWN (a write that may have been done: read again after
 * {@link #sync}, never assume a result).
 */
public interface Registry {
    /** Reads the node's value and version; the version of an absent node is {@link #ABSENT}. */
    void read(String path, Completion<Versioned> completion);

    /** Reads the names of the children, sorted; empty if the node is absent. */
    void children(String path, Completion<List<String>> completion);

    /**
     * Reads the names of the children over a new connection, which is closed afterwards. It is for a process whose session has no
     * connection, and may never get it back from a registry that lost its data. UNAVAILABLE if no connection can be made.
     */
    default void childrenOverNewConnection(String path, Completion<List<String>> completion) {
        children(path, completion);
    }

    /** Applies all operations, or none. */
    void multi(List<Op> ops, Completion<MultiResult> completion);

    /** Brings this session's reads up to date. */
    void sync(Completion<Done> completion);

    /**
     * Runs the task on the loop after every change of the node's value, existence or direct children, until the session ends. Changes in
     * quick succession may cause one run. After a reconnect it runs once for changes that may have been missed.
     */
    void watch(String path, Runnable changed);

    /** Ends all watches of the path in this session. Changes under way may still cause a run. */
    void unwatch(String path);

    /** Adds a listener for session events, which is called on the loop. */
    void onSession(SessionListener listener);

    /** The registry's location, for logs and errors. */
    default String describe() {
        return "the registry";
    }

    /** Version of an absent node. */
    int ABSENT = -1;

    /** A node's value; {@code value} is null only if {@code version} is ABSENT. */
    record Versioned(@org.jspecify.annotations.Nullable RegistryValue value, int version) {}

    /** One operation of a multi. */
    sealed interface Op {
        String path();

        /** Creates a node; conflict if it exists. Missing parents are created. */
        record Create(String path, RegistryValue value, boolean ephemeral) implements Op {}

        /** Replaces the value; conflict if the version is another one. */
        record Set(String path, RegistryValue value, int version) implements Op {}

        /** Deletes the node; conflict if the version is another one. */
        record Delete(String path, int version) implements Op {}

        /** Checks the version; conflict if it is another one. */
        record Check(String path, int version) implements Op {}
    }

    /**
     * Result of a multi: the new versions by operation (ABSENT for delete and check), or the position of the operation in {@code conflict}.
     */
    record MultiResult(boolean applied, List<Integer> versions, int conflict) {
        public MultiResult {
            versions = List.copyOf(versions);
        }
    }

    /** Events of the session. */
    enum SessionEvent {
        CONNECTED,
        /** Connection lost; the session may still be alive. */
        SUSPENDED,
        /** The session has ended: its ephemeral nodes and watches are gone. A new session follows with CONNECTED. */
        EXPIRED
    }

    /** Listener for session events. */
    @FunctionalInterface
    interface SessionListener {
        void onSessionEvent(SessionEvent event);
    }
}
