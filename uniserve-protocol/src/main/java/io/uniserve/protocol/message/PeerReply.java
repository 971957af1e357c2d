package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TrashReport;
import io.uniserve.model.registry.BackupRecord;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Replies to {@link PeerRequest}s. */
public sealed interface PeerReply {
    /** The request succeeded, without a result. */
    record Ack() implements PeerReply {}

    /** Reply to a draining server. {@code possible} is true if some live server that does not drain can take its replicas. */
    record DrainReply(boolean possible) implements PeerReply {}

    /** The server that answers a ping. */
    record Pong(ServerId server, long incarnation) implements PeerReply {}

    /**
     * Result of a replication request.
     *
     * @param epoch the follower's installed epoch
     * @param lastIndex the follower's last log index, durable or not; for MISMATCH the largest index from which the primary may continue
     * @param durableIndex last index on disk up to which the entries match the primary's
     * @param appliedIndex last index applied
     * @param incarnation incarnation of the follower's server, which distinguishes replies from before and after a restart
     * @param hash the follower's running hash at {@code durableIndex}, for DIFFERS at {@code lastIndex}, where the logs were compared; 0 if
     *     unknown
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
        /** Result without a hash. */
        public Replicated(
                Status status, long epoch, long lastIndex, long durableIndex, long appliedIndex, long incarnation) {
            this(status, epoch, lastIndex, durableIndex, appliedIndex, incarnation, 0);
        }

