package io.uniserve.benchmark.failures;

import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Cluster of processes that are killed and restarted, with a client of long timeouts. Not thread-safe. */
final class FailingCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final ProcessCluster processes;
    private final LongSupplier nanos;
    private final int servers;
    private UniserveClient client;

    private FailingCluster(ProcessCluster processes, LongSupplier nanos, int servers) {
        this.processes = processes;
        this.nanos = nanos;
        this.servers = servers;
        this.client = connect(processes.bootstrap());
    }

    /** Starts all processes and waits until the coordinator and the client see every server. */
    static FailingCluster start(ProcessClusterOptions options, LongSupplier nanos) {
        ProcessCluster processes = new ProcessCluster(options);
        try {
            processes.start();
            FailingCluster cluster = new FailingCluster(processes, nanos, options.servers());
            cluster.awaitAllServers();
            return cluster;
        } catch (RuntimeException e) {
            processes.close();
            throw e;
        }
    }

    /** Creates a client with these bootstrap addresses. */
    static UniserveClient connect(List<String> bootstrap) {
        return UniserveClient.builder()
                .bootstrap(bootstrap.toArray(String[]::new))
                .deadline(DEADLINE)
                .connectTimeout(DEADLINE)
                .build();
    }

    UniserveClient client() {
        return client;
    }

    ProcessCluster processes() {
        return processes;
    }

    /** Waits until the coordinator and the client see every server. */
    void awaitAllServers() {
        await(
                "the coordinator and the client see every server",
                () -> client.admin().status().routing().servers().size() == servers
                        && client.routing().servers().size() == servers);
    }

    /** Waits for a condition. Fails with DEADLINE_EXCEEDED, which names the condition, after three minutes. */
    void await(String what, BooleanSupplier condition) {
        if (!ConditionWaiter.await(nanos, PATIENCE.toMillis(), condition)) {
            throw new UniserveException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "not within " + PATIENCE.toMinutes() + " minutes: " + what + "; last lines of the daemons' logs:\n"
                            + processes.daemons().values().stream()
                                    .map(daemon -> daemon.name() + ":\n" + daemon.tail())
                                    .collect(Collectors.joining("\n")));
        }
    }

    /** Waits until all servers are alive and every actor has all its replicas in sync, with no pending movement. */
    void settle(String table) {
        await("all copies of " + table + " are in sync", () -> {
            TableRoute route = route(table);
            List<ServerId> live =
                    client.routing().servers().stream().map(ServerRecord::id).toList();
            return live.size() == servers
                    && route.map().actors().stream()
                            .allMatch(actor -> actor.epochStarted()
                                    && actor.isr().size() >= route.meta().rf()
                                    && live.containsAll(actor.isr())
                                    && actor.learners().isEmpty()
                                    && actor.fencing().isEmpty());
        });
    }

    /** Returns the table from the client's copy of the map. */
    TableRoute route(String table) {
        return client.routing().tables().stream()
                .filter(route -> route.meta().name().value().equals(table))
                .findFirst()
                .orElseThrow(() ->
                        new UniserveException(ErrorCode.TABLE_NOT_FOUND, "table " + table + " is not in the map"));
    }

    /** Returns the server that is primary of the most actors of the table. */
    ServerId busiest(String table) {
        Map<ServerId, Long> primaries = route(table).map().actors().stream()
                .collect(Collectors.groupingBy(ActorState::primary, TreeMap::new, Collectors.counting()));
        return primaries.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }

    /** Returns the daemon of a live server. */
    DaemonProcess daemon(ServerId id) {
        Address address = client.routing().servers().stream()
                .filter(server -> server.id().equals(id))
                .findAny()
                .orElseThrow(() -> new UniserveException(ErrorCode.UNAVAILABLE, "server " + id + " is not in the map"))
                .address();
        return daemonAt(address);
    }

    /** Returns the daemon of the coordinator that leads the cluster. */
    DaemonProcess leader() {
        Address leader = client.admin().status().routing().coordinator();
        if (leader == null) {
            throw new UniserveException(ErrorCode.UNAVAILABLE, "there is no leading coordinator");
        }
        return daemonAt(leader);
    }

    private DaemonProcess daemonAt(Address address) {
        return processes.daemons().values().stream()
                .filter(daemon ->
                        daemon.isAlive() && processes.address(daemon.name()).equals(address))
                .findAny()
                .orElseThrow(() -> new UniserveException(ErrorCode.UNAVAILABLE, "no daemon serves at " + address));
    }

    /** Waits until durable storage has all log entries of the table's primaries. Returns their number. */
    long awaitShipped(String table) {
        Map<ReplicaKey, Long> shipped = new TreeMap<>();
        await("durable storage has all of " + table, () -> {
            shipped.clear();
            long id = route(table).meta().tableId();
            for (Load load : client.admin().status().loads()) {
                load.replicas().stream()
                        .filter(replica -> replica.key().tableId() == id)
                        .filter(replica -> replica.backupIndex() >= 0 && replica.backupIndex() >= replica.lastIndex())
                        .forEach(replica -> shipped.put(replica.key(), replica.backupIndex()));
            }
            return shipped.size() == route(table).map().actors().size();
        });
        return shipped.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Waits until every in-sync replica has applied all entries that any replica of its actor has logged. */
    void awaitApplied(String table) {
        await("every copy of " + table + " has applied everything", () -> {
            TableRoute route = route(table);
            List<ReplicaLoad> replicas = client.admin().status().loads().stream()
                    .flatMap(load -> load.replicas().stream())
                    .filter(replica -> replica.key().tableId() == route.meta().tableId())
                    .toList();
            return route.map().actors().stream().allMatch(actor -> {
                List<ReplicaLoad> copies = replicas.stream()
                        .filter(replica -> replica.key().actor() == actor.actor())
                        .toList();
                long last =
                        copies.stream().mapToLong(ReplicaLoad::lastIndex).max().orElse(0);
                return copies.size() >= route.meta().rf()
                        && copies.stream().allMatch(copy -> copy.appliedIndex() >= last);
            });
        });
    }

    /** Kills every process with SIGKILL, without waiting in between. */
    void killAll() {
        processes.daemons().values().forEach(DaemonProcess::killWithoutWait);
        processes.daemons().values().forEach(DaemonProcess::awaitExit);
    }

    /** Restarts all processes with their disks and ports, and creates a new client. */
    void startAll() {
        List<String> names = List.copyOf(processes.daemons().keySet());
        processes.startZooKeeper();
        for (String name : names) {
            if (name.startsWith("coordinator-")) {
                processes.launchCoordinator(name, Map.of());
            } else if (name.startsWith("server-")) {
                processes.launchServer(name);
            }
        }
        names.stream().filter(name -> !name.equals("zookeeper")).forEach(processes::await);
        client = connect(processes.bootstrap());
    }

    @Override
    public void close() {
        client.close();
        processes.close();
    }
}
