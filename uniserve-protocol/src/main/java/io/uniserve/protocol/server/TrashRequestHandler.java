package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TrashEntry;
import io.uniserve.model.TrashReport;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.TrashCall;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.protocol.server.config.TrashConfig;
import io.uniserve.protocol.server.identity.RegistryDataLossGuard;
import io.uniserve.protocol.server.trash.TrashFolder;
import java.util.ArrayDeque;
import java.util.List;

/** Handler of operators' requests to a server's trash. */
final class TrashRequestHandler {
    private final ServerId self;
    private final TrashConfig config;
    private final TrashFolder trash;
    private final TableViewCache views;
    private final HostedReplicas replicas;
    private final RegistryDataLossGuard guard;

    TrashRequestHandler(
            ServerConfig config,
            TrashFolder trash,
            TableViewCache views,
            HostedReplicas replicas,
            RegistryDataLossGuard guard) {
        this.self = config.id();
        this.config = config.trash();
        this.trash = trash;
        this.views = views;
        this.replicas = replicas;
        this.guard = guard;
    }

    /**
     * Handles a request. The reply has the contents of the trash afterwards. Errors: INVALID_ARGUMENT, TABLE_NOT_FOUND, UNAVAILABLE, those
     * of the disk.
     */
    void handle(TrashCall call, Completion<PeerReply> completion) {
        Completion<Done> done = outcome -> completion.done(outcome.map(ok -> new PeerReply.Trashed(report())));
        try {
            switch (call.action()) {
                case LIST -> done.done(Outcome.ok(Done.DONE));
                case RESTORE -> restore(entry(call.entry()), done);
                case PURGE ->
                    trash.purge(
                            new ArrayDeque<>(call.entry().isEmpty() ? trash.all() : List.of(entry(call.entry()))),
                            "an operator purged it",
                            done);
            }
        } catch (UniserveException refused) {
            completion.done(Outcome.err(refused));
        }
    }

    private TrashReport report() {
        List<TrashEntry> all = trash.all();
        return new TrashReport(
                all.subList(0, Math.min(all.size(), Limits.TRASH_ENTRIES_TOLD_MAX)),
                guard.heldReplicas(),
                config.bytesMax());
    }

    private TrashEntry entry(String id) {
        TrashEntry entry = trash.find(id);
        if (entry == null) {
            throw UniserveException.invalid(
                    "trash entry \"" + id + "\": server " + self + " has no such entry: list its trash");
        }
        return entry;
    }

    private void restore(TrashEntry entry, Completion<Done> done) {
        ReplicaKey key = entry.key();
        String what = "trash entry " + entry.id() + " has actor " + key.actor() + " of table "
                + (entry.table().isEmpty()
                        ? "number " + key.tableId()
                        : entry.table() + " (number " + key.tableId() + ")");
        TableViewCache.View view = views.find(key.tableId());
        if (view == null) {
            throw new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND,
                    what
                            + ", which the registry does not know: restore the registry's data, then the replica"
                            + " is restored too; or restore the table from a backup (uniserve restore)");
        }
        if (!entry.table().isEmpty() && !entry.table().equals(view.meta().name().value())) {
            throw UniserveException.invalid(what + ", but the registry's table of that number is "
                    + view.meta().name() + ": it belongs to another cluster");
        }
        ActorState actor = view.map().find(key.actor());
        if (actor == null || !actor.hasReplicaOn(self)) {
            throw UniserveException.invalid(what + ", and the map names for it "
                    + (actor == null ? "no server" : "servers " + actor.isr())
                    + ": all acknowledged updates are there; for a replica here, move one (uniserve move)");
        }
        if (replicas.keys().contains(key) || replicas.find(key) != null) {
            throw UniserveException.invalid(what + ", and this server already has a replica of it");
        }
        replicas.restore(entry, done);
    }
}
