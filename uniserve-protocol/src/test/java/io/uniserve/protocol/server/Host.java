package io.uniserve.protocol.server;

import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.gate.UncommittedClaim;
import io.uniserve.protocol.server.config.Cluster;
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingEngine;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A server's machine, with a disk that survives restarts. */
public final class Host {
    private final Cluster cluster;
    private final String name;
    private final Address address;
    public final TestingDisk disk;
    final TreeMap<ReplicaKey, ReadGate> gates = new TreeMap<>();
    public final List<String> fatal = new ArrayList<>();
    private final TreeMap<Long, Long> versions = new TreeMap<>();
    private final TreeMap<Long, UncommittedClaim> denials = new TreeMap<>();
    private boolean up;
    private long incarnation;
    private @Nullable ServerStateMachine machine;
    private @Nullable TestingEngine engine;
    private @Nullable TestingRegistry registry;

    public Host(Cluster cluster, String name) {
        this(cluster, name, new Address(name, 8000));
    }

    Host(Cluster cluster, String name, Address address) {
        this.cluster = cluster;
        this.name = name;
        this.address = address;
        this.disk = new TestingDisk(cluster.loop);
    }

    public void start() {
        start(cluster.store);
    }

    /** Starts with this registry. */
    void start(TestingStore store) {
        TestingRegistry session = new TestingRegistry(cluster.loop, store);
        TestingEngine port = new TestingEngine(cluster.loop, disk);
        Environment env = new Environment(
                cluster.loop, cluster.loop, cluster.network, session, disk, cluster.objects, port, () -> cluster.ids++);
        ServerStateMachine next = new ServerStateMachine(
                cluster.config(name, ++incarnation, address), env, new Gates(), e -> fatal.add(e.getMessage()));
        cluster.network.serve(address(), next::onPeer);
        machine = next;
        engine = port;
        registry = session;
        next.start(done -> {});
        up = true;
    }

    /** Starts with the disk of the other: the next start of the same server. */
    void startAfter(Host other) {
        incarnation = other.incarnation;
        start();
    }

    /** Kills the server at once. The registry expires its session. */
    void kill(int tornBytes) {
        disk.crash(tornBytes);
        engine().kill();
        machine().stop();
        cluster.network.stop(address());
        registry().expireUnnoticed();
        gates.clear();
        versions.clear();
        up = false;
    }

    public void kill() {
        kill(0);
    }

    boolean up() {
        return up;
    }

    /** The newest committed version of the table that readers know. */
    long version(long tableId) {
        return versions.getOrDefault(tableId, 0L);
    }

    /** The version that its manager claims to be not visible now; 0 for none. */
    long denied(long tableId) {
        return denials.getOrDefault(tableId, UncommittedClaim.NONE).versionAt(version(tableId), cluster.loop.nanos());
    }

    Address address() {
        return address;
    }

    public ServerStateMachine machine() {
        if (machine == null) {
            throw new AssertionError(name + " was not started");
        }
        return machine;
    }

    public TestingEngine engine() {
        if (engine == null) {
            throw new AssertionError(name + " was not started");
        }
        return engine;
    }

    TestingRegistry registry() {
        if (registry == null) {
            throw new AssertionError(name + " was not started");
        }
        return registry;
    }

    /** True if it may answer reads now. */
    public boolean serving(ReplicaKey key) {
        ReadGate gate = gates.get(key);
        return gate != null && gate.serving() && gate.leaseUntilNanos() - cluster.loop.nanos() > 0;
    }

    private final class Gates implements GatePublisher {
        @Override
        public void publish(ReplicaKey key, ReadGate gate) {
            gates.put(key, gate);
        }

        @Override
        public void publishVersion(long tableId, long version) {
            versions.merge(tableId, version, Math::max);
        }

        @Override
        public void publishClaim(long tableId, UncommittedClaim uncommittedClaim) {
            denials.put(tableId, uncommittedClaim);
        }

        @Override
        public void remove(ReplicaKey key) {
            gates.remove(key);
        }
    }
}
