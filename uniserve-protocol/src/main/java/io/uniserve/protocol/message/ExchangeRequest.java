package io.uniserve.protocol.message;

/** Requests about chunks of multi-stage plans. The exchange handles them on a loop of its own. */
public sealed interface ExchangeRequest extends PeerRequest permits PeerRequest.PullChunks, PeerRequest.EndExchange {
    @Override
    default <C> void dispatch(Families<C> families, C context) {
        families.exchange(this, context);
    }

    /** Calls the handler's method for this request. */
    <C> void handle(Handler<C> handler, C context);

    /**
     * One method per request of the family.
     *
     * @param <C> type of the context, for example the completion that takes the reply
     */
    interface Handler<C> {
        void pullChunks(PeerRequest.PullChunks request, C context);

        void endExchange(PeerRequest.EndExchange request, C context);
    }
}
