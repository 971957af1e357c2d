package io.uniserve.protocol.reader;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.QueryRequest;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.ReadReply;
import io.uniserve.protocol.message.ReadRequest;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Several reads that see one state of each actor. The first read of an actor settles which replica answers for it, and in
 * which state; later reads ask that replica for that state, and fail with VERSION_GONE where it has it no more: never a
 * mixture of states. The owner starts anew then, with another session.
 *
 * <p>States are held there for the session. Or nothing is held, which costs nothing, and a later read finds the state as long
 * as no update has come: for those who can start anew with a session that holds.
 *
 * <p>Not thread-safe: used where its queries run.
 */
public final class ReadSession {
    private static final long RELEASE_NANOS = 5_000_000_000L;

    private final long high;
    private final long low;
    private final long untilNanos;
    private final Map<ReplicaKey, Pin> pins = new LinkedHashMap<>();
    /** Every server that may hold a state of the table, those whose answers did not count among them. */
    private final Map<ServerId, Map<TableKey, Set<Integer>>> asked = new TreeMap<>();

    private final boolean present;

    /** An actor's state on the replica that has it; version 0 where it could not be told from the one after it. */
    record Pin(ServerId server, long version) {
        /** True where no later read can see it. */
        boolean lost(RouteIndex index) {
            return version == 0 || !index.live(server);
        }
    }

    private record TableKey(TableName name, long id) {}

    /**
     * A session that holds nothing yet.
     *
     * @param high drawn at random, with {@code low}
     * @param untilNanos how long states are to be held, on the machine's clock
     */
    public ReadSession(long high, long low, long untilNanos) {
        this(high, low, untilNanos, false);
    }

    private ReadSession(long high, long low, long untilNanos, boolean present) {
        this.high = high;
        this.low = low;
        this.untilNanos = untilNanos;
        this.present = present;
    }

    /** A session that never holds anything: it ends with the first update that comes between its reads. */
    public static ReadSession ofPresentStates(long untilNanos) {
        return new ReadSession(0, 0, untilNanos, true);
    }

    /** True where nothing is held. */
    public boolean holdsNothing() {
        return present;
    }

    /** The session of a query that somebody else's session sent here. */
    public static ReadSession of(QueryRequest.Session told, long tableId, long nowNanos) {
        ReadSession session = new ReadSession(told.high(), told.low(), nowNanos + told.remainingNanos());
        for (QueryRequest.Session.Pin pin : told.pins()) {
            session.pins.put(new ReplicaKey(tableId, pin.actor()), new Pin(pin.server(), pin.version()));
        }
        return session;
    }

    /** What a server that plans a query of this session must know. */
    QueryRequest.Session told(long tableId, long nowNanos) {
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

    ReadRequest.Hold hold(long nowNanos) {
        return new ReadRequest.Hold(high, low, Math.max(1, untilNanos - nowNanos), present);
    }

    void asks(ServerId server, TableName table, long tableId, int actor) {
        if (present) {
            return; // nothing to let go of
        }
        asked.computeIfAbsent(server, id -> new LinkedHashMap<>())
                .computeIfAbsent(new TableKey(table, tableId), key -> new LinkedHashSet<>())
                .add(actor);
    }

    /** Settles the states of the part's actors; UNSUPPORTED where the server holds none. */
    void took(ServerId server, long tableId, ReadReply.Part part) {
        if (part.versions().size() != part.actors().size()) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "server " + server + " tells no states for sessions; it runs another version, upgrade it");
        }
        for (int i = 0; i < part.actors().size(); i++) {
            pins.putIfAbsent(
                    new ReplicaKey(tableId, part.actors().get(i)),
                    new Pin(server, part.versions().get(i)));
        }
    }

    /** Tells every server that was asked to let go; what does not arrive is let go of at the end of its time. */
    public void release(ClientContext env) {
        RouteIndex index = env.routing().current();
        long now = env.clock().nanos();
        asked.forEach((server, tables) -> index.address(server)
                .ifPresent(address -> tables.forEach((table, actors) -> release(env, address, table, actors, now))));
        asked.clear();
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
                Optional.of(hold(now)));
        env.network().read(address, request, outcome -> {
            // Nobody waits for it, and what is not let go of now has an end of its own.
        });
    }
}
