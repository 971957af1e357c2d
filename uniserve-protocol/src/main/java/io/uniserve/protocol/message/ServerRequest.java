package io.uniserve.protocol.message;

/** Requests to a server about itself, its table definitions, durable storage and trash. Most come from the coordinator. */
public sealed interface ServerRequest extends PeerRequest
        permits PeerRequest.Ping,
                PeerRequest.ListIntactReplicas,
                PeerRequest.ValidateTable,
                PeerRequest.UpdateTableDefinition,
                PeerRequest.ConfirmChunks,
                PeerRequest.ReportLoad,
                PeerRequest.EraseBackup,
                PeerRequest.PinActor,
                PeerRequest.Archive,
                PeerRequest.Trash {
    @Override
    default <C> void dispatch(Families<C> families, C context) {
        families.server(this, context);
    }

    /** Calls the handler's method for this request. */
    <C> void handle(Handler<C> handler, C context);

    /**
     * One method per request of the family.
     *
     * @param <C> type of the context, for example the completion that takes the reply
     */
    interface Handler<C> {
        void ping(PeerRequest.Ping request, C context);

        void listIntactReplicas(PeerRequest.ListIntactReplicas request, C context);

        void validateTable(PeerRequest.ValidateTable request, C context);

        void updateTableDefinition(PeerRequest.UpdateTableDefinition request, C context);

        void confirmChunks(PeerRequest.ConfirmChunks request, C context);

        void reportLoad(PeerRequest.ReportLoad request, C context);

        void eraseBackup(PeerRequest.EraseBackup request, C context);

        void pinActor(PeerRequest.PinActor request, C context);

        void archive(PeerRequest.Archive request, C context);

        void trash(PeerRequest.Trash request, C context);
    }
}
