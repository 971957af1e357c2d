package io.uniserve.protocol.message;

/** Reports of servers to the leading coordinator. */
public sealed interface CoordinatorRequest extends PeerRequest
        permits PeerRequest.Suspect,
                PeerRequest.LearnerCaughtUp,
                PeerRequest.ReplicasFenced,
                PeerRequest.EpochStarted,
                PeerRequest.ReportUnhealthy,
                PeerRequest.PrimaryTransferReady,
                PeerRequest.RequestNewEpoch,
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

        void learnerCaughtUp(PeerRequest.LearnerCaughtUp request, C context);

        void replicasFenced(PeerRequest.ReplicasFenced request, C context);

        void epochStarted(PeerRequest.EpochStarted request, C context);

        void reportUnhealthy(PeerRequest.ReportUnhealthy request, C context);

        void primaryTransferReady(PeerRequest.PrimaryTransferReady request, C context);

        void requestNewEpoch(PeerRequest.RequestNewEpoch request, C context);

        void draining(PeerRequest.Draining request, C context);
    }
}
