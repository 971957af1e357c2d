package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TrashReport;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers to {@link PeerRequest}s. */
public sealed interface PeerReply {
    /** Done, nothing to say. */
    record Ack() implements PeerReply {}

    /** Answer to a server that drains: {@code possible} when a live server that does not drain could take what it holds. */
    record Emptying(boolean possible) implements PeerReply {}

    /** The server that answered a ping. */
    record Pong(ServerId server, long incarnation) implements PeerReply {}

    /**
     * How a replication request ended.
     *
     * @param epoch the follower's installed epoch
     * @param lastIndex the follower's last log index, durable or not; on MISMATCH where the primary should go on from at most
     * @param durableIndex last index fsynced whose entries match the primary's
     * @param appliedIndex last index applied
     * @param incarnation of the follower's server, which tells a reply from one before a restart
     * @param hash the follower's running hash, 0 where it is not known: at {@code durableIndex}; on DIFFERS at {@code
     *     lastIndex}, which is the index compared
     */
    record Replicated(
            Status status,
            long epoch,
            long lastIndex,
            long durableIndex,
            long appliedIndex,
            long incarnation,
            long hash)
            implements PeerReply {
        /** Without a hash. */
        public Replicated(
                Status status, long epoch, long lastIndex, long durableIndex, long appliedIndex, long incarnation) {
            this(status, epoch, lastIndex, durableIndex, appliedIndex, incarnation, 0);
        }

        /** Verdict on a replication request. */
        public enum Status {
            OK,
            STALE_EPOCH,
            MISMATCH,
            NOT_READY,
            /** It needs the checkpoint in durable storage, and that one is damaged: another must come in its place. */
            CHECKPOINT_DAMAGED,
            /** It has other entries under the same indexes and epochs. */
            DIFFERS,
            /** The entries are not those that the message's hash belongs to: send them again. */
            GARBLED
        }
    }

    /** The asked replicas that are open and undamaged, each with its installed epoch, 0 for one that never had any. */
    record Vouched(ServerId server, long incarnation, List<Whole> replicas) implements PeerReply {
        public Vouched {
            replicas = List.copyOf(replicas);
        }

        /** One of them. */
        public record Whole(ReplicaKey key, long installed) {}
    }

    /**
     * A server's replicas, and what it takes and knows as a whole.
     *
     * @param memoryBytes heap in use
     * @param sets actors that queries ask together, the most frequent first
     * @param registryAgeMillis since the registry last confirmed something to it; -1 where it does not report that
     * @param problems of the server, at most {@link io.uniserve.limit.Limits#PROBLEMS_TOLD_MAX}
     */
    record Load(
            ServerId server,
            List<ReplicaLoad> replicas,
            double cpuMillisPerSecond,
            long memoryBytes,
            List<PopularSet> sets,
            long registryAgeMillis,
            List<Problem> problems)
            implements PeerReply {
        public Load {
            replicas = List.copyOf(replicas);
            sets = List.copyOf(sets);
            problems = List.copyOf(problems);
        }

        /** Of a server that reports no problems. */
        public Load(
                ServerId server,
                List<ReplicaLoad> replicas,
                double cpuMillisPerSecond,
                long memoryBytes,
                List<PopularSet> sets) {
            this(server, replicas, cpuMillisPerSecond, memoryBytes, sets, -1, List.of());
        }

        /** Without what the server knows as a whole. */
        public Load(ServerId server, List<ReplicaLoad> replicas, double cpuMillisPerSecond) {
            this(server, replicas, cpuMillisPerSecond, 0, List.of());
        }

        /** The same with what it costs. */
        public Load withCosts(List<ReplicaLoad> rated, double cpu, long memory, List<PopularSet> popular) {
            return new Load(server, rated, cpu, memory, popular, registryAgeMillis, problems);
        }

        /** The same with these problems in place of its own. */
        public Load withProblems(List<Problem> found) {
            return new Load(server, replicas, cpuMillisPerSecond, memoryBytes, sets, registryAgeMillis, found);
        }
    }

