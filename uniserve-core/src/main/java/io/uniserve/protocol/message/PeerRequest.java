package io.uniserve.protocol.message;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Optional;

/**
 * Requests between daemons, in one family per kind of handler. A new request does not compile until its family's handlers have a
 * method for it. Every request names the cluster; another cluster's is refused with WRONG_CLUSTER.
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

    /** Are you alive? {@code to} is the server meant: another one at the same address answers WRONG_SERVER by its own id. */
    record Ping(ServerId from, ServerId to) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.ping(this, context);
        }
    }

    /**
     * Log entries from the primary; entries follow the one at {@code prevIndex}, which has {@code prevEpoch}.
     *
     * @param baseIndex the index after which the primary's log begins: it cannot send what comes before
     * @param prevHash the primary's running hash at {@code prevIndex}, 0 where it is not known
     * @param lastHash the same at the last entry sent
     */
    record Replicate(
            ReplicaKey key,
            long epoch,
            ServerId primary,
            long prevIndex,
            long prevEpoch,
            List<LogEntry> entries,
            long stableIndex,
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
     * The primary of this epoch has a copy that differs set aside and made anew: its log, or its contents.
     *
     * @param reason what differs, where
     */
    record SetAside(ReplicaKey key, long epoch, ServerId primary, ServerId server, String reason)
            implements ReplicaRequest {
        @Override
        public <C> void handle(ReplicaRequest.Handler<C> handler, C context) {
            handler.setAside(this, context);
        }
    }

    /** The primary of this epoch asks for the digest of a copy's contents right after this index. */
    record TakeDigest(ReplicaKey key, long epoch, long index) implements ReplicaRequest {
        @Override
        public <C> void handle(ReplicaRequest.Handler<C> handler, C context) {
            handler.takeDigest(this, context);
        }
    }

    /** Asks the primary to compare the digests of the actor's in-sync copies now. Answered with {@link PeerReply.Compared}. */
    record CompareCopies(TableName table, ReplicaKey key) implements ReplicaRequest {
        @Override
        public <C> void handle(ReplicaRequest.Handler<C> handler, C context) {
            handler.compareCopies(this, context);
        }
    }

    /** A server tells the coordinator that pings to another one failed. */
    record Suspect(ServerId reporter, ServerId suspect, long incarnation, int failedPings)
            implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.suspect(this, context);
        }
    }

    /** The primary tells the coordinator that the learner holds the whole log; valid in this epoch only. */
    record Certified(ReplicaKey key, long epoch, ServerId primary, ServerId learner, long incarnation)
            implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.certified(this, context);
        }
    }

    /** The primary tells the coordinator that replicas removed at these epochs are fenced. */
    record Fenced(ReplicaKey key, long epoch, List<ServerId> servers) implements CoordinatorRequest {
        public Fenced {
            servers = List.copyOf(servers);
        }

        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.fenced(this, context);
        }
    }

    /** The primary tells the coordinator that every in-sync replica has the first entry of this epoch on its disk. */
    record Begun(ReplicaKey key, long epoch, ServerId primary) implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.begun(this, context);
        }
    }

    /**
     * A replica tells the coordinator that it cannot do its part and should leave the ISR.
     *
     * @param lost true when its data are gone or damaged for good; false when it may mend (failed engine, full disk)
     */
    record Unfit(ReplicaKey key, long epoch, ServerId server, String reason, boolean lost)
            implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.unfit(this, context);
        }
    }

    /** The coordinator asks a server which of these replicas are whole, before it lets go of other copies. */
    record Vouch(List<ReplicaKey> keys) implements ServerRequest {
        public Vouch {
            keys = List.copyOf(keys);
        }

        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.vouch(this, context);
        }
    }

    /**
     * The primary on a server that drains tells the coordinator that it takes no more updates in this epoch and that these
     * in-sync replicas have its whole log: each may be the next primary without any loss.
     */
    record HandOver(ReplicaKey key, long epoch, ServerId primary, List<ServerId> successors)
            implements CoordinatorRequest {
        public HandOver {
            successors = List.copyOf(successors);
        }

        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.handOver(this, context);
        }
    }

    /**
     * The primary tells the coordinator that it logs nothing more in this epoch, as it may have given others entries of it that
     * it does not have itself: the next epoch is wanted, which may be its own.
     */
    record Renew(ReplicaKey key, long epoch, ServerId primary) implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.renew(this, context);
        }
    }

    /** A server tells the coordinator that it drains (SIGTERM): move primaries and replicas away. */
    record Draining(ServerId server, long incarnation) implements CoordinatorRequest {
        @Override
        public <C> void handle(CoordinatorRequest.Handler<C> handler, C context) {
            handler.draining(this, context);
        }
    }

    /**
     * The coordinator asks a server to check a table's definition with its port.
     *
     * @param before the definition that it is to replace; empty for a new table
     */
    record ValidateTable(TableMeta meta, Optional<TableMeta> before) implements ServerRequest {
        /** For a new table. */
        public ValidateTable(TableMeta meta) {
            this(meta, Optional.empty());
        }

        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.validateTable(this, context);
        }
    }

    /** The coordinator tells a server a table's definition; acknowledged when the server uses it, else BEHIND: ask again soon. */
    record LearnTable(TableMeta meta) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.learnTable(this, context);
        }
    }

    /** The coordinator asks a server to delete from durable storage what belongs to an actor of a dropped table. */
    record EraseBackup(TableName table, ReplicaKey key) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.eraseBackup(this, context);
        }
    }

    /** Asks a server for its replicas' state and load. */
    record ReportLoad() implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.reportLoad(this, context);
        }
    }

    /**
     * The driver of an atomic update asks an actor's primary to prepare its part of this version.
     *
     * @param previous the table's newest committed version when this one was begun
     * @param participants how many actors have a part in it
     * @param batches the rows; none asks for the vote on rows that were sent before
     * @param told the table's log with the version in flight, where the server was not told it yet
     */
    record Prepare(
            TableName table,
            ReplicaKey key,
            long epoch,
            long version,
            long previous,
            int participants,
            List<BatchRows> batches,
            Optional<TransactionLogSnapshot> told)
            implements TransactionRequest {
        public Prepare {
            batches = List.copyOf(batches);
        }

        /** The same with these rows. */
        public Prepare with(List<BatchRows> other) {
            return new Prepare(table, key, epoch, version, previous, participants, other, told);
        }

        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.prepare(this, context);
        }
    }

    /**
     * Asks the driver of a version whether nobody can know of its commit so far. Acknowledged only where that is certain: the
     * driver has begun it, and has not sent its commit, or has sent it a moment ago and knows nothing of its outcome.
     */
    record Undisclosed(TableName table, long tableId, long version) implements TransactionRequest {
        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.undisclosed(this, context);
        }
    }

    /**
     * Tells an actor's primary what became of a version, as the table's log says.
     *
     * @param told that log, where the server was not told it yet
     */
    record Decide(TableName table, ReplicaKey key, long version, boolean commit, Optional<TransactionLogSnapshot> told)
            implements TransactionRequest {
        /** Of a log that the server knows, or reads by itself. */
        public Decide(TableName table, ReplicaKey key, long version, boolean commit) {
            this(table, key, version, commit, Optional.empty());
        }

        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.decide(this, context);
        }
    }

    /** Tells a server that hosts replicas of the table its log, which a driver has just written. */
    record Tell(TableName table, TransactionLogSnapshot told) implements TransactionRequest {
        @Override
        public <C> void handle(TransactionRequest.Handler<C> handler, C context) {
            handler.tell(this, context);
        }
    }

    /**
     * Asks an actor's primary for its part in a backup of the table with this id. Answered with {@link PeerReply.Pinned}.
     *
     * @param version the part is to have all of it and of those before it, and nothing newer; 0 on eventual tables
     */
    record PinActor(TableName table, ReplicaKey key, String backup, long version) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.pinActor(this, context);
        }
    }

    /** Asks a server to do something in durable storage. UNSUPPORTED where it has none. */
    record Archive(ArchiveRequest request) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.archive(this, context);
        }
    }

    /** Asks for parts of chunks that scatters made there. Answered with {@link PeerReply.Pieces}, one for each in this order. */
    record PullChunks(List<PullChunk> parts) implements ExchangeRequest {
        public PullChunks {
            parts = List.copyOf(parts);
        }

        @Override
        public <C> void handle(ExchangeRequest.Handler<C> handler, C context) {
            handler.pullChunks(this, context);
        }
    }

    /** Tells a server that an attempt of a plan is over: it lets go of all that it keeps for it. */
    record EndExchange(ExchangeId exchange) implements ExchangeRequest {
        @Override
        public <C> void handle(ExchangeRequest.Handler<C> handler, C context) {
            handler.endExchange(this, context);
        }
    }

    /** Asks for something of a server's trash. Answered with {@link PeerReply.Trashed}: what is there then. */
    record Trash(TrashCall call) implements ServerRequest {
        @Override
        public <C> void handle(ServerRequest.Handler<C> handler, C context) {
            handler.trash(this, context);
        }
    }
}
