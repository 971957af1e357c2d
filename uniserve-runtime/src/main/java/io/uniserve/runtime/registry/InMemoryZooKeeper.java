package io.uniserve.runtime.registry;

import io.uniserve.model.registry.RegistryValue;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * In-memory tree of registry nodes, shared by the sessions of {@link #connect}. For tests, and for a cluster in one process without
 * ZooKeeper. Thread-safe.
 */
public final class InMemoryZooKeeper {
    private NavigableMap<String, Node> nodes = new TreeMap<>();
    private final List<InMemoryRegistrySession> sessions = new ArrayList<>();

    /** Node; {@code owner} is the session of an ephemeral node. */
    private record Node(
            RegistryValue value, int version, @Nullable Object owner) {}

    /** Creates a connected session; its completions and events arrive on this loop. */
    public synchronized InMemoryRegistrySession connect(Executor loop) {
        InMemoryRegistrySession session = new InMemoryRegistrySession(this, loop);
        sessions.add(session);
        return session;
    }

    synchronized void removeSession(InMemoryRegistrySession session) {
        sessions.remove(session);
    }

    synchronized Versioned read(String path) {
        Node node = nodes.get(path);
        return node == null ? new Versioned(null, Registry.ABSENT) : new Versioned(node.value, node.version);
    }

    synchronized List<String> children(String path) {
        String prefix = path + "/";
        Set<String> names = new TreeSet<>();
        for (String node : nodes.tailMap(prefix).keySet()) {
            if (!node.startsWith(prefix)) {
                break;
            }
            int slash = node.indexOf('/', prefix.length());
            names.add(slash < 0 ? node.substring(prefix.length()) : node.substring(prefix.length(), slash));
        }
        return List.copyOf(names);
    }

    synchronized MultiResult multi(Object owner, List<Op> ops) {
        NavigableMap<String, Node> next = new TreeMap<>(nodes);
        Set<String> changed = new TreeSet<>();
        List<Integer> versions = new ArrayList<>();
        for (int i = 0; i < ops.size(); i++) {
            Op op = ops.get(i);
            if (!isAllowed(next, op)) {
                return new MultiResult(false, List.of(), i);
            }
            versions.add(apply(next, op, owner));
            if (!(op instanceof Op.Check)) {
                changed.add(op.path());
            }
            if (op instanceof Op.Create || op instanceof Op.Delete) {
                changed.addAll(RegistryArgumentValidator.ancestors(op.path()));
            }
        }
        nodes = next;
        notifySessions(changed);
        return new MultiResult(true, versions, -1);
    }

    /** Removes the ephemeral nodes of an ended session. */
    synchronized void removeOwned(Object owner) {
        List<String> owned = nodes.entrySet().stream()
                .filter(entry -> entry.getValue().owner == owner)
                .map(java.util.Map.Entry::getKey)
                .toList();
        Set<String> changed = new TreeSet<>();
        for (String path : owned) {
            nodes.remove(path);
            changed.add(path);
            changed.addAll(RegistryArgumentValidator.ancestors(path));
        }
        notifySessions(changed);
    }

    private static boolean isAllowed(NavigableMap<String, Node> nodes, Op op) {
        Node node = nodes.get(op.path());
        if (op instanceof Op.Create) {
            return node == null;
        }
        if (op instanceof Op.Set set) {
            return node != null && node.version == set.version();
        }
        if (op instanceof Op.Check check) {
            return node != null && node.version == check.version();
        }
        String below = nodes.higherKey(op.path() + "/");
        boolean leaf = below == null || !below.startsWith(op.path() + "/");
        return node != null && leaf && node.version == ((Op.Delete) op).version();
    }

    private static int apply(NavigableMap<String, Node> nodes, Op op, Object owner) {
        if (op instanceof Op.Create create) {
            nodes.put(op.path(), new Node(create.value(), 0, create.ephemeral() ? owner : null));
            return 0;
        }
        if (op instanceof Op.Set set) {
            Node before = nodes.get(op.path());
            nodes.put(op.path(), new Node(set.value(), set.version() + 1, before == null ? null : before.owner));
            return set.version() + 1;
        }
        if (op instanceof Op.Delete) {
            nodes.remove(op.path());
        }
        return Registry.ABSENT;
    }

    private void notifySessions(Set<String> changed) {
        if (!changed.isEmpty()) {
            sessions.forEach(session -> session.changed(changed));
        }
    }
}
