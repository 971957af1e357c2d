package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Decision;
import io.uniserve.model.TransactionLogState.InFlight;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells the servers that host a table what its driver has written to the table's log, so that they need not read it: with the
 * messages that they get anyway, else by one of its own. Each write is sent to a server once; one that is lost is made good by
 * the next, or by the server's own look at the log. What is told is as good as a read, which may be old too.
 */
final class TransactionLogPublisher {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final Supplier<@Nullable TransactionLogSnapshot> newest;
    private final TreeMap<ServerId, Integer> sent = new TreeMap<>();
    /** Servers that have not answered their last message; true where they are to be told again when they have. */
    private final TreeMap<ServerId, Boolean> asked = new TreeMap<>();

    private int mapVersion = -1;
    private List<ServerId> hosts = List.of();

    /** @param newest the log that is certainly written or was read by the driver last, with its node's version */
    TransactionLogPublisher(
            TransactionContext host,
            TransactionConfig config,
            TableName table,
            long tableId,
            Supplier<@Nullable TransactionLogSnapshot> newest) {
        this.host = host;
        this.config = config;
        this.table = table;
        this.tableId = tableId;
        this.newest = newest;
    }

    /** What a request to this server takes along; empty where it is this one, or was sent it. */
    Optional<TransactionLogSnapshot> news(ServerId server) {
        TransactionLogSnapshot told = newest.get();
        if (told == null || told.log().tableId() != tableId || server.equals(host.self())) {
            return Optional.empty();
        }
        Integer before = sent.get(server);
        if (before != null && before >= told.nodeVersion() || !tellable(told.log())) {
            return Optional.empty();
        }
        sent.put(server, told.nodeVersion());
        return Optional.of(told);
    }

    /** True where it is small enough for a message to each server; what is not they read. */
    static boolean tellable(TransactionLogState log) {
        InFlight flight = log.inFlight();
        long entries = flight == null
                ? 0
                : flight.batches().size() + flight.participants().size();
        for (Decision decision : log.decisions()) {
            boolean all = decision.batches().isEmpty(); // all actors, of a version begun ahead: a few small numbers
            entries += decision.batches().size()
                    + decision.refused().size()
                    + (all ? 1 : decision.unacked().size());
        }
        return log.decisions().size() <= Limits.TOLD_DECISIONS_MAX && entries <= Limits.TOLD_ENTRIES_MAX;
    }

    /** Tells those in sync with these actors: readers may meet the version in flight there. */
    void tellReplicas(Collection<Integer> actors) {
        TransactionContext.Table known = host.table(table);
        if (known != null && known.meta().tableId() == tableId) {
            TreeSet<ServerId> servers = new TreeSet<>();
            actors.forEach(
                    actor -> servers.addAll(known.map().actors().get(actor).isr()));
            servers.forEach(this::tell);
        }
    }

    /** Tells all that host a replica of the table: readers there may be told of the newest version. */
    void tellAll() {
        TransactionContext.Table known = host.table(table);
        if (known == null || known.meta().tableId() != tableId) {
            return;
        }
        if (known.mapVersion() != mapVersion) {
            mapVersion = known.mapVersion();
            TreeSet<ServerId> servers = new TreeSet<>();
            for (ActorState actor : known.map().actors()) {
                servers.addAll(actor.isr());
                servers.addAll(actor.learners());
            }
            hosts = List.copyOf(servers);
            sent.keySet().retainAll(servers);
        }
        hosts.forEach(this::tell);
    }

    /** One message at a time: to a server that is slow to answer only the newest goes after it. */
    private void tell(ServerId server) {
        if (asked.containsKey(server)) {
            asked.put(server, true);
            return;
        }
        Address address = host.addressOf(server);
        if (address != null) {
            news(server).ifPresent(told -> {
                asked.put(server, false);
                host.env()
                        .network()
                        .call(address, new PeerRequest.Tell(table, told), config.rpcTimeoutNanos(), ignored -> {
                            if (Boolean.TRUE.equals(asked.remove(server))) {
                                tell(server);
                            }
                        });
            });
        }
    }
}
