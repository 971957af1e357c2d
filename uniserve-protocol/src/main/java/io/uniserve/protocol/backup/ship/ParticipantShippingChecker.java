package io.uniserve.protocol.backup.ship;

import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Check that the other actors of an atomic table have shipped their logs up to the newest version in a checkpoint. The checkpoint must not
 * be stored before, because it replaces an older one. The actor could then not go back to a version that all actors have. It sends requests
 * to the other primaries, a few at a time.
 */
final class ParticipantShippingChecker {
    private static final int ASKED_AT_ONCE = 8;
    private static final int TIMEOUT_INTERVALS = 10;

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final LongSupplier newest;
    private final TreeSet<Integer> remainingActors = new TreeSet<>();
    private final TreeSet<Integer> pendingActors = new TreeSet<>();
    private CheckpointStore.@Nullable Name checkpoint;
    private long version;
    private int cursor = -1;
    private long askAt;

    /** @param newest the newest version in this actor's log, decided or not */
    ParticipantShippingChecker(ReplicaContext host, ReplicaKey key, TableName table, LongSupplier newest) {
        this.host = host;
        this.key = key;
        this.table = table;
        this.newest = newest;
        this.askAt = host.env().clock().nanos();
    }

    /**
     * True when all other actors have shipped every version up to the checkpoint, including its decision. Otherwise their primaries get
     * requests, and the caller must repeat the check.
     */
    boolean haveShipped(CheckpointStore.Name candidate, long now) {
        TableMap map = host.map(table);
        if (map == null || map.tableId() != key.tableId()) {
            return false;
        }
        if (!candidate.equals(checkpoint)) {
            checkpoint = candidate;
            version = newest.getAsLong();
            remainingActors.clear();
            pendingActors.clear();
            for (int actor = 0; version > 0 && actor < map.actors().size(); actor++) {
                if (actor != key.actor()) {
                    remainingActors.add(actor);
                }
            }
        }
        if (!remainingActors.isEmpty() && now - askAt >= 0) {
            askAt = now + host.config().shippingNanos();
            sendRequests(map, candidate);
        }
        return remainingActors.isEmpty();
    }

    private void sendRequests(TableMap map, CheckpointStore.Name candidate) {
        for (int more = Math.min(remainingActors.size(), ASKED_AT_ONCE - pendingActors.size()); more > 0; more--) {
            Integer next = remainingActors.higher(cursor);
            int actor = next == null ? remainingActors.first() : next;
            cursor = actor;
            Address primary = host.addressOf(map.actors().get(actor).primary());
            if (primary == null || !pendingActors.add(actor)) {
                continue;
            }
            PeerRequest request = new PeerRequest.PinActor(table, new ReplicaKey(key.tableId(), actor), "", version);
            long timeout = TIMEOUT_INTERVALS * host.config().shippingNanos();
            host.env().network().call(primary, request, timeout, reply -> {
                if (candidate.equals(checkpoint)) {
                    pendingActors.remove(actor);
                    if (reply instanceof Outcome.Ok<PeerReply>) {
                        remainingActors.remove(actor);
                    }
                }
            });
        }
    }
}
