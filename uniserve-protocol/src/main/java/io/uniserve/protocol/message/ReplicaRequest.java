package io.uniserve.protocol.message;

/** Requests to one replica of an actor, about its log and contents. The server that hosts the replica handles them. */
public sealed interface ReplicaRequest extends PeerRequest
        permits PeerRequest.Replicate, PeerRequest.QuarantineCopy, PeerRequest.TakeDigest, PeerRequest.CompareCopies {
    @Override
    default <C> void dispatch(Families<C> families, C context) {
        families.replica(this, context);
    }

    /** Calls the handler's method for this request. */
    <C> void handle(Handler<C> handler, C context);

    /**
     * One method per request of the family.
     *
     * @param <C> type of the context, for example the completion that takes the reply
     */
    interface Handler<C> {
        void replicate(PeerRequest.Replicate request, C context);

        void quarantineCopy(PeerRequest.QuarantineCopy request, C context);

        void takeDigest(PeerRequest.TakeDigest request, C context);

        void compareCopies(PeerRequest.CompareCopies request, C context);
    }
}
