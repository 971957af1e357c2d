package io.uniserve.protocol.server;

import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.gate.UncommittedClaim;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import io.uniserve.protocol.transaction.server.TransactionService;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The atomic tables of a server: it follows their transaction logs, and is the host of the transaction service. */
final class AtomicTableHost {
    private final Environment env;
    private final ServerId self;
    private final RegistryWatches watches;
    private final TableViewCache views;
    private final HostedReplicas replicas;
    private final TransactionService service;
    private final TransactionLogFollower.Times times;
    private final TreeMap<TableName, TransactionLogFollower> logs = new TreeMap<>();

    AtomicTableHost(
            ReplicaContext host,
            TransactionConfig config,
            RegistryWatches watches,
            TableViewCache views,
            HostedReplicas replicas,
            GatePublisher gates) {
        this.env = host.env();
        this.self = host.self();
        this.times = new TransactionLogFollower.Times(
                host.config().retryNanos(), config.propagationNanos(), config.checkIntervalNanos());
        this.watches = watches;
        this.views = views;
        this.replicas = replicas;
        this.service = new TransactionService(new Host(host, views, replicas, gates, this::onLogWritten), config);
    }

    TransactionService service() {
        return service;
    }

    /** Handles a new table or map. Only servers with a replica of the table need its transaction log in advance. */
    void onTable(TableViewCache.View view) {
        TableName name = view.meta().name();
        if (!TransactionService.isAtomic(view.meta().level())) {
            return;
        }
        boolean hosted = replicas.hasReplicasOf(view.meta().tableId())
                || view.map().actors().stream().anyMatch(actor -> actor.hasReplicaOn(self));
        TransactionLogFollower known = logs.get(name);
        if (known != null && known.tableId() != view.meta().tableId()) {
            known.stop();
            known = null;
        }
        if (hosted && known == null) {
            TransactionLogFollower log = new TransactionLogFollower(
                    env, watches, service, times, name, view.meta().tableId());
            logs.put(name, log);
            log.start();
        } else if (!hosted && known != null) {
            logs.remove(name);
            known.stop();
        }
    }

    /** Ignores the log of another table with this name; it is read when the map changes. */
    void onPublished(TableName name, TransactionLogSnapshot told) {
        TransactionLogFollower log = logs.get(name);
        TableViewCache.View view = views.find(name);
        long tableId = told.log().tableId();
        boolean same = view != null && view.meta().tableId() == tableId;
        if (same && log != null && log.tableId() == tableId) {
            log.onPublished(told);
        }
    }

    private void onLogWritten(TableName name) {
        TransactionLogFollower log = logs.get(name);
        if (log != null) {
            log.onPush();
        }
    }

    void onTableGone(TableName name) {
        TransactionLogFollower log = logs.remove(name);
        if (log != null) {
            log.stop();
        }
        service.onTableDropped(name);
    }

    private record Host(
            ReplicaContext host,
            TableViewCache views,
            HostedReplicas replicas,
            GatePublisher gates,
            Consumer<TableName> logWritten)
            implements TransactionContext {
        @Override
        public Environment env() {
            return host.env();
        }

        @Override
        public ServerId self() {
            return host.self();
        }

        @Override
        public @Nullable Table table(TableName name) {
            TableViewCache.View view = views.find(name);
            return view == null ? null : new Table(view.meta(), view.map(), view.mapVersion());
        }

        @Override
        public void refresh(TableName name) {
            views.refresh(name);
        }

        @Override
        public @Nullable Address addressOf(ServerId server) {
            return host.addressOf(server);
        }

        @Override
        public List<Replica> replicas(long tableId) {
            return replicas.all().stream()
                    .filter(replica -> replica.key().tableId() == tableId)
                    .toList();
        }

        @Override
        public @Nullable ReadGate gate(ReplicaKey key) {
            Replica replica = replicas.find(key);
            return replica == null ? null : replica.gate();
        }

        @Override
        public void onLogWritten(TableName table) {
            logWritten.accept(table);
        }

        @Override
        public void publishDecidedVersion(long tableId, long version) {
            gates.publishVersion(tableId, version);
        }

        @Override
        public void publishUncommittedClaim(long tableId, UncommittedClaim uncommittedClaim) {
            gates.publishClaim(tableId, uncommittedClaim);
        }
    }
}
