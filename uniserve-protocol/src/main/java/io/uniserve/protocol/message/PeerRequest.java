package io.uniserve.protocol.message;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.util.List;
import java.util.Optional;

/**
 * Requests between daemons, in one family per kind of handler. A new request does not compile until its family's handlers have a method for
 * it. Every request names the cluster; a daemon of another cluster rejects it with WRONG_CLUSTER.
 */
public sealed interface PeerRequest
        permits ReplicaRequest, TransactionRequest, ServerRequest, CoordinatorRequest, ExchangeRequest {
    /** Calls the method for this request's family. */
    <C> void dispatch(Families<C> families, C context);

    /**
     * One method per family of requests.
     *
     * @param <C> type of the context, for example the completion that takes the reply
     */
    interface Families<C> {
        void replica(ReplicaRequest request, C context);

        void transaction(TransactionRequest request, C context);

        void server(ServerRequest request, C context);

        void coordinator(CoordinatorRequest request, C context);

        void exchange(ExchangeRequest request, C context);
    }

    /** Ping of a server. {@code to} is the intended server: another server at the same address fails with WRONG_SERVER and its own id. */
    record Ping(ServerId from, ServerId to) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.ping(this, context);
        }
    }

    /**
     * Log entries from the primary, which follow the entry at {@code prevIndex} with epoch {@code prevEpoch}.
     *
     * @param baseIndex the primary's log start offset: it cannot send entries up to it
     * @param prevHash the primary's running hash at {@code prevIndex}, 0 if unknown
     * @param lastHash the primary's running hash at the last entry sent
     */
    record Replicate(
            ReplicaKey key,
            long epoch,
            ServerId primary,
            long prevIndex,
            long prevEpoch,
            List<LogEntry> entries,
            long highWatermark,
            long baseIndex,
            long prevHash,
            long lastHash)
            implements ReplicaRequest {
        public Replicate {
            entries = List.copyOf(entries);
        }

        @Override
        public <C> void handle(ReplicaRequest.Handler<C> handler, C context) {
            handler.replicate(this, context);
        }
    }

    /**
     * Sent by the primary of this epoch: the server's copy differs in its log or contents, and must go to quarantine and be copied anew.
     *
     * @param reason the difference and its position
     */
    record QuarantineCopy(ReplicaKey key, long epoch, ServerId primary, ServerId server, String reason)
            implements ReplicaRequest {
        @Override
        public <C> void handle(ReplicaRequest.Handler<C> handler, C context) {
            handler.quarantineCopy(this, context);
        }
    }

    /** Sent by the primary of this epoch: requests the digest of a copy's contents right after this index. */
    record TakeDigest(ReplicaKey key, long epoch, long index) implements ReplicaRequest {
        @Override
        public <C> void handle(ReplicaRequest.Handler<C> handler, C context) {
            handler.takeDigest(this, context);
        }
    }

    /** Requests that the primary compares the digests of the actor's in-sync copies now. Answered with {@link PeerReply.Compared}. */
    record CompareCopies(TableName table, ReplicaKey key) implements ReplicaRequest {
        @Override
        public <C> void handle(ReplicaRequest.Handler<C> handler, C context) {
            handler.compareCopies(this, context);
        }
    }

    /** Report of a server to the coordinator: pings of another server failed. */
    record Suspect(ServerId reporter, ServerId suspect, long incarnation, int failedPings)
            implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.suspect(this, context);
        }
    }

    /** Report of the primary to the coordinator: the learner has the whole log. It is valid in this epoch only. */
    record LearnerCaughtUp(ReplicaKey key, long epoch, ServerId primary, ServerId learner, long incarnation)
            implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.learnerCaughtUp(this, context);
        }
    }

    /** Report of the primary to the coordinator: these removed replicas are fenced. */
    record ReplicasFenced(ReplicaKey key, long epoch, List<ServerId> servers) implements CoordinatorRequest {
        public ReplicasFenced {
            servers = List.copyOf(servers);
        }

        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.replicasFenced(this, context);
        }
    }

    /** Report of the primary to the coordinator: every in-sync replica has the first entry of this epoch on disk. */
    record EpochStarted(ReplicaKey key, long epoch, ServerId primary) implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.epochStarted(this, context);
        }
    }

    /**
     * Report of a replica to the coordinator: it is unhealthy and should leave the in-sync set.
     *
     * @param dataLost true if its data are missing or damaged for good; false if it may recover (failed engine, full disk)
     */
    record ReportUnhealthy(ReplicaKey key, long epoch, ServerId server, String reason, boolean dataLost)
            implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.reportUnhealthy(this, context);
        }
    }

    /** Request of the coordinator before it removes other copies: returns the intact ones of these replicas. */
    record ListIntactReplicas(List<ReplicaKey> keys) implements ServerRequest {
        public ListIntactReplicas {
            keys = List.copyOf(keys);
        }

        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.listIntactReplicas(this, context);
        }
    }

    /**
     * Report of a primary that hands over, to the coordinator: it accepts no more updates in this epoch, and these in-sync replicas have
     * its whole log. Each of them can become primary without loss.
     */
    record PrimaryTransferReady(ReplicaKey key, long epoch, ServerId primary, List<ServerId> successors)
            implements CoordinatorRequest {
        public PrimaryTransferReady {
            successors = List.copyOf(successors);
        }

        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.primaryTransferReady(this, context);
        }
    }

    /**
     * Report of the primary to the coordinator: it logs nothing more in this epoch and needs a new one, in which it may stay primary.
     * Others may have entries of this epoch that it lacks.
     */
    record RequestNewEpoch(ReplicaKey key, long epoch, ServerId primary) implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.requestNewEpoch(this, context);
        }
    }

    /** Report of a server to the coordinator: it drains after SIGTERM, so its primaries and replicas must move away. */
    record Draining(ServerId server, long incarnation) implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.draining(this, context);
        }
    }

    /**
     * Request of the coordinator: check a table's definition with its port.
     *
     * @param before the definition that is replaced; empty for a new table
     */
    record ValidateTable(TableMeta meta, Optional<TableMeta> before) implements ServerRequest {
        /** Checks the definition of a new table. */
        public ValidateTable(TableMeta meta) {
            this(meta, Optional.empty());
        }

        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.validateTable(this, context);
        }
    }

    /**
     * Request of the coordinator: use this definition of a table. Acknowledged once the server uses it, else BEHIND: send it again soon.
     */
    record UpdateTableDefinition(TableMeta meta) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.updateTableDefinition(this, context);
        }
    }

    /**
     * Request of a primary: read the map of a TIME table, because a later generation has chunks that this server may not have in its gates.
     * Acknowledged once all gates of the table have this generation or a later one, else BEHIND: send it again soon.
     */
    record ConfirmChunks(TableName table, long tableId, long generation) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.confirmChunks(this, context);
        }
    }

    /** Request of the coordinator: delete the backup of an actor of a dropped table from durable storage. */
    record EraseBackup(TableName table, ReplicaKey key) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.eraseBackup(this, context);
        }
    }

    /** Requests state and load of the server's replicas. */
    record ReportLoad() implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.reportLoad(this, context);
        }
    }

    /**
     * PREPARE of an atomic update, from its transaction manager to the primary of a participant.
     *
     * @param previous the table's newest committed version when this version was started
     * @param participants the actors with rows in the version
     * @param batches the rows; if empty, only a vote on rows that were sent before
     * @param transactionLog the transaction log with the version in flight, if the server does not have it yet
     */
    record Prepare(
            TableName table,
            ReplicaKey key,
            long epoch,
            long version,
            long previous,
            VersionParticipants participants,
            List<BatchRows> batches,
            Optional<TransactionLogSnapshot> transactionLog)
            implements TransactionRequest {
        public Prepare {
            batches = List.copyOf(batches);
        }

        /** This PREPARE with these rows. */
        public Prepare withBatches(List<BatchRows> other) {
            return new Prepare(table, key, epoch, version, previous, participants, other, transactionLog);
        }

        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.prepare(this, context);
        }
    }

    /**
     * Requests the claim "not visible" for a version from its transaction manager. It is acknowledged only if the claim certainly holds.
     * The manager must have started the version itself. It must not have sent the commit, or only recently and without a known outcome.
     */
    record IsCommitInvisible(TableName table, long tableId, long version) implements TransactionRequest {
        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.isCommitInvisible(this, context);
        }
    }

    /**
     * Decision on a version for an actor's primary, as in the transaction log.
     *
     * @param transactionLog the transaction log, if the server does not have it yet
     */
    record Decide(
            TableName table,
            ReplicaKey key,
            long version,
            boolean commit,
            Optional<TransactionLogSnapshot> transactionLog)
            implements TransactionRequest {
        /** Decision without the transaction log, which the server has or reads itself. */
        public Decide(TableName table, ReplicaKey key, long version, boolean commit) {
            this(table, key, version, commit, Optional.empty());
        }

        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.decide(this, context);
        }
    }

    /** Transaction log of a table for a server with a replica; a transaction manager has just written it. */
    record PublishTransactionLog(TableName table, TransactionLogSnapshot transactionLog) implements TransactionRequest {
        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.publishTransactionLog(this, context);
        }
    }

    /**
     * Requests an actor's part of the named backup from its primary. Answered with {@link PeerReply.Pinned}.
     *
     * @param version the part contains exactly the versions up to this one; 0 for eventual tables
     */
    record PinActor(TableName table, ReplicaKey key, String backup, long version) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.pinActor(this, context);
        }
    }

    /** Requests work in durable storage. Fails with UNSUPPORTED if the server has none. */
    record Archive(ArchiveRequest request) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.archive(this, context);
        }
    }

    /** Requests parts of chunks that scatters stored on the server. Answered with {@link PeerReply.Pieces}, one per part in this order. */
    record PullChunks(List<PullChunk> parts) implements ExchangeRequest {
        public PullChunks {
            parts = List.copyOf(parts);
        }

        @Override
        public <C> void handle(ExchangeRequest.Handler<C> handler, C context) {
            handler.pullChunks(this, context);
        }
    }

    /** Ends an attempt of a planned query: the server drops all its chunks. */
    record EndExchange(ExchangeId exchange) implements ExchangeRequest {
        @Override
        public <C> void handle(ExchangeRequest.Handler<C> handler, C context) {
            handler.endExchange(this, context);
        }
    }

    /** Performs an action on the server's trash. Answered with {@link PeerReply.Trashed}: the content afterwards. */
    record Trash(TrashCall call) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.trash(this, context);
        }
    }
}
