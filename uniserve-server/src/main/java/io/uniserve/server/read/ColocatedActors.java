package io.uniserve.server.read;

import io.uniserve.api.ActorView;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.server.read.session.PinnedActor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Actors of other tables that the operator of one target may read in addition to its own actor. Each is pinned. Its gate is checked like
 * the target's: before the operator runs, and again at the end. An actor that this server cannot read at present counts as absent. Not
 * thread-safe.
 */
final class ColocatedActors implements AutoCloseable {
    private final ReadTaskContext service;
    private final ReadMode mode;
    private final Map<TableName, Found> found = new LinkedHashMap<>();

    private record Found(ReplicaKey key, ReadRequest.Target target, ReadGate gate, PinnedActor actor) {}

    private Optional<LaggingGate> behind = Optional.empty();

    /** Gate that may open soon. */
    record LaggingGate(TableName table, ReplicaKey key, ReadGate gate) {}

    private ColocatedActors(ReadTaskContext service, ReadMode mode) {
        this.service = service;
        this.mode = mode;
    }

    /** Finds the co-located actors of the target at this index. */
    static ColocatedActors of(ReadTaskContext service, ReadRequest request, int place) {
        ColocatedActors all = new ColocatedActors(service, request.mode());
        int actor = request.targets().get(place).actor();
        if (request.session().isEmpty()) { // A session holds states of one table.
            try {
                for (ReadRequest.ColocatedTargets beside : request.colocated()) {
                    // These targets have the order of the request's targets.
                    if (place < beside.targets().size()
                            && beside.targets().get(place).actor() == actor) {
                        all.find(beside, beside.targets().get(place), request.operator());
                    }
                }
            } catch (RuntimeException e) {
                all.close();
                throw e;
            }
        }
        return all;
    }

    private void find(ReadRequest.ColocatedTargets beside, ReadRequest.Target target, String operator) {
        ReplicaKey key = new ReplicaKey(beside.tableId(), target.actor());
        ReadGate gate = service.gates().get(key);
        if (found.containsKey(beside.table()) || gate == null) {
            return;
        }
        Optional<ActorFailure> refusal =
                gate.check(target, mode, service.clock().nanos());
        if (refusal.isPresent()) {
            if (target.epoch() > gate.epoch() || refusal.get().code() == ErrorCode.BEHIND) {
                behind = Optional.of(new LaggingGate(beside.table(), key, gate));
            }
            return;
        }
        Optional<PinnedActor> pinned = service.actors().pin(key);
        if (pinned.isPresent() && !isReadable(pinned.get(), operator)) {
            pinned.get().close();
        } else if (pinned.isPresent()) {
            found.put(beside.table(), new Found(key, target, gate, pinned.get()));
        }
    }

    /** True if the actor has the operator's engine, and its table is eventual. */
    private static boolean isReadable(PinnedActor actor, String operator) {
        return !actor.isAtomic()
                && actor.operator(operator)
                        .filter(one -> one.actorType().isInstance(actor.actor()))
                        .isPresent();
    }

    /** Actor that has not yet the epoch or log index that the caller has seen. */
    Optional<LaggingGate> laggingGate() {
        return behind;
    }

    /** Actor with updates that are not published, as it had no readers. */
    Optional<PinnedActor> unpublished() {
        return mode == ReadMode.STALE
                ? Optional.empty()
                : found.values().stream()
                        .map(Found::actor)
                        .filter(actor -> !actor.isPublished())
                        .findFirst();
    }

    Optional<ActorView> actor(TableName table) {
        return Optional.ofNullable(found.get(table)).map(one -> one.actor.actor());
    }

    /** Failure if the result is invalid because one of the actors has moved or its lease has ended. The caller repeats the read. */
    Optional<ActorFailure> failureAfterRead() {
        for (Map.Entry<TableName, Found> one : found.entrySet()) {
            Found was = one.getValue();
            ReadGate after = service.gates().get(was.key);
            if (after == null
                    || after.checkAfter(
                                    was.gate, was.target, mode, service.clock().nanos())
                            .isPresent()) {
                return Optional.of(new ActorFailure(
                        was.target.actor(),
                        ErrorCode.UNAVAILABLE,
                        "the actor of table " + one.getKey() + " beside it was moved while it was read",
                        0));
            }
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        found.values().forEach(one -> one.actor.close());
    }
}
