package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hard state of the servers: their ephemeral nodes in ZooKeeper. It follows watches, and also reads all nodes periodically.
 *
 * <p>Life cycle of the reads, see {@link Reading}: IDLE → RUNNING → IDLE. A change during a read leads to OUTDATED, and another read
 * follows. A failed read leads to IDLE and is retried.
 */
public final class MembershipManager {
    private static final Logger LOG = LoggerFactory.getLogger(MembershipManager.class);

    private final FencedRegistry registry;
    private final Runnable onChange;
    private final Set<ServerId> watched = new TreeSet<>();
    private final Set<ServerId> everSeen = new TreeSet<>();
    private TreeMap<ServerId, ServerRecord> servers = new TreeMap<>();
    private Reading reading = Reading.IDLE;
    private boolean retrying;
    private boolean loaded;

    private enum Reading {
        IDLE,
        RUNNING,
        /** A read is running, and something has changed since its start. */
        OUTDATED
    }

    public MembershipManager(FencedRegistry registry, Runnable changed) {
        this.registry = registry;
        this.onChange = changed;
    }

    public void start() {
        registry.watch(RegistryPaths.SERVERS, this::refresh);
        refresh();
    }

    /** False until all servers have been read once. */
    public boolean isLoaded() {
        return loaded;
    }

    public Collection<ServerRecord> servers() {
        return servers.values();
    }

    @Nullable
    public ServerRecord find(ServerId id) {
        return servers.get(id);
    }

    /** True when the server has been registered during this term. */
    public boolean wasEverSeen(ServerId id) {
        return everSeen.contains(id);
    }

    /** Reads all servers, and retries until it succeeds. A change during the read starts another one. */
    public void refresh() {
        if (reading != Reading.IDLE) {
            reading = Reading.OUTDATED;
            return;
        }
        reading = Reading.RUNNING;
        registry.children(RegistryPaths.SERVERS, outcome -> {
            if (outcome instanceof Outcome.Ok<List<String>> ok) {
                List<String> names = ok.value();
                if (names.size() > Limits.SERVERS_MAX) {
                    LOG.warn("{} servers are registered: only {} of them are used", names.size(), Limits.SERVERS_MAX);
                    names = names.subList(0, Limits.SERVERS_MAX);
                }
                readNext(names.iterator(), new TreeMap<>());
            } else {
                onReadFailed();
            }
        });
    }

    private void onReadFailed() {
        reading = Reading.IDLE;
        if (!retrying) {
            retrying = true;
            registry.retry(() -> {
                retrying = false;
                refresh();
            });
        }
    }

    private void readNext(Iterator<String> names, TreeMap<ServerId, ServerRecord> found) {
        if (!names.hasNext()) {
            onRead(found);
            return;
        }
        ServerId id = parseId(names.next());
        if (id == null) {
            readNext(names, found);
            return;
        }
        if (watched.add(id)) {
            registry.watch(RegistryPaths.server(id), this::refresh);
        }
        registry.read(RegistryPaths.server(id), outcome -> {
            if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
                onReadFailed();
                return;
            }
            if (ok.value().value() instanceof ServerRecord record) {
                found.put(id, record);
            }
            readNext(names, found);
        });
    }

    private static @Nullable ServerId parseId(String name) {
        try {
            return new ServerId(name);
        } catch (UniserveException e) {
            LOG.warn("registry node {}/{}: not a server id: {}", RegistryPaths.SERVERS, name, e.reason());
            return null;
        }
    }

    private void onRead(TreeMap<ServerId, ServerRecord> found) {
        boolean outdated = reading == Reading.OUTDATED;
        reading = Reading.IDLE;
        boolean different = !loaded || !found.equals(servers);
        loaded = true;
        if (different) {
            log(found);
            servers = found;
            everSeen.addAll(found.keySet());
            onChange.run();
        }
        if (outdated) {
            refresh();
        }
    }

    private void log(TreeMap<ServerId, ServerRecord> found) {
        for (ServerRecord now : found.values()) {
            ServerRecord before = servers.get(now.id());
            if (before == null || before.incarnation() != now.incarnation()) {
                LOG.info("server {}: registered at {}, incarnation {}", now.id(), now.address(), now.incarnation());
            }
        }
        for (ServerId id : servers.keySet()) {
            if (!found.containsKey(id)) {
                LOG.warn("server {}: gone from the registry", id);
            }
        }
    }
}
