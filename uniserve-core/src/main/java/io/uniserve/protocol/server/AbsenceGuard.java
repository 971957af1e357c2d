package io.uniserve.protocol.server;

import io.uniserve.model.ReplicaKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Guard against a registry that lost its tables, or is another cluster's. Replicas of tables that the registry does not know
 * may leave only while others that were here before stay: where all of them would go, the registry is at fault, not they.
 * What is created afterwards proves nothing in its favour.
 */
final class AbsenceGuard {
    private final boolean off;
    private final TreeSet<ReplicaKey> settled = new TreeSet<>();
    private final TreeSet<ReplicaKey> held = new TreeSet<>();

    /** @param off whether all replicas may leave at once */
    AbsenceGuard(boolean off) {
        this.off = off;
    }

    /** These were found on disk at the start. */
    void found(Collection<ReplicaKey> onDisk) {
        settled.addAll(onDisk);
    }

    /** Whether these unknown ones, of all that are here, may leave; those that may not are held from now on. */
    boolean allows(Collection<ReplicaKey> here, Collection<ReplicaKey> unknown) {
        held.clear();
        if (unknown.isEmpty()) {
            settled.clear();
            settled.addAll(here);
            return true;
        }
        Collection<ReplicaKey> before = settled.isEmpty() ? here : settled; // a new server had none
        if (!off && unknown.containsAll(before)) {
            held.addAll(unknown);
            return false;
        }
        settled.removeAll(unknown);
        return true;
    }

    /** The registry has no record of the cluster: nothing leaves. */
    void hold(Collection<ReplicaKey> unknown) {
        held.clear();
        held.addAll(unknown);
    }

    /** Replicas that stay although no table of the registry claims them. */
    List<ReplicaKey> held() {
        return new ArrayList<>(held);
    }
}
