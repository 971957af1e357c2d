package io.uniserve.protocol.message;

/** Requests of a transaction manager to servers with participants, and of readers that are in doubt to the manager. */
public sealed interface TransactionRequest extends PeerRequest
        permits PeerRequest.Prepare,
                PeerRequest.Decide,
                PeerRequest.IsCommitInvisible,
                PeerRequest.PublishTransactionLog {
    @Override
    default <C> void dispatch(Families<C> families, C context) {
        families.transaction(this, context);
    }

    /** Calls the handler's method for this request. */
    <C> void handle(Handler<C> handler, C context);

    /**
     * One method per request of the family.
     *
     * @param <C> type of the context, for example the completion that takes the reply
     */
    interface Handler<C> {
        void prepare(PeerRequest.Prepare request, C context);

        void decide(PeerRequest.Decide request, C context);

        void isCommitInvisible(PeerRequest.IsCommitInvisible request, C context);

        void publishTransactionLog(PeerRequest.PublishTransactionLog request, C context);
    }
}
