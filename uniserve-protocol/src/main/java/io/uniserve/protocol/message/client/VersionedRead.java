package io.uniserve.protocol.message.client;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * One server's share of a read at one version, for an atomic table: all its actors in one request.
 *
 * @param version version to read; 0 for each actor's newest state, or, if {@code strict}, for the state before the first version
 * @param acceptsMerged true if the caller accepts values that the server has merged over several of its actors
 * @param acceptsOpenVersions true if the caller accepts a newest state with an open version, and finds a claim for it in other servers' replies
 * @param strict true if {@code version} and the targets' epochs were confirmed when the read started, so that no lease is needed
 * @param remainingNanos time until the deadline at sending, greater than 0
 */
public record VersionedRead(
        TableName table,
        long tableId,
        List<Target> targets,
        String operator,
        Bytes parameters,
        long version,
        boolean acceptsMerged,
        boolean acceptsOpenVersions,
        boolean strict,
        long remainingNanos) {
    public VersionedRead {
        targets = List.copyOf(targets);
    }

    /** The same read of the table with this id. */
    public VersionedRead withTableId(long id) {
        return id == tableId
                ? this
                : new VersionedRead(
                        table,
                        id,
                        targets,
                        operator,
                        parameters,
                        version,
                        acceptsMerged,
                        acceptsOpenVersions,
                        strict,
                        remainingNanos);
    }

    /** A read that leaves no version open. */
    public VersionedRead(
            TableName table,
            long tableId,
            List<Target> targets,
            String operator,
            Bytes parameters,
            long at,
            boolean merged,
            boolean strict,
            long remainingNanos) {
        this(table, tableId, targets, operator, parameters, at, merged, false, strict, remainingNanos);
    }

    /** A read that needs leases, with one value per actor. */
    public VersionedRead(
            TableName table,
            long tableId,
            List<Target> targets,
            String operator,
            Bytes parameters,
            long at,
            long remainingNanos) {
        this(table, tableId, targets, operator, parameters, at, false, false, remainingNanos);
    }

    /** True if the newest state is requested. */
    public boolean isNewest() {
        return version == 0 && !strict;
    }

    /** An actor to read, with its epoch in the client's map. */
    public record Target(int actor, long epoch) {}

    /**
     * Reply: every target is in exactly one part or failure.
     *
     * @param openVersions versions that some part omits, although they may have been committed before the request arrived; empty if the request
     *     does not defer
     * @param invisibleVersions versions that were not visible at some time after the request arrived, as shown by a manager's claim or a
     *     confirmed log
     * @param generation latest chunk generation of the gates that passed the last check, for a TIME table; 0 for none. No version up to
     *     those of the parts has rows in chunks of a later generation
     */
    public record Reply(
            List<Part> parts,
            List<ActorFailure> failures,
            List<Long> openVersions,
            List<Long> invisibleVersions,
            long generation) {
        /** Limit of either list: each actor has at most one version in doubt, usually the same in all actors of a table. */
        public static final int IN_DOUBT_MAX = Limits.ACTORS_PER_TABLE_MAX;

        public Reply {
            parts = List.copyOf(parts);
            failures = List.copyOf(failures);
            openVersions = List.copyOf(openVersions);
            invisibleVersions = List.copyOf(invisibleVersions);
        }

        /** Reply of a table without chunks. */
        public Reply(
                List<Part> parts, List<ActorFailure> failures, List<Long> openVersions, List<Long> invisibleVersions) {
            this(parts, failures, openVersions, invisibleVersions, 0);
        }

        /** Reply without open versions and claims. */
        public Reply(List<Part> parts, List<ActorFailure> failures) {
            this(parts, failures, List.of(), List.of());
        }
    }

    /**
     * Value of one actor, or of several that were merged.
     *
     * @param actors exactly one if the request does not accept merged values
     * @param completeVersion version up to which the value is complete: it contains every such version that concerns these actors
     */
    public record Part(List<Integer> actors, long completeVersion, Bytes value) {
        public Part {
            actors = List.copyOf(actors);
        }

        /** Value of one actor. */
        public Part(int actor, long completeVersion, Bytes value) {
            this(List.of(actor), completeVersion, value);
        }
    }
}
