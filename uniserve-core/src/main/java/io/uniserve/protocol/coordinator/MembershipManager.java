package io.uniserve.protocol.coordinator;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.RegistryPaths;
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

/** Hard state of the servers: their ephemeral nodes in ZooKeeper. It follows watches, and also reads all nodes periodically. */
final class MembershipManager {
    private static final Logger LOG = LoggerFactory.getLogger(MembershipManager.class);

    private final FencedRegistry registry;
    private final Runnable changed;
    private final Set<ServerId> watched = new TreeSet<>();
    private final Set<ServerId> everSeen = new TreeSet<>();
    private TreeMap<ServerId, ServerRecord> servers = new TreeMap<>();
    private boolean reading;
    private boolean again;
    private boolean retrying;
    private boolean loaded;

    MembershipManager(FencedRegistry registry, Runnable changed) {
        this.registry = registry;
        this.changed = changed;
    }

    void start() {
        registry.watch(RegistryPaths.SERVERS, this::refresh);
        refresh();
    }

    /** False until all servers have been read once. */
    boolean loaded() {
        return loaded;
    }

    Collection<ServerRecord> servers() {
        return servers.values();
    }

    @Nullable
    ServerRecord find(ServerId id) {
        return servers.get(id);
    }

    /** True when the server has been registered during this term. */
    boolean everSeen(ServerId id) {
        return everSeen.contains(id);
    }

    /** Reads all servers, and retries until it succeeds. A change during the read starts another one. */
    void refresh() {
        if (reading) {
            again = true;
            return;
        }
        reading = true;
        again = false;
        registry.children(RegistryPaths.SERVERS, outcome -> {
            if (outcome instanceof Outcome.Ok<List<String>> ok) {
                List<String> names = ok.value();
                if (names.size() > Limits.SERVERS_MAX) {
                    LOG.warn("{} servers are registered: only {} of them are used", names.size(), Limits.SERVERS_MAX);
                    names = names.subList(0, Limits.SERVERS_MAX);
                }
                readNext(names.iterator(), new TreeMap<>());
            } else {
                failed();
            }
        });
    }

    private void failed() {
        reading = false;
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
            finish(found);
            return;
        }
        ServerId id = parsed(names.next());
        if (id == null) {
            readNext(names, found);
            return;
        }
        if (watched.add(id)) {
            registry.watch(RegistryPaths.server(id), this::refresh);
        }
        registry.read(RegistryPaths.server(id), outcome -> {
            if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
                failed();
                return;
            }
            if (ok.value().value() instanceof ServerRecord record) {
                found.put(id, record);
            }
            readNext(names, found);
        });
    }

    private static @Nullable ServerId parsed(String name) {
        try {
            return new ServerId(name);
        } catch (UniserveException e) {
            LOG.warn("registry node {}/{}: not a server id: {}", RegistryPaths.SERVERS, name, e.reason());
            return null;
        }
    }

    private void finish(TreeMap<ServerId, ServerRecord> found) {
        reading = false;
        boolean different = !loaded || !found.equals(servers);
        loaded = true;
        if (different) {
            log(found);
            servers = found;
            everSeen.addAll(found.keySet());
            changed.run();
        }
        if (again) {
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
