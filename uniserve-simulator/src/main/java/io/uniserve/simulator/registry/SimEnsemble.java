package io.uniserve.simulator.registry;

import io.uniserve.model.registry.RegistryValue;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Twin of the ZooKeeper ensemble: every committed state by transaction number, so that a follower may answer from an older one. Writes are
 * serialized.
 */
public final class SimEnsemble {
    private static final int STATES_KEPT = 8;

    private final Map<String, List<State>> nodes = new TreeMap<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final Guard guard;
    private long zxid;
    private boolean up = true;

    /** @param guard decides whether a failed check is ignored; without a planted bug it never is */
    public SimEnsemble(Guard guard) {
        this.guard = guard;
    }

    /** Registers a listener to every committed transaction. */
    public void addListener(Listener listener) {
        listeners.add(listener);
    }

    /** Number of the last committed transaction. */
    public long zxid() {
        return zxid;
    }

    /** False while there is no quorum. */
    public boolean up() {
        return up;
    }

    public void setUp(boolean value) {
        up = value;
    }

    /** The node after this transaction. */
    public Versioned read(String path, long at) {
        State state = stateAt(path, at);
        return state == null ? new Versioned(null, Registry.ABSENT) : new Versioned(state.value, state.version);
    }

    /** Names of the children after this transaction, sorted. */
    public List<String> children(String path, long at) {
        String prefix = path + "/";
        Set<String> names = new TreeSet<>();
        for (Map.Entry<String, List<State>> entry :
                ((TreeMap<String, List<State>>) nodes).tailMap(prefix).entrySet()) {
            String node = entry.getKey();
            if (!node.startsWith(prefix)) {
                break;
            }
            if (stateAt(node, at) != null) {
                int slash = node.indexOf('/', prefix.length());
                names.add(slash < 0 ? node.substring(prefix.length()) : node.substring(prefix.length(), slash));
            }
        }
        return List.copyOf(names);
    }

    /** The current value of each node, by path. */
    public Map<String, RegistryValue> present() {
        Map<String, RegistryValue> values = new TreeMap<>();
        nodes.keySet().forEach(path -> {
            State state = stateAt(path, zxid);
            if (state != null && state.value != null) {
                values.put(path, state.value);
            }
        });
        return values;
    }

    /** Removes old states of nodes. Call it only when every session has caught up. */
    public void clearHistory() {
        nodes.values().forEach(states -> {
            if (states.size() > STATES_KEPT) {
                states.subList(0, states.size() - STATES_KEPT).clear();
            }
        });
    }

    /** Applies all operations or none. */
    public MultiResult multi(String session, List<Op> ops) {
        List<Applied> applied = new ArrayList<>();
        Map<String, State> staged = new TreeMap<>();
        for (int i = 0; i < ops.size(); i++) {
            Op op = ops.get(i);
            State before = staged.containsKey(op.path()) ? present(staged.get(op.path())) : stateAt(op.path(), zxid);
            if (!allowed(op, before) && !guard.passesOver(session, ops, i)) {
                return new MultiResult(false, List.of(), i);
            }
            State after = next(session, op, before);
            staged.put(op.path(), after);
            applied.add(new Applied(op, present(before), present(after)));
        }
        commit(session, applied, staged);
        return new MultiResult(
                true, applied.stream().map(Applied::resultVersion).toList(), -1);
    }

    /** Deletes a session's ephemeral nodes. */
    public void expire(String session) {
        List<Op> ops = new ArrayList<>();
        nodes.forEach((path, states) -> {
            State last = states.get(states.size() - 1);
            if (last.value != null && session.equals(last.owner)) {
                ops.add(new Op.Delete(path, last.version));
            }
        });
        if (!ops.isEmpty()) {
            multi(session, ops);
        }
    }

    private void commit(String session, List<Applied> applied, Map<String, State> staged) {
        zxid++;
        Set<String> changed = new TreeSet<>();
        for (Applied one : applied) {
            if (!(one.op instanceof Op.Check)) {
                String path = one.op.path();
                State after = staged.get(path);
                if (after != null) {
                    nodes.computeIfAbsent(path, p -> new ArrayList<>()).add(after.at(zxid));
                }
                changed.add(path);
                if (one.op instanceof Op.Create || one.op instanceof Op.Delete) {
                    addParents(path, changed);
                }
            }
        }
        listeners.removeIf(Listener::isEnded);
        for (Listener listener : List.copyOf(listeners)) {
            listener.onCommitted(session, zxid, applied, changed);
        }
    }

    /** Adds the parent, whose children changed, and its ancestors as long as these appear or disappear. */
    private void addParents(String path, Set<String> changed) {
        String parent = parent(path);
        changed.add(parent);
        boolean before = !children(parent, zxid - 1).isEmpty() || stateAt(parent, zxid - 1) != null;
        boolean after = !children(parent, zxid).isEmpty() || stateAt(parent, zxid) != null;
        if (before != after && !parent.isEmpty()) {
            addParents(parent, changed);
        }
    }

    private static boolean allowed(Op op, @Nullable State before) {
        int version = before == null ? Registry.ABSENT : before.version;
        if (op instanceof Op.Create) {
            return before == null;
        }
        if (op instanceof Op.Set set) {
            return before != null && version == set.version();
        }
        return op instanceof Op.Delete delete
                ? before != null && version == delete.version()
                : version == ((Op.Check) op).version();
    }

    private static State next(String session, Op op, @Nullable State before) {
        int version = before == null ? 0 : before.version + 1;
        if (op instanceof Op.Create create) {
            return new State(0, create.value(), version, create.ephemeral() ? session : "");
        }
        if (op instanceof Op.Set set) {
            return new State(0, set.value(), version, before == null ? "" : before.owner);
        }
        if (op instanceof Op.Delete) {
            return new State(0, null, version, "");
        }
        return before == null ? new State(0, null, Registry.ABSENT, "") : before;
    }

    private static @Nullable State present(@Nullable State state) {
        return state == null || state.value == null ? null : state;
    }

    private @Nullable State stateAt(String path, long at) {
        List<State> states = nodes.get(path);
        if (states == null) {
            return null;
        }
        for (int i = states.size() - 1; i >= 0; i--) {
            if (states.get(i).zxid <= at) {
                return present(states.get(i));
            }
        }
        return null;
    }

    static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return path.substring(0, Math.max(0, slash));
    }

    /** A node after a transaction; without a value it is deleted. */
    public record State(long zxid, @Nullable RegistryValue value, int version, String owner) {
        private State at(long transaction) {
            return new State(transaction, value, version, owner);
        }
    }

    /** Operation of a committed transaction, with the node before and after it; null if absent. */
    public record Applied(
            Op op, @Nullable State before, @Nullable State after) {
        private int resultVersion() {
            return op instanceof Op.Check || after == null ? Registry.ABSENT : after.version;
        }
    }

    /** Listener to committed transactions and to the paths whose watches they trigger. */
    @FunctionalInterface
    public interface Listener {
        void onCommitted(String session, long zxid, List<Applied> applied, Set<String> changed);

        /** True once the listener needs no more calls. */
        default boolean isEnded() {
            return false;
        }
    }

    /** Decision whether a failed check is ignored. A planted bug weakens the checks by it. */
    @FunctionalInterface
    public interface Guard {
        boolean passesOver(String session, List<Op> ops, int failing);
    }
}
