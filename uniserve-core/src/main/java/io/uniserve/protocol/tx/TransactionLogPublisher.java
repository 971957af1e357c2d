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
 * Publishes a table's transaction log to the servers that host the table, so that they need not read it from ZooKeeper. The log travels
 * with requests that are sent anyway, or else in a message of its own. Each write is sent once per server. A lost message is replaced by
 * the next one, or by the server's own read. A published log is as good as one that was read: both may be outdated.
 */
final class TransactionLogPublisher {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final Supplier<@Nullable TransactionLogSnapshot> newest;
    private final TreeMap<ServerId, Integer> sent = new TreeMap<>();
    /** Servers with a message under way; true if another message is to follow its reply. */
    private final TreeMap<ServerId, Boolean> asked = new TreeMap<>();

    private int mapVersion = -1;
    private List<ServerId> hosts = List.of();

    /** @param newest the log that this manager has read or certainly written last, with its znode version */
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

    /** The log to attach to a request to this server; empty if the server is this one, already has it, or the log is too large. */
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

    /** True if the log is small enough to be sent to each server. Servers read a larger one from ZooKeeper. */
    static boolean tellable(TransactionLogState log) {
        InFlight flight = log.inFlight();
        long entries = flight == null
                ? 0
                : flight.batches().size() + flight.participants().size();
        for (Decision decision : log.decisions()) {
            boolean all = decision.batches().isEmpty(); // all actors, of a version started ahead: a few small numbers
            entries += decision.batches().size()
                    + decision.refused().size()
                    + (all ? 1 : decision.unacked().size());
        }
        return log.decisions().size() <= Limits.TOLD_DECISIONS_MAX && entries <= Limits.TOLD_ENTRIES_MAX;
    }

    /** Publishes to the in-sync replicas of these actors, where readers may find the version in flight. */
    void tellReplicas(Collection<Integer> actors) {
        TransactionContext.Table known = host.table(table);
        if (known != null && known.meta().tableId() == tableId) {
            TreeSet<ServerId> servers = new TreeSet<>();
            actors.forEach(
                    actor -> servers.addAll(known.map().actors().get(actor).isr()));
            servers.forEach(this::tell);
        }
    }

    /** Publishes to all servers with a replica of the table: readers there may then be given the newest version. */
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

    /** Sends at most one message per server at a time. After its reply only the newest log is sent. */
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
