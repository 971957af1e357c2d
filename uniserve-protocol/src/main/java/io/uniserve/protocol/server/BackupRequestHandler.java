package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.archive.ArchiveService;
import io.uniserve.protocol.backup.ship.BackupEraser;
import io.uniserve.protocol.backup.ship.SnapshotPinAccess;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Handler of the coordinator's backup requests: to a primary on this server, or for durable storage. */
final class BackupRequestHandler {
    private final ArchiveService archive;
    private final Consumer<Completion<Done>> confirmOwnership;
    private final Function<ReplicaKey, @Nullable Replica> replicas;

    /** @param owned completes once durable storage is confirmed as this cluster's, which every backup request needs */
    BackupRequestHandler(
            Environment env,
            Consumer<Completion<Done>> owned,
            ReplicaConfig config,
            BackupEraser eraser,
            Function<ReplicaKey, @Nullable Replica> replicas) {
        this.archive = new ArchiveService(env, config, eraser);
        this.confirmOwnership = owned;
        this.replicas = replicas;
    }

    void pin(PeerRequest.PinActor request, Completion<PeerReply> completion) {
        onceOwned(completion, () -> {
            SnapshotPinAccess pins = pins(request.key());
            if (pins == null) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.NOT_PRIMARY, "this server is not the primary of " + request.key())));
            } else {
                pins.pin(request.backup(), request.version(), completion);
            }
        });
    }

    void archive(ArchiveRequest request, Completion<PeerReply> completion) {
        onceOwned(
                completion,
                () -> archive.handle(request, outcome -> {
                    SnapshotPinAccess pins =
                            request instanceof ArchiveRequest.DeletePin release ? pins(release.key()) : null;
                    if (pins != null) {
                        pins.deleteUnpinned();
                    }
                    completion.done(outcome);
                }));
    }

    private void onceOwned(Completion<PeerReply> completion, Runnable task) {
        confirmOwnership.accept(confirmed -> {
            if (confirmed instanceof Outcome.Err<Done> err) {
                completion.done(Outcome.err(err.error()));
            } else {
                task.run();
            }
        });
    }

    private @Nullable SnapshotPinAccess pins(ReplicaKey key) {
        Replica replica = replicas.apply(key);
        return replica == null ? null : replica.pins();
    }
}