        /** Status of a replication request. */
        public enum Status {
            OK,
            STALE_EPOCH,
            MISMATCH,
            NOT_READY,
            /** The follower needs the checkpoint in durable storage, which is damaged: the primary must store another. */
            CHECKPOINT_DAMAGED,
            /** The follower has other entries under equal indexes and epochs. */
            DIFFERS,
            /** The entries do not match the message's hash: send them again. */
            GARBLED
        }
    }

    /** Those of the requested replicas that are open and undamaged. */
    record IntactReplicaList(ServerId server, long incarnation, List<IntactReplica> replicas) implements PeerReply {
        public IntactReplicaList {
            replicas = List.copyOf(replicas);
        }

        /**
         * An intact replica.
         *
         * @param installedEpoch installed epoch; 0 if it never had one
         */
        public record IntactReplica(ReplicaKey key, long installedEpoch) {}
    }

    /**
     * A server's replicas, resource use and problems.
     *
     * @param memoryBytes heap in use
     * @param sets sets of actors that queries read together, the most frequent first
     * @param registryAgeMillis time since ZooKeeper last confirmed something to the server; -1 if it does not report that
     * @param problems problems of the server, at most {@link io.uniserve.limit.Limits#PROBLEMS_TOLD_MAX}
     * @param servingCpuMillisPerSecond CPU time of the process without moves of replicas, merges and compilers, smoothed; -1 if it does not
     *     report that
     */
    record Load(
            ServerId server,
            List<ReplicaLoad> replicas,
            double cpuMillisPerSecond,
            long memoryBytes,
            List<PopularSet> sets,
            long registryAgeMillis,
            List<HealthProblem> problems,
            double servingCpuMillisPerSecond)
            implements PeerReply {
        public Load {
            replicas = List.copyOf(replicas);
            sets = List.copyOf(sets);
            problems = List.copyOf(problems);
        }

        /** Load of a server that does not report the CPU time of queries and updates. */
        public Load(
                ServerId server,
                List<ReplicaLoad> replicas,
                double cpuMillisPerSecond,
                long memoryBytes,
                List<PopularSet> sets,
                long registryAgeMillis,
                List<HealthProblem> problems) {
            this(server, replicas, cpuMillisPerSecond, memoryBytes, sets, registryAgeMillis, problems, -1);
        }

        /** Load of a server that reports no problems. */
        public Load(
                ServerId server,
                List<ReplicaLoad> replicas,
                double cpuMillisPerSecond,
                long memoryBytes,
                List<PopularSet> sets) {
            this(server, replicas, cpuMillisPerSecond, memoryBytes, sets, -1, List.of());
        }

        /** Load of replicas and CPU only. */
        public Load(ServerId server, List<ReplicaLoad> replicas, double cpuMillisPerSecond) {
            this(server, replicas, cpuMillisPerSecond, 0, List.of());
        }

        /** The same with this load and resource use. */
        public Load withCosts(
                List<ReplicaLoad> rated, double cpu, double servingCpu, long memory, List<PopularSet> popular) {
            return new Load(server, rated, cpu, memory, popular, registryAgeMillis, problems, servingCpu);
        }

        /** The same with these problems instead. */
        public Load withProblems(List<HealthProblem> found) {
            return new Load(
                    server,
                    replicas,
                    cpuMillisPerSecond,
                    memoryBytes,
                    sets,
                    registryAgeMillis,
                    found,
                    servingCpuMillisPerSecond);
        }
    }

    /** State of a replica: it serves reads and, if it is a primary, updates. */
    enum Serving {
        /** The server's version does not report it. */
        NOT_REPORTED,
        /** The replica is in sync in its epoch, its engine is ready, and its read lease is valid. */
        YES,
        NO
    }

    /**
     * Set of actors of one table that queries read together. The numbers are those of one server; each query counts at one server.
     *
     * @param perSecond frequency, smoothed; never too low, except for sampling
     * @param error upper bound of the amount by which {@code perSecond} is too high
     */
    record PopularSet(long tableId, List<Integer> actors, double perSecond, double error) {
        public PopularSet {
            actors = List.copyOf(actors);
        }
    }

    /**
     * State and load of one replica.
     *
     * @param role {@link #PRIMARY} for a primary that has started its epoch and accepts updates; another word otherwise
     * @param queryCostMillisPerSecond CPU time of queries, smoothed
     * @param backupIndex last log index in durable storage, reported by the primary; -1 for other replicas and without a backup
     * @param backupCheckpointIndex log index of the checkpoint in durable storage, 0 if there is none, -1 as above
     * @param ageSeconds time for which the server has had the replica in use since its start
     * @param rows {@link #UNKNOWN} until the engine has reported them
     * @param backupFailingMillis time for which the backup has failed, reported by the primary; 0 if it works
     * @param rowsScannedPerSecond rows that queries scan, smoothed
     */
    record ReplicaLoad(
            ReplicaKey key,
            long epoch,
            String role,
            long lastIndex,
            long highWatermark,
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
            long backupFailingMillis,
            double rowsScannedPerSecond) {
        /** Unknown number of rows. */
        public static final long UNKNOWN = -1;

        /** Load of a replica whose queries scan no rows. */
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
                double ageSeconds,
                Serving serving,
                long backupFailingMillis) {
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
                    serving,
                    backupFailingMillis,
                    0);
        }

        /** Load of a replica that reports neither {@code serving} nor a failing backup. */
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
                    0,
                    0);
        }

        /** Load of a replica that reports nothing about a backup. */
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

        /** The same with this query load and age. */
        public ReplicaLoad withRates(
                double costMillisPerSecond, double perSecond, double scannedPerSecond, double age) {
            return new ReplicaLoad(
                    key,
                    epoch,
                    role,
                    lastIndex,
                    highWatermark,
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
                    backupFailingMillis,
                    scannedPerSecond);
        }

        /** Role of a primary that accepts updates. */
        public static final String PRIMARY = "PRIMARY";
    }

    /**
     * Vote of a participant on a version of an atomic update.
     *
     * @param epoch for YES: the epoch in which every in-sync replica has prepared, with every removed replica fenced
     * @param rejectedRequest for NO: the request with rows that cannot be applied; null if it may be any of the merged ones
     * @param reason for NO and LATER: the reason
     * @param code for LATER: the error of updates that wait without success; null if there is no special one
     */
    record Vote(
            Kind kind,
            long epoch,
            @Nullable RequestId rejectedRequest,
            String reason,
            @Nullable ErrorCode code) implements PeerReply {
        public Vote(Kind kind, long epoch, @Nullable RequestId refused, String reason) {
            this(kind, epoch, refused, reason, null);
        }

        /** Kinds of votes. */
        public enum Kind {
            YES,
            /** The engine rejects the rows for good. */
            NO,
            /** Not now, or not in this epoch: send PREPARE again later. */
            RETRY,
            /** The primary does not have the rows of the version: send them, or send them again. */
            ROWS_MISSING,
            /** The version is already decided: read the transaction log. */
            ALREADY_DECIDED
        }

        /** All in-sync replicas have prepared. */
        public static Vote yes(long epoch) {
            return new Vote(Kind.YES, epoch, null, "");
        }

        /** Send PREPARE again later. */
        public static Vote retry(long epoch, String reason) {
            return new Vote(Kind.RETRY, epoch, null, reason);
        }

        /** The same, with the error for updates that wait without success. */
        public static Vote retry(long epoch, ErrorCode code, String reason) {
            return new Vote(Kind.RETRY, epoch, null, reason, code);
        }
    }

    /**
     * An actor's part of a named backup is in durable storage and pinned.
     *
     * @param sha256 hash of the pin object, which names the parts
     * @param index last log index
     * @param bytes size of its checkpoint
     */
    record Pinned(String sha256, long index, long bytes) implements PeerReply {}

    /** Digest of a copy's contents right after a log index, with the log's running hash there; empty if there is none. */
    record Digested(long index, long logHash, Bytes digest) implements PeerReply {}

    /** Comparison of an actor's in-sync copies right after one log index. */
    record Compared(long index, List<Copy> copies) implements PeerReply {
        public Compared {
            copies = List.copyOf(copies);
        }

        /** Result for one copy. */
        public enum Verdict {
            EQUAL,
            /** The copy goes to quarantine and is copied anew. */
            DIFFERENT,
            /** The copy could not be compared. */
            UNKNOWN
        }

        /**
         * Result of the comparison of one copy.
         *
         * @param digest digest of its contents, in hexadecimal digits; empty if unknown
         * @param reason reason for a result other than EQUAL; empty for EQUAL
         */
        public record Copy(ServerId server, Verdict verdict, String digest, String reason) {}

        /** The result for all copies together. */
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

    /**
     * Objects of durable storage, with verified checksums.
     *
     * @param largestTableId with definitions: the largest table number in the name of any object of the cluster; else 0
     */
    record Manifests(List<Bytes> objects, long largestTableId) implements PeerReply {
        public Manifests {
            objects = List.copyOf(objects);
        }

        public Manifests(List<Bytes> objects) {
            this(objects, 0);
        }
    }

    /** An actor's continuous backup was copied from a named backup. */
    record Copied(BackupRecord record) implements PeerReply {}

    /** Parts of chunks, in the order of the request. */
    record Pieces(List<Piece> pieces) implements PeerReply {
        public Pieces {
            pieces = List.copyOf(pieces);
        }
    }

    /** A part of a chunk, with the end marker of the whole chunk; {@link #MISSING} if the chunk no longer exists. */
    record Piece(ChunkInfo chunk, Bytes bytes) {
        public static final Piece MISSING = new Piece(ChunkInfo.EMPTY, Bytes.EMPTY);
    }

    /** A server's trash. */
    record Trashed(TrashReport report) implements PeerReply {}
}
