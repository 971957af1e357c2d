package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.ReplicaSummary;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.protocol.server.identity.RegistrySnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Check of a server's replicas against the registry, before any replica is opened. If the registry knows none of them, it is the wrong one
 * or has lost its data, and the server must not start. One known replica is enough: the registry has its table under its number and name,
 * or the table's tombstone.
 */
final class StartupRegistryChecker {
    private static final int NAMED_MAX = 3;

    private final Environment env;
    private final ServerConfig config;
    private final TreeSet<ReplicaKey> found;
    private final Runnable then;
    private final Consumer<UniserveException> refused;
    private final List<String> examples = new ArrayList<>();

    /** @param found the replicas on disk */
    StartupRegistryChecker(
            Environment env,
            ServerConfig config,
            TreeSet<ReplicaKey> found,
            Runnable then,
            Consumer<UniserveException> refused) {
        this.env = env;
        this.config = config;
        this.found = found;
        this.then = then;
        this.refused = refused;
    }

    /** Runs the check, and retries until the registry can be read. */
    void run() {
        if (found.isEmpty() || config.trash().acceptUnknown()) {
            then.run();
            return;
        }
        RegistrySnapshot.read(env.registry(), taken -> {
            if (taken instanceof Outcome.Ok<RegistrySnapshot> ok) {
                next(ok.value(), new ArrayDeque<>(found));
            } else {
                env.timers().after(config.replicas().retryNanos(), this::run);
            }
        });
    }

    private void next(RegistrySnapshot census, ArrayDeque<ReplicaKey> left) {
        ReplicaKey key = left.poll();
        if (key == null) {
            refused.accept(refusal());
            return;
        }
        if (census.tombstones().contains(key.tableId())) {
            then.run();
            return;
        }
        TableMap map = census.maps().get(key.tableId());
        if (map == null && examples.size() == NAMED_MAX) {
            next(census, left);
            return;
        }
        ReplicaSummary.read(env.disk(), key.toString(), read -> {
            boolean unread = read instanceof Outcome.Err<Optional<ReplicaSummary>>;
            Optional<ReplicaSummary> summary =
                    read instanceof Outcome.Ok<Optional<ReplicaSummary>> ok ? ok.value() : Optional.empty();
            // an unreadable replica counts neither for the registry nor against it
            boolean known = map != null
                    && (unread || summary.isEmpty() || summary.get().table().equals(map.name()));
            if (known) {
                then.run();
                return;
            }
            if (examples.size() < NAMED_MAX) {
                examples.add(key
                        + summary.map(s -> " of table " + s.table()).orElse("")
                        + (map == null ? "" : " (the registry's table of that number is " + map.name() + ")"));
            }
            next(census, left);
        });
    }

    private UniserveException refusal() {
        return new UniserveException(
                ErrorCode.WRONG_CLUSTER,
                "none of this server's " + found.size() + " replicas is of a table that cluster " + config.clusterId()
                        + " has in " + config.trash().registry() + ", e.g. " + String.join(", ", examples)
                        + ": the address may be another cluster's, or the registry lost its data. Nothing was changed."
                        + " Correct zookeeper.connect; or restore ZooKeeper's data; or give the replicas up: start"
                        + " with server.trash-all-unknown=true (--trash-all-unknown), which moves them to the trash,"
                        + " or with a new data directory");
    }
}
