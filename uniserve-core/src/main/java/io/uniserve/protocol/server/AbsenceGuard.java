package io.uniserve.protocol.server;

import io.uniserve.model.ReplicaKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Guard against a registry that has lost its tables or belongs to another cluster. A replica of an unknown table may go to the trash only
 * if another replica that was here before stays. If all of them would go, the registry is at fault. Replicas that are created later do not
 * count in the registry's favour.
 */
final class AbsenceGuard {
    private final boolean off;
    private final TreeSet<ReplicaKey> settled = new TreeSet<>();
    private final TreeSet<ReplicaKey> held = new TreeSet<>();

    /** @param off true permits that all replicas leave at once */
    AbsenceGuard(boolean off) {
        this.off = off;
    }

    /** Sets the replicas that were on disk at the start. */
    void found(Collection<ReplicaKey> onDisk) {
        settled.addAll(onDisk);
    }

    /** Whether the unknown replicas, of all that are here, may leave. If not, they are held from now on. */
    boolean allows(Collection<ReplicaKey> here, Collection<ReplicaKey> unknown) {
        held.clear();
        if (unknown.isEmpty()) {
            settled.clear();
            settled.addAll(here);
            return true;
        }
        Collection<ReplicaKey> before = settled.isEmpty() ? here : settled; // a new server had no replicas before
        if (!off && unknown.containsAll(before)) {
            held.addAll(unknown);
            return false;
        }
        settled.removeAll(unknown);
        return true;
    }

    /** Holds all unknown replicas, because the registry has no record of the cluster. */
    void hold(Collection<ReplicaKey> unknown) {
        held.clear();
        held.addAll(unknown);
    }

    /** Replicas that stay although no table in the registry has them. */
    List<ReplicaKey> held() {
        return new ArrayList<>(held);
    }
}
