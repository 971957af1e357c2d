package io.uniserve.protocol.message;

/** Reports of servers to the leading coordinator. */
public sealed interface CoordinatorRequest extends PeerRequest
        permits PeerRequest.Suspect,
                PeerRequest.Certified,
                PeerRequest.Fenced,
                PeerRequest.Begun,
                PeerRequest.Unfit,
                PeerRequest.HandOver,
                PeerRequest.Renew,
                PeerRequest.Draining {
    @Override
    default <C> void dispatch(Families<C> families, C context) {
        families.coordinator(this, context);
    }

    /** Calls the handler's method for this request. */
    <C> void handle(Handler<C> handler, C context);

    /**
     * One method per request of the family.
     *
     * @param <C> type of the context, for example the completion that takes the reply
     */
    interface Handler<C> {
        void suspect(PeerRequest.Suspect request, C context);

        void certified(PeerRequest.Certified request, C context);

        void fenced(PeerRequest.Fenced request, C context);

        void begun(PeerRequest.Begun request, C context);

        void unfit(PeerRequest.Unfit request, C context);

        void handOver(PeerRequest.HandOver request, C context);

        void renew(PeerRequest.Renew request, C context);

        void draining(PeerRequest.Draining request, C context);
    }
}
