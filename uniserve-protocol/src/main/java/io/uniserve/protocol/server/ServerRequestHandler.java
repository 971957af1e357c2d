package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.ship.BackupEraser;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ServerRequest;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.protocol.server.identity.ServerRegistration;

/** Handler of requests about the server itself: liveness, load, table definitions, backups and trash. */
final class ServerRequestHandler implements ServerRequest.Handler<Completion<PeerReply>> {
    private final ServerConfig config;
    private final ServerRegistration registration;
    private final HostedReplicas replicas;
    private final TableViewCache views;
    private final LoadReporter loads;
    private final BackupEraser eraser;
    private final BackupRequestHandler backups;
    private final TrashRequestHandler trash;

    ServerRequestHandler(
            ServerConfig config,
            ServerRegistration registration,
            HostedReplicas replicas,
            TableViewCache views,
            LoadReporter loads,
            BackupEraser eraser,
            BackupRequestHandler backups,
            TrashRequestHandler trash) {
        this.config = config;
        this.registration = registration;
        this.replicas = replicas;
        this.views = views;
        this.loads = loads;
        this.eraser = eraser;
        this.backups = backups;
        this.trash = trash;
    }

    @Override
    public void ping(PeerRequest.Ping request, Completion<PeerReply> completion) {
        completion.done(Outcome.ok(new PeerReply.Pong(config.id(), registration.incarnation())));
    }

    @Override
    public void listIntactReplicas(PeerRequest.ListIntactReplicas request, Completion<PeerReply> completion) {
        completion.done(Outcome.ok(replicas.intactReplicas(request, registration.incarnation())));
    }

    @Override
    public void validateTable(PeerRequest.ValidateTable request, Completion<PeerReply> completion) {
        completion.done(TableDefinitionChecker.check(config, request.meta()));
    }

    @Override
    public void updateTableDefinition(PeerRequest.UpdateTableDefinition request, Completion<PeerReply> completion) {
        TableMeta meta = request.meta();
        TableViewCache.View view = views.find(meta.name());
        if (view != null && view.meta().equals(meta)) {
            completion.done(Outcome.ok(new PeerReply.Ack()));
            return;
        }
        views.refreshDefinition(meta.name());
        completion.done(Outcome.err(new UniserveException(
                ErrorCode.BEHIND, "this server does not know that definition of " + meta.name() + " yet: ask again")));
    }

    @Override
    public void confirmChunks(PeerRequest.ConfirmChunks request, Completion<PeerReply> completion) {
        TableViewCache.View view = views.find(request.table());
        if (view != null
                && view.map().tableId() == request.tableId()
                && view.map().generation() >= request.generation()) {
            completion.done(Outcome.ok(new PeerReply.Ack()));
            return;
        }
        views.refresh(request.table());
        completion.done(Outcome.err(new UniserveException(
                ErrorCode.BEHIND,
                "this server does not have generation " + request.generation() + " of the map of " + request.table()
                        + " yet: ask again")));
    }

    @Override
    public void reportLoad(PeerRequest.ReportLoad request, Completion<PeerReply> completion) {
        loads.report(completion);
    }

    @Override
    public void eraseBackup(PeerRequest.EraseBackup request, Completion<PeerReply> completion) {
        eraser.erase(
                request.table(),
                request.key(),
                outcome -> completion.done(
                        outcome instanceof Outcome.Err<Done> err
                                ? Outcome.err(err.error())
                                : Outcome.ok(new PeerReply.Ack())));
    }

    @Override
    public void pinActor(PeerRequest.PinActor request, Completion<PeerReply> completion) {
        backups.pin(request, completion);
    }

    @Override
    public void archive(PeerRequest.Archive request, Completion<PeerReply> completion) {
        backups.archive(request.request(), completion);
    }

    @Override
    public void trash(PeerRequest.Trash request, Completion<PeerReply> completion) {
        trash.handle(request.call(), completion);
    }
}
