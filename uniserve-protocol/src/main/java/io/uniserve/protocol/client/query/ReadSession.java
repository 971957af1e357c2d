package io.uniserve.protocol.client.query;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.RouteIndex;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Session of several reads that see one state per actor. The first read of an actor fixes replica and state. Later reads request that state
 * from that replica, and fail with VERSION_GONE if it no longer has it; states are never mixed. The owner then restarts with a new session.
 *
 * <p>Replicas usually hold these states for the session. A session without held states costs nothing: a later read finds the state as long
 * as no update has arrived. Use it if a restart with a holding session is possible.
 *
 * <p>Not thread-safe: used on the loop of its queries.
 */
public final class ReadSession {
    private static final long RELEASE_NANOS = 5_000_000_000L;

    private final long high;
    private final long low;
    private final long untilNanos;
    private final Map<ReplicaKey, Pin> pins = new LinkedHashMap<>();
    /** Servers that may hold a state of the table, including those whose replies were not used. */
    private final Map<ServerId, Map<TableKey, Set<Integer>>> contactedServers = new TreeMap<>();

    private final boolean currentOnly;

    /** The state of an actor at the replica that has it; version 0 if it could not be distinguished from the next state. */
    record Pin(ServerId server, long version) {
        /** True if no later read can get it. */
        boolean isLost(RouteIndex index) {
            return version == 0 || !index.isLive(server);
        }
    }

    private record TableKey(TableName name, long id) {}

    /**
     * A new session without states.
     *
     * @param high random number, together with {@code low}
     * @param untilNanos time until which states are held, by the machine's clock
     */
    public ReadSession(long high, long low, long untilNanos) {
        this(high, low, untilNanos, false);
    }

    private ReadSession(long high, long low, long untilNanos, boolean present) {
        this.high = high;
        this.low = low;
        this.untilNanos = untilNanos;
        this.currentOnly = present;
    }

    /** A session without held states: it ends with the first update between its reads. */
    public static ReadSession withoutHolding(long untilNanos) {
        return new ReadSession(0, 0, untilNanos, true);
    }

    /** True if states are not held. */
    public boolean isCurrentOnly() {
        return currentOnly;
    }

    /** The session of a query that another process sent here. */
    public static ReadSession of(QueryRequest.Session told, long tableId, long nowNanos) {
        ReadSession session = new ReadSession(told.high(), told.low(), nowNanos + told.remainingNanos());
        for (QueryRequest.Session.Pin pin : told.pins()) {
            session.pins.put(new ReplicaKey(tableId, pin.actor()), new Pin(pin.server(), pin.version()));
        }
        return session;
    }

    /** The session's states of this table, for the server that plans a query. */
    QueryRequest.Session toRequest(long tableId, long nowNanos) {
        List<QueryRequest.Session.Pin> all = pins.entrySet().stream()
                .filter(entry -> entry.getKey().tableId() == tableId)
                .map(entry -> new QueryRequest.Session.Pin(
                        entry.getKey().actor(),
                        entry.getValue().server(),
                        entry.getValue().version()))
                .toList();
        return new QueryRequest.Session(high, low, Math.max(1, untilNanos - nowNanos), all);
    }

    Optional<Pin> pin(long tableId, int actor) {
        return Optional.ofNullable(pins.get(new ReplicaKey(tableId, actor)));
    }

    ReadRequest.SessionHold toSessionHold(long nowNanos) {
        return new ReadRequest.SessionHold(high, low, Math.max(1, untilNanos - nowNanos), currentOnly);
    }

    void addContacted(ServerId server, TableName table, long tableId, int actor) {
        if (currentOnly) {
            return; // nothing to release
        }
        contactedServers
                .computeIfAbsent(server, id -> new LinkedHashMap<>())
                .computeIfAbsent(new TableKey(table, tableId), key -> new LinkedHashSet<>())
                .add(actor);
    }

    /** Fixes the states of the part's actors. Fails with UNSUPPORTED if the server does not support sessions. */
    void fixStates(ServerId server, long tableId, ReadReply.Part part) {
        if (part.versions().size() != part.actors().size()) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "server " + server + " does not support sessions: upgrade it to the version of this client");
        }
        for (int i = 0; i < part.actors().size(); i++) {
            pins.putIfAbsent(
                    new ReplicaKey(tableId, part.actors().get(i)),
                    new Pin(server, part.versions().get(i)));
        }
    }

    /** Releases the held states on every server that was queried. States whose release gets lost are released at the end of their time. */
    public void release(ClientContext env) {
        RouteIndex index = env.routing().current();
        long now = env.clock().nanos();
        contactedServers.forEach((server, tables) -> index.address(server)
                .ifPresent(address -> tables.forEach((table, actors) -> release(env, address, table, actors, now))));
        contactedServers.clear();
    }

    private void release(ClientContext env, Address address, TableKey table, Set<Integer> actors, long now) {
        ReadRequest request = new ReadRequest(
                table.name(),
                table.id(),
                actors.stream()
                        .map(actor -> new ReadRequest.Target(actor, 0, 0))
                        .toList(),
                ReadRequest.RELEASE,
                Bytes.EMPTY,
                high,
                low,
                1,
                RELEASE_NANOS,
                ReadMode.STALE,
                List.of(),
                Optional.of(toSessionHold(now)));
        env.network().read(address, request, outcome -> {
            // The result does not matter: states that are not released now expire.
        });
    }
}
