package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableMap;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.ReplicaSummary;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Check of a server's replicas against the registry before anything is opened: a server none of whose replicas the registry
 * knows has the wrong registry, or one that lost its data, and must not start. One replica that is known is enough: its table
 * is in the registry under its number and name, or has a tombstone.
 */
final class StartCheck {
    private static final int NAMED_MAX = 3;

    private final Environment env;
    private final ServerConfig config;
    private final TreeSet<ReplicaKey> found;
    private final Runnable then;
    private final Consumer<UniserveException> refused;
    private final List<String> examples = new ArrayList<>();

    /** @param found the replicas on disk */
    StartCheck(
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

    /** Reads the registry until it can be read. */
    void run() {
        if (found.isEmpty() || config.trash().acceptUnknown()) {
            then.run();
            return;
        }
        RegistryCensus.take(env.registry(), taken -> {
            if (taken instanceof Outcome.Ok<RegistryCensus> ok) {
                next(ok.value(), new ArrayDeque<>(found));
            } else {
                env.timers().after(config.replicas().retryNanos(), this::run);
            }
        });
    }

    private void next(RegistryCensus census, ArrayDeque<ReplicaKey> left) {
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
            // what cannot be read speaks neither for the registry nor against it
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
                        + " Correct zookeeper.connect; or bring ZooKeeper's data back; or give the replicas up: start"
                        + " with server.trash-all-unknown=true (--trash-all-unknown), which moves them to the trash,"
                        + " or with a new data directory");
    }
}
