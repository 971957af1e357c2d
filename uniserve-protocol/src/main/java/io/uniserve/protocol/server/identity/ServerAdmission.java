package io.uniserve.protocol.server.identity;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.identity.ClusterIdentities;
import io.uniserve.protocol.server.config.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admission of a server to a cluster: it determines the identity of the server's cluster. The identity is on the server's disk from the
 * first start, before anything else is stored or registered. A server without an identity waits for a registry that has one. If it already
 * has replicas, as from an earlier version, it joins only a registry that knows their tables.
 */
final class ServerAdmission {
    private static final Logger LOG = LoggerFactory.getLogger(ServerAdmission.class);
    private static final int RETRIES_PER_LOOK = 5;
    private static final int NAMED_MAX = 5;

    private final Environment env;
    private final ServerConfig config;
    private final Consumer<String> admitted;
    private final Consumer<UniserveException> refused;
    private final TreeSet<ReplicaKey> onDisk = new TreeSet<>();
    private boolean stopped;
    private boolean waiting;

    /** @param env the environment with an unguarded registry, which may have any identity */
    ServerAdmission(
            Environment env, ServerConfig config, Consumer<String> admitted, Consumer<UniserveException> refused) {
        this.env = env;
        this.config = config;
        this.admitted = admitted;
        this.refused = refused;
    }

    void stop() {
        stopped = true;
    }

    void start() {
        env.disk().list("", listed -> {
            if (stopped) {
                return;
            }
            if (!(listed instanceof Outcome.Ok<List<Disk.Entry>> ok)) {
                retryLater(this::start);
                return;
            }
            onDisk.clear();
            boolean known = false;
            for (Disk.Entry entry : ok.value()) {
                ReplicaKey key = ReplicaKey.ofDirectory(entry.name());
                if (key != null) {
                    onDisk.add(key);
                }
                known |= entry.name().equals(IdentityFile.NAME);
            }
            if (known) {
                read();
            } else {
                readRegistryIdentity();
            }
        });
    }

    private void read() {
        env.disk().read(IdentityFile.NAME, read -> {
            if (stopped) {
                return;
            }
            if (read instanceof Outcome.Ok<Bytes> ok) {
                String identity;
                try {
                    identity = IdentityFile.decode(
                            "file " + IdentityFile.NAME + " in the data directory", ok.value(), config.clusterId());
                } catch (UniserveException e) {
                    refused.accept(e);
                    return;
                }
                admitted.accept(identity);
            } else if (read.error().code() == ErrorCode.CORRUPT) {
                refused.accept(read.error());
            } else {
                retryLater(this::read);
            }
        });
    }

    /** Waits for a registry with an identity. */
    private void readRegistryIdentity() {
        env.registry()
                .sync(synced -> env.registry().children(RegistryPaths.IDENTITY, read -> {
                    if (stopped) {
                        return;
                    }
                    if (!(synced instanceof Outcome.Ok<Done>) || !(read instanceof Outcome.Ok<List<String>> ok)) {
                        retryLater(this::readRegistryIdentity);
                    } else if (ok.value().size() > 1) {
                        refused.accept(ClusterIdentities.damagedIdentityError(
                                config.self(),
                                config.clusterId(),
                                env.registry().describe(),
                                ok.value()));
                    } else if (ok.value().size() == 1) {
                        readTables(ok.value().get(0));
                    } else {
                        if (!waiting) {
                            waiting = true;
                            LOG.warn(
                                    "{}: cluster {} has no identity yet in {}: waiting for a coordinator to create it",
                                    config.self(),
                                    config.clusterId(),
                                    env.registry().describe());
                        }
                        retryLater(this::readRegistryIdentity);
                    }
                }));
    }

    private void readTables(String identity) {
        if (onDisk.isEmpty()) {
            adopt(identity);
            return;
        }
        env.registry().children(RegistryPaths.TABLES, listed -> {
            if (stopped) {
                return;
            }
            if (listed instanceof Outcome.Ok<List<String>> ok) {
                readNext(identity, ok.value(), 0, new ArrayList<>());
            } else {
                retryLater(this::readRegistryIdentity);
            }
        });
    }

    private void readNext(String identity, List<String> names, int at, List<TableMap> maps) {
        if (at == names.size()) {
            admitIfKnown(identity, maps);
            return;
        }
        env.registry().read(RegistryPaths.TABLES + "/" + names.get(at) + "/map", read -> {
            if (stopped) {
                return;
            }
            if (!(read instanceof Outcome.Ok<Versioned> ok)) {
                retryLater(this::readRegistryIdentity);
                return;
            }
            if (ok.value().value() instanceof TableMap map) {
                maps.add(map);
            }
            readNext(identity, names, at + 1, maps);
        });
    }

    /** Decides about replicas without an identity, which are from an earlier version: this registry must know their tables. */
    private void admitIfKnown(String identity, List<TableMap> maps) {
        TreeSet<Long> tables = new TreeSet<>();
        boolean counted = false;
        for (TableMap map : maps) {
            tables.add(map.tableId());
            for (ActorState actor : map.actors()) {
                boolean former = actor.previousIsr().isr().contains(config.id());
                counted |= former
                        || actor.hasReplicaOn(config.id())
                        || actor.desiredServers().contains(config.id());
            }
        }
        List<String> unknown = onDisk.stream()
                .filter(key -> !tables.contains(key.tableId()))
                .map(ReplicaKey::toString)
                .limit(NAMED_MAX)
                .toList();
        if (counted && unknown.isEmpty()) {
            adopt(identity);
            return;
        }
        String why = unknown.isEmpty()
                ? "no table there names this server"
                : "no table there has the number of " + String.join(", ", unknown);
        refused.accept(new UniserveException(
                ErrorCode.WRONG_CLUSTER,
                config.self() + " has " + onDisk.size() + " replicas without a cluster identity, and cluster "
                        + config.clusterId() + " in " + env.registry().describe() + " with identity " + identity
                        + " may not be theirs: " + why + ". Nothing was changed or deleted. Correct"
                        + " zookeeper.connect; if the tables were dropped, or their replicas are elsewhere now, start"
                        + " with an empty data directory"));
    }

    private void adopt(String identity) {
        env.disk().replace(IdentityFile.NAME, IdentityFile.encode(config.clusterId(), identity), written -> {
            if (stopped) {
                return;
            }
            if (written instanceof Outcome.Ok<Done>) {
                LOG.info("{}: joined cluster {} with identity {}", config.self(), config.clusterId(), identity);
                admitted.accept(identity);
            } else {
                LOG.warn(
                        "{}: write of the cluster identity to the data directory failed: {}",
                        config.self(),
                        written.error().getMessage());
                retryLater(this::readRegistryIdentity);
            }
        });
    }

    private void retryLater(Runnable task) {
        env.timers().after(RETRIES_PER_LOOK * config.replicas().retryNanos(), () -> {
            if (!stopped) {
                task.run();
            }
        });
    }
}