    /** Answer to whether a replica serves reads and, as a primary, updates. */
    enum Serving {
        /** A server of an earlier version does not report it. */
        NOT_REPORTED,
        /** In sync in its epoch, its engine is ready and its read lease is valid. */
        YES,
        NO
    }

    /**
     * Actors of one table that queries ask together, as one server has seen it; a query is seen by one server.
     *
     * @param perSecond how often, smoothed; never too low but for the sampling
     * @param error by how much {@code perSecond} may be too high
     */
    record PopularSet(long tableId, List<Integer> actors, double perSecond, double error) {
        public PopularSet {
            actors = List.copyOf(actors);
        }
    }

    /**
     * One replica's state and load.
     *
     * @param role {@link #PRIMARY} for a primary that has started its epoch and accepts updates; another word otherwise
     * @param queryCostMillisPerSecond CPU time of queries, smoothed
     * @param backupIndex last log index in durable storage, told by the primary; -1 elsewhere and where there is none
     * @param backupCheckpointIndex log index that the checkpoint in durable storage covers, 0 for none, -1 as above
     * @param ageSeconds how long the server has had it in use since it started
     * @param rows {@link #UNKNOWN} until the engine has reported them
     * @param backupFailingMillis how long its backup has failed, reported by the primary; 0 where it does not
     */
    record ReplicaLoad(
            ReplicaKey key,
            long epoch,
            String role,
            long lastIndex,
            long stableIndex,
            long appliedIndex,
            long rows,
            long memoryBytes,
            long diskBytes,
            double queryCostMillisPerSecond,
            double queriesPerSecond,
            long backupIndex,
            long backupCheckpointIndex,
            double ageSeconds,
            Serving serving,
            long backupFailingMillis) {
        /** Number of rows that is not known. */
        public static final long UNKNOWN = -1;

        /** Of a replica that reports neither whether it serves nor a backup that fails. */
        public ReplicaLoad(
                ReplicaKey key,
                long epoch,
                String role,
                long lastIndex,
                long stableIndex,
                long appliedIndex,
                long rows,
                long memoryBytes,
                long diskBytes,
                double queryCostMillisPerSecond,
                double queriesPerSecond,
                long backupIndex,
                long backupCheckpointIndex,
                double ageSeconds) {
            this(
                    key,
                    epoch,
                    role,
                    lastIndex,
                    stableIndex,
                    appliedIndex,
                    rows,
                    memoryBytes,
                    diskBytes,
                    queryCostMillisPerSecond,
                    queriesPerSecond,
                    backupIndex,
                    backupCheckpointIndex,
                    ageSeconds,
                    Serving.NOT_REPORTED,
                    0);
        }

        /** Of a replica that tells nothing of a backup. */
        public ReplicaLoad(
                ReplicaKey key,
                long epoch,
                String role,
                long lastIndex,
                long stableIndex,
                long appliedIndex,
                long rows,
                long memoryBytes,
                long diskBytes,
                double queryCostMillisPerSecond,
                double queriesPerSecond) {
            this(
                    key,
                    epoch,
                    role,
                    lastIndex,
                    stableIndex,
                    appliedIndex,
                    rows,
                    memoryBytes,
                    diskBytes,
                    queryCostMillisPerSecond,
                    queriesPerSecond,
                    -1,
                    -1,
                    0);
        }

        /** The same with what queries cost and the age. */
        public ReplicaLoad withRates(double costMillisPerSecond, double perSecond, double age) {
            return new ReplicaLoad(
                    key,
                    epoch,
                    role,
                    lastIndex,
                    stableIndex,
                    appliedIndex,
                    rows,
                    memoryBytes,
                    diskBytes,
                    costMillisPerSecond,
                    perSecond,
                    backupIndex,
                    backupCheckpointIndex,
                    age,
                    serving,
                    backupFailingMillis);
        }

        /** Role of a primary that accepts updates. */
        public static final String PRIMARY = "PRIMARY";
    }

