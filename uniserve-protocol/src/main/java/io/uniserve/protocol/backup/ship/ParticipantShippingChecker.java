package io.uniserve.protocol.backup.ship;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.replica.storage.CheckpointStore;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Check that the other actors of an atomic table have shipped their logs up to the newest version in a checkpoint. The checkpoint must not
 * be stored before, because it replaces an older one. The actor could then not go back to a version that all actors have. It sends requests
 * to the other primaries, a few at a time.
 *
 * <p>The actors of a TIME table change. So the server's map is first confirmed in the registry, after the versions were committed: it then
 * has every participant of them whose chunk is not expired. Actors of chunks that expire meanwhile are not waited for.
 */
final class ParticipantShippingChecker {
    private static final int ASKED_AT_ONCE = 8;
    private static final int TIMEOUT_INTERVALS = 10;

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final TableName table;
    private final Partitioner partitioner;
    private final LongSupplier newest;
    private final TreeSet<Integer> remainingActors = new TreeSet<>();
    private final TreeSet<Integer> pendingActors = new TreeSet<>();
    private CheckpointStore.@Nullable Name checkpoint;
    private long version;
    private int cursor = -1;
    private long askAt;
    private boolean actorsKnown;
    private boolean confirming;

    /** @param newest the newest version in this actor's log, decided or not */
    ParticipantShippingChecker(ReplicaContext host, ReplicaKey key, TableMeta meta, LongSupplier newest) {
        this.host = host;
        this.key = key;
        this.table = meta.name();
        this.partitioner = meta.partitioner();
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
            actorsKnown = version == 0;
            if (!(partitioner instanceof Partitioner.Time)) {
                addOthers(map);
            }
        }
        if (!actorsKnown && now - askAt >= 0) {
            confirmActors(map, candidate);
        }
        remainingActors.removeIf(actor -> map.isExpired(partitioner, actor));
        if (!remainingActors.isEmpty() && now - askAt >= 0) {
            askAt = now + host.config().shippingNanos();
            sendRequests(map, candidate);
        }
        return actorsKnown && remainingActors.isEmpty();
    }

    private void addOthers(TableMap map) {
        actorsKnown = true;
        if (version > 0) {
            remainingActors.addAll(map.numbers());
            remainingActors.remove(key.actor());
        }
    }

    /** Takes the actors of this map once the registry confirms that it is the newest. */
    private void confirmActors(TableMap map, CheckpointStore.Name candidate) {
        if (confirming) {
            return;
        }
        confirming = true;
        long asked = version;
        Op check = new Op.Check(RegistryPaths.map(table), host.mapVersion(table));
        host.env().registry().multi(List.of(check), checked -> {
            confirming = false;
            if (!candidate.equals(checkpoint) || version != asked || actorsKnown) {
                return;
            }
            if (checked instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                addOthers(map);
            } else {
                askAt = host.env().clock().nanos() + host.config().shippingNanos();
                host.refresh(table);
            }
            host.wantTicks(key);
        });
    }

    private void sendRequests(TableMap map, CheckpointStore.Name candidate) {
        for (int more = Math.min(remainingActors.size(), ASKED_AT_ONCE - pendingActors.size()); more > 0; more--) {
            Integer next = remainingActors.higher(cursor);
            int actor = next == null ? remainingActors.first() : next;
            cursor = actor;
            ActorState row = map.find(actor);
            Address primary = row == null ? null : host.addressOf(row.primary());
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
