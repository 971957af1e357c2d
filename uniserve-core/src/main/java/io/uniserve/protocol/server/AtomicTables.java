package io.uniserve.protocol.server;

import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableName;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.ReplicaHost;
import io.uniserve.protocol.tx.AtomicConfig;
import io.uniserve.protocol.tx.AtomicHost;
import io.uniserve.protocol.tx.AtomicService;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The server's tables whose updates are atomic: follows their logs in the registry and is the host of their service. */
final class AtomicTables {
    private final Environment env;
    private final long retryNanos;
    private final Watches watches;
    private final AtomicService service;
    private final TreeMap<TableName, Refresher<Versioned>> logs = new TreeMap<>();
    private final TreeSet<TableName> deferred = new TreeSet<>();

    AtomicTables(
            ReplicaHost host,
            AtomicConfig config,
            Watches watches,
            TableViews views,
            ReplicaSet replicas,
            GatePublisher gates) {
        this.env = host.env();
        this.retryNanos = host.config().retryNanos();
        this.watches = watches;
        this.service = new AtomicService(new Host(host, views, replicas, gates), config);
    }

    AtomicService service() {
        return service;
    }

    /** The table is new here, or its map is. */
    void follow(TableViews.View view) {
        TableName name = view.meta().name();
        if (!AtomicService.serves(view.meta().level()) || logs.containsKey(name)) {
            return;
        }
        Refresher<Versioned> log = new Refresher<>(
                env.timers(), retryNanos, done -> env.registry().read(RegistryPaths.log(name), done), read -> {
                    if (read.value() instanceof TableLog value) {
                        service.logSeen(name, value, read.version());
                    }
                });
        logs.put(name, log);
        watches.add(RegistryPaths.log(name), () -> changed(name, log));
    }

    /** The log of a table that this server drives changes most by its own hand: then it is read at leisure. */
    private void changed(TableName name, Refresher<Versioned> log) {
        if (!service.writes(name)) {
            log.dirty();
        } else if (deferred.add(name)) {
            env.timers().after(retryNanos, () -> {
                deferred.remove(name);
                log.dirty();
            });
        }
    }

    void gone(TableName name) {
        Refresher<Versioned> log = logs.remove(name);
        if (log != null) {
            log.stop();
            watches.remove(RegistryPaths.log(name));
            service.gone(name);
        }
    }

    private record Host(ReplicaHost host, TableViews views, ReplicaSet replicas, GatePublisher gates)
            implements AtomicHost {
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
            TableViews.View view = views.find(name);
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
        public void known(long tableId, long version) {
            gates.version(tableId, version);
        }
    }
}