    /**
     * An actor's answer to the driver of an atomic update.
     *
     * @param epoch YES: the epoch in which every in-sync replica has prepared, with no removed one unfenced
     * @param refused NO: the request whose rows cannot be applied; null where it may be any of those merged
     * @param reason NO and LATER: why
     * @param code LATER: what an update ends with that waits in vain; null where it is told by no code
     */
    record Vote(
            Kind kind,
            long epoch,
            @Nullable RequestId refused,
            String reason,
            @Nullable ErrorCode code) implements PeerReply {
        public Vote(Kind kind, long epoch, @Nullable RequestId refused, String reason) {
            this(kind, epoch, refused, reason, null);
        }

        /** Verdicts. */
        public enum Kind {
            YES,
            /** The rows can never be applied. */
            NO,
            /** Not now, or not here: ask again. */
            LATER,
            /** The version is not known here: its rows must be sent, or sent again. */
            ROWS,
            /** The version is decided already: the table's log says how. */
            DECIDED
        }

        /** Prepared everywhere. */
        public static Vote yes(long epoch) {
            return new Vote(Kind.YES, epoch, null, "");
        }

        /** Ask again. */
        public static Vote later(long epoch, String reason) {
            return new Vote(Kind.LATER, epoch, null, reason);
        }

        /** Ask again, and say this where that does not help. */
        public static Vote later(long epoch, ErrorCode code, String reason) {
            return new Vote(Kind.LATER, epoch, null, reason, code);
        }
    }

    /**
     * An actor's part of a backup is in durable storage, and kept.
     *
     * @param sha256 of the object that names its parts
     * @param index last log index
     * @param bytes of its checkpoint
     */
    record Pinned(String sha256, long index, long bytes) implements PeerReply {}

    /** The digest of a copy's contents right after an index, with the log's running hash there; empty where there is none. */
    record Digested(long index, long logHash, Bytes digest) implements PeerReply {}

    /** The in-sync copies of an actor, compared right after one log index. */
    record Compared(long index, List<Copy> copies) implements PeerReply {
        public Compared {
            copies = List.copyOf(copies);
        }

        /** What was found of a copy. */
        public enum Verdict {
            EQUAL,
            /** It is set aside and made anew. */
            DIFFERENT,
            /** It could not be compared. */
            UNKNOWN
        }

        /**
         * A copy.
         *
         * @param digest of its contents, in hexadecimal digits; empty where it is not known
         * @param reason why it differs or is unknown; empty for an equal one
         */
        public record Copy(ServerId server, Verdict verdict, String digest, String reason) {}

        /** The verdict on all. */
        public Verdict verdict() {
            return copies.stream().map(Copy::verdict).anyMatch(Verdict.DIFFERENT::equals)
                    ? Verdict.DIFFERENT
                    : copies.stream().allMatch(copy -> copy.verdict() == Verdict.EQUAL)
                            ? Verdict.EQUAL
                            : Verdict.UNKNOWN;
        }
    }

    /** Backups in durable storage. */
    record Archives(List<BackupInfo> backups) implements PeerReply {
        public Archives {
            backups = List.copyOf(backups);
        }
    }

    /** Objects as they are in durable storage, checked. */
    record Manifests(List<Bytes> objects) implements PeerReply {
        public Manifests {
            objects = List.copyOf(objects);
        }
    }

    /** An actor's continuous backup was made. */
    record Copied(BackupRecord record) implements PeerReply {}

    /** Parts of chunks, in the order in which they were asked for. */
    record Pieces(List<Piece> pieces) implements PeerReply {
        public Pieces {
            pieces = List.copyOf(pieces);
        }
    }

    /** A part of a chunk, with the end marker of the whole; {@link #LOST} where the chunk is not there any more. */
    record Piece(ChunkInfo whole, Bytes bytes) {
        public static final Piece LOST = new Piece(ChunkInfo.NOTHING, Bytes.EMPTY);
    }

    /** A server's trash. */
    record Trashed(TrashReport report) implements PeerReply {}
}
