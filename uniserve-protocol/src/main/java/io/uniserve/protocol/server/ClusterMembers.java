package io.uniserve.protocol.server;

import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.CoordinatorRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.RetryingReader;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Live servers and the leading coordinator, as read from the registry. */
final class ClusterMembers {
    private static final long COMPARE_NANOS = 10_000_000_000L;

    private final Environment env;
    private final RegistryWatches watches;
    private final Runnable onChange;
    private final Consumer<Versioned> onLeaderRead;
    private final RetryingReader<List<ServerRecord>> servers;
    private final RetryingReader<Versioned> leader;
    private TreeMap<ServerId, ServerRecord> live = new TreeMap<>();
    private @Nullable Address coordinator;
    private boolean loaded;

    /**
     * Creates it; it reads nothing before the start.
     *
     * @param leaderRead called at each reading of the leader's node
     */
    ClusterMembers(
            Environment env,
            long retryNanos,
            RegistryWatches watches,
            Runnable changed,
            Consumer<Versioned> leaderRead) {
        this.env = env;
        this.watches = watches;
        this.onChange = changed;
        this.onLeaderRead = leaderRead;
        this.servers = new RetryingReader<>(env.timers(), retryNanos, this::readServers, this::onServers);
        this.leader = new RetryingReader<>(
                env.timers(), retryNanos, done -> env.registry().read(RegistryPaths.LEADER, done), this::onLeader);
    }

    void start() {
        watches.add(RegistryPaths.SERVERS, servers::requestRead);
        watches.add(RegistryPaths.LEADER, leader::requestRead);
        compareLater();
    }

    /** Compares names and leader periodically, because a read may have returned a state from before its watch. */
    private void compareLater() {
        env.timers().after(COMPARE_NANOS, () -> {
            env.registry().children(RegistryPaths.SERVERS, listed -> {
                if (listed instanceof Outcome.Ok<List<String>> ok && !ok.value().equals(liveNames())) {
                    servers.requestRead();
                }
            });
            leader.requestRead();
            compareLater();
        });
    }

    private List<String> liveNames() {
        return live.keySet().stream().map(ServerId::value).toList();
    }

    void refresh() {
        servers.requestRead();
    }

    @Nullable
    ServerRecord find(ServerId id) {
        return live.get(id);
    }

    /** False until the live servers have been read once. */
    boolean isLoaded() {
        return loaded;
    }

    /** Live servers by id. */
    List<ServerRecord> all() {
        return List.copyOf(live.values());
    }

    @Nullable
    Address coordinator() {
        return coordinator;
    }

    private void readServers(Completion<List<ServerRecord>> completion) {
        env.registry().children(RegistryPaths.SERVERS, completion.then(listed -> {
            readNext(listed, 0, new ArrayList<>(), completion);
        }));
    }

    private void readNext(
            List<String> names, int at, List<ServerRecord> found, Completion<List<ServerRecord>> completion) {
        if (at == names.size()) {
            completion.done(Outcome.ok(found));
            return;
        }
        env.registry().read(RegistryPaths.SERVERS + "/" + names.get(at), completion.then(read -> {
            if (read.value() instanceof ServerRecord record) {
                found.add(record);
            }
            readNext(names, at + 1, found, completion);
        }));
    }

    private void onServers(List<ServerRecord> records) {
        TreeMap<ServerId, ServerRecord> next = new TreeMap<>();
        records.forEach(record -> next.put(record.id(), record));
        boolean differs = !loaded || !next.equals(live);
        loaded = true;
        live = next;
        if (differs) {
            onChange.run();
        }
    }

    private void onLeader(Versioned read) {
        onLeaderRead.accept(read);
        Address before = coordinator;
        coordinator = read.value() instanceof CoordinatorRecord record ? record.address() : null;
        if (!Objects.equals(before, coordinator)) {
            onChange.run();
        }
    }
}
