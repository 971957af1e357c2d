package io.uniserve.protocol.testing;

import io.uniserve.model.registry.RegistryValue;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Contents of the registry, shared by the sessions of a test. */
public final class TestingStore {
    private final TreeMap<String, Node> nodes = new TreeMap<>();
    private final List<Consumer<String>> listeners = new ArrayList<>();

    /** Registers a listener to the paths of changed nodes and of those above them. */
    public void listen(Consumer<String> listener) {
        listeners.add(listener);
    }

    /** The current node. */
    public Versioned read(String path) {
        Node node = nodes.get(path);
        return node == null ? new Versioned(null, Registry.ABSENT) : new Versioned(node.value, node.version);
    }

    /** Copy of the current state. */
    public TestingStore copy() {
        TestingStore copy = new TestingStore();
        copy.nodes.putAll(nodes);
        return copy;
    }

    /** Replaces this registry by another one. Watches fire for all old and new nodes. */
    public void replace(TestingStore other) {
        TreeSet<String> changed = new TreeSet<>();
        List<String> paths = new ArrayList<>(nodes.keySet());
        paths.addAll(other.nodes.keySet());
        for (String path : paths) {
            for (int slash = path.length(); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
                changed.add(path.substring(0, slash));
            }
        }
        nodes.clear();
        nodes.putAll(other.nodes);
        changed.forEach(path -> List.copyOf(listeners).forEach(l -> l.accept(path)));
    }

    /** The current value of a node; null if it is absent. */
    public @Nullable RegistryValue value(String path) {
        return read(path).value();
    }

    public List<String> children(String path) {
        TreeSet<String> names = new TreeSet<>();
        String prefix = path + "/";
        for (String node : nodes.tailMap(prefix).keySet()) {
            if (!node.startsWith(prefix)) {
                break;
            }
            names.add(node.substring(prefix.length()).split("/", 2)[0]);
        }
        return List.copyOf(names);
    }

    /** Applies all operations or none, for a session. */
    public MultiResult multi(Object session, List<Op> ops) {
        TreeMap<String, Node> copy = new TreeMap<>(nodes);
        List<Integer> versions = new ArrayList<>();
        TreeSet<String> changed = new TreeSet<>();
        for (int i = 0; i < ops.size(); i++) {
            Op op = ops.get(i);
            if (!apply(copy, session, op, versions)) {
                return new MultiResult(false, List.of(), i);
            }
            if (!(op instanceof Op.Check)) {
                changed.add(op.path());
                for (int slash = op.path().lastIndexOf('/');
                        slash > 0;
                        slash = op.path().lastIndexOf('/', slash - 1)) {
                    changed.add(op.path().substring(0, slash));
                }
            }
        }
        nodes.clear();
        nodes.putAll(copy);
        changed.forEach(path -> List.copyOf(listeners).forEach(l -> l.accept(path)));
        return new MultiResult(true, versions, -1);
    }

    private static boolean apply(TreeMap<String, Node> nodes, Object session, Op op, List<Integer> versions) {
        Node node = nodes.get(op.path());
        if (op instanceof Op.Create create) {
            versions.add(0);
            return nodes.putIfAbsent(op.path(), new Node(create.value(), 0, create.ephemeral() ? session : null))
                    == null;
        }
        if (node == null) {
            return false;
        }
        if (op instanceof Op.Set set) {
            versions.add(set.version() + 1);
            nodes.put(op.path(), new Node(set.value(), set.version() + 1, node.owner));
            return node.version == set.version();
        }
        versions.add(Registry.ABSENT);
        if (op instanceof Op.Delete delete) {
            nodes.remove(op.path());
            return node.version == delete.version();
        }
        return node.version == ((Op.Check) op).version();
    }

    /** Deletes a session's ephemeral nodes. */
    public void expire(Object session) {
        List<Op> deletes = new ArrayList<>();
        nodes.forEach((path, node) -> {
            if (session.equals(node.owner)) {
                deletes.add(new Op.Delete(path, node.version));
            }
        });
        multi(session, deletes);
    }

    private record Node(
            RegistryValue value, int version, @Nullable Object owner) {}
}
