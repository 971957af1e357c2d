package io.uniserve.protocol.env;

import io.uniserve.model.RegistryValue;
import java.util.List;

/**
 * The cluster's registry, ZooKeeper in production. Paths are relative to the cluster's root. Reads may be old by the
 * session's time-out; writes are linearizable. Within a session reads never go back: one that is asked for after another read, or a
 * write, was answered sees what that one saw or did, or something newer. A new session may know less than the one before: its
 * EXPIRED is told before any of its answers. Errors: UNAVAILABLE (certainly not done), OUTCOME_UNKNOWN (a write that may
 * have been done: read again after {@link #sync}; never guess).
 */
public interface Registry {
    /** The node's value and version; a node that is absent gives version {@link #ABSENT}. */
    void read(String path, Completion<Versioned> completion);

    /** Names of the children, sorted; empty where the node is absent. */
    void children(String path, Completion<List<String>> completion);

    /**
     * Names of the children as the registry has them now, seen over a new connection that ends with the answer; for a process whose
     * session has no connection, and which may never get it back from a registry that lost its data. UNAVAILABLE where none is made.
     */
    default void childrenAnew(String path, Completion<List<String>> completion) {
        children(path, completion);
    }

    /** Applies all operations or none. */
    void multi(List<Op> ops, Completion<MultiResult> completion);

    /** Brings this session's reads up to now. */
    void sync(Completion<Done> completion);

    /**
     * Runs the task on the loop after every change of the node's value, existence or direct children, until the session
     * ends; changes close together may be told once. After a reconnect it is told once for what may have been missed.
     */
    void watch(String path, Runnable changed);

    /** Ends all watches of the path in this session. Changes that are about to be told may still be. */
    void unwatch(String path);

    /** Tells session events on the loop. */
    void onSession(SessionListener listener);

    /** Where the registry is, for logs and errors. */
    default String describe() {
        return "the registry";
    }

    /** Version of a node that is absent. */
    int ABSENT = -1;

    /** A node's value; {@code value} is null only where {@code version} is ABSENT. */
    record Versioned(@org.jspecify.annotations.Nullable RegistryValue value, int version) {}

    /** One operation of a multi. */
    sealed interface Op {
        String path();

        /** Creates a node; conflict if present. Parents are made as needed. */
        record Create(String path, RegistryValue value, boolean ephemeral) implements Op {}

        /** Replaces the value; conflict unless the version is this one. */
        record Set(String path, RegistryValue value, int version) implements Op {}

        /** Deletes the node; conflict unless the version is this one. */
        record Delete(String path, int version) implements Op {}

        /** Conflict unless the version is this one. */
        record Check(String path, int version) implements Op {}
    }

    /** Done with the new versions by operation (ABSENT for delete and check), or not done because operation {@code conflict} met another state. */
    record MultiResult(boolean applied, List<Integer> versions, int conflict) {
        public MultiResult {
            versions = List.copyOf(versions);
        }
    }

    /** What happens to the session. */
    enum SessionEvent {
        CONNECTED,
        /** Connection lost; the session may still live. */
        SUSPENDED,
        /** The session has ended: ephemeral nodes are gone, watches too. A new session follows with CONNECTED. */
        EXPIRED
    }

    /** Hears session events. */
    @FunctionalInterface
    interface SessionListener {
        void on(SessionEvent event);
    }
}
