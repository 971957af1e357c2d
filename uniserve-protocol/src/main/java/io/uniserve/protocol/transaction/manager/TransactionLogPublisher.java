package io.uniserve.protocol.transaction.manager;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publisher of a table's transaction log to the servers that host the table, so that they need not read it from ZooKeeper. The log travels
 * with requests that are sent anyway, or else in a message of its own. Each write is sent once per server. A lost message is replaced by
 * the next one, or by the server's own read. A published log may be outdated, like one that was read.
 */
final class TransactionLogPublisher {
    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final Supplier<@Nullable TransactionLogSnapshot> newest;
    private final TreeMap<ServerId, Integer> sentVersions = new TreeMap<>();
    /** Servers with a message under way; true if another message is to follow its reply. */
    private final TreeMap<ServerId, Boolean> pendingServers = new TreeMap<>();

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
    Optional<TransactionLogSnapshot> unsentLog(ServerId server) {
        TransactionLogSnapshot told = newest.get();
        if (told == null || told.log().tableId() != tableId || server.equals(host.self())) {
            return Optional.empty();
        }
        Integer before = sentVersions.get(server);
        if (before != null && before >= told.nodeVersion() || !fitsMessage(told.log())) {
            return Optional.empty();
        }
        sentVersions.put(server, told.nodeVersion());
        return Optional.of(told);
    }

    /** True if the log is small enough to be sent to each server. Servers read a larger one from ZooKeeper. */
    static boolean fitsMessage(TransactionLogState log) {
        InFlight flight = log.inFlight();
        long entries = flight == null
                ? 0
                : flight.batches().size() + flight.participants().size();
        for (Decision decision : log.decisions()) {
            boolean all = decision.batches().isEmpty(); // all actors, of a version started ahead: a few small numbers
            entries += decision.batches().size()
                    + decision.refusedRequests().size()
                    + (all ? 1 : decision.unackedParticipants().size());
        }
        entries += log.chunkVersions().entries().size();
        return log.decisions().size() <= Limits.TOLD_DECISIONS_MAX && entries <= Limits.TOLD_ENTRIES_MAX;
    }

    /** Publishes to the in-sync replicas of these actors, where readers may find the version in flight. */
    void publishToReplicas(Collection<Integer> actors) {
        TransactionContext.Table known = host.table(table);
        if (known != null && known.meta().tableId() == tableId) {
            TreeSet<ServerId> servers = new TreeSet<>();
            for (int actor : actors) {
                ActorState state = known.map().find(actor);
                servers.addAll(state == null ? List.of() : state.isr());
            }
            servers.forEach(this::publish);
        }
    }

    /** Publishes to all servers with a replica of the table: readers there may then be given the newest version. */
    void publishToAll() {
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
            sentVersions.keySet().retainAll(servers);
        }
        hosts.forEach(this::publish);
    }

    /** Sends at most one message per server at a time. After its reply only the newest log is sent. */
    private void publish(ServerId server) {
        if (pendingServers.containsKey(server)) {
            pendingServers.put(server, true);
            return;
        }
        Address address = host.addressOf(server);
        if (address != null) {
            unsentLog(server).ifPresent(told -> {
                pendingServers.put(server, false);
                host.env()
                        .network()
                        .call(
                                address,
                                new PeerRequest.PublishTransactionLog(table, told),
                                config.rpcTimeoutNanos(),
                                ignored -> {
                                    if (Boolean.TRUE.equals(pendingServers.remove(server))) {
                                        publish(server);
                                    }
                                });
            });
        }
    }
}
