package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.TransactionRequest;
import io.uniserve.protocol.replica.Replica;

/**
 * Handler of requests about atomic updates: of transaction managers to participants on this server, and of readers in doubt. First it
 * takes over the transaction log that a request carries.
 */
final class TransactionRequestHandler implements TransactionRequest.Handler<Completion<PeerReply>> {
    private final AtomicTableHost tables;
    private final HostedReplicas replicas;

    TransactionRequestHandler(AtomicTableHost tables, HostedReplicas replicas) {
        this.tables = tables;
        this.replicas = replicas;
    }

    @Override
    public void prepare(PeerRequest.Prepare request, Completion<PeerReply> completion) {
        request.transactionLog().ifPresent(log -> tables.onPublished(request.table(), log));
        Replica replica = replicas.find(request.key());
        if (replica == null) {
            completion.done(Outcome.ok(PeerReply.Vote.retry(0, "this server does not hold the actor")));
        } else {
            replica.transactions().prepare(tables.service().fillPrepare(request), completion);
        }
    }

    @Override
    public void decide(PeerRequest.Decide request, Completion<PeerReply> completion) {
        request.transactionLog().ifPresent(log -> tables.onPublished(request.table(), log));
        tables.service().onDecision(request);
        if (request.commit()) { // too large for the request: this server reads the log itself
            tables.service().commitVisibility().markVisible(request.key().tableId(), request.version());
        }
        Replica replica = replicas.find(request.key());
        if (replica == null) {
            completion.done(
                    Outcome.err(new UniserveException(ErrorCode.NOT_PRIMARY, "this server does not hold the actor")));
        } else {
            replica.transactions().decide(request, completion);
        }
    }

    @Override
    public void isCommitInvisible(PeerRequest.IsCommitInvisible request, Completion<PeerReply> completion) {
        completion.done(
                tables.service().canClaimInvisible(request)
                        ? Outcome.ok(new PeerReply.Ack())
                        : Outcome.err(new UniserveException(
                                ErrorCode.UNAVAILABLE, "this server does not know: ask the table's log")));
    }

    @Override
    public void publishTransactionLog(PeerRequest.PublishTransactionLog request, Completion<PeerReply> completion) {
        tables.onPublished(request.table(), request.transactionLog());
        completion.done(Outcome.ok(new PeerReply.Ack()));
    }
}
