package io.uniserve.protocol.server.identity;

import io.uniserve.model.ReplicaKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Guard against a registry that has lost its tables or belongs to another cluster. A replica of an unknown table may go to the trash only
 * if another replica that was here before stays. If all of them would go, the registry is at fault. Replicas that are created later do not
 * count as proof for the registry.
 */
public final class RegistryDataLossGuard {
    private final boolean disabled;
    private final TreeSet<ReplicaKey> knownReplicas = new TreeSet<>();
    private final TreeSet<ReplicaKey> heldReplicas = new TreeSet<>();

    /** @param off true permits that all replicas leave at once */
    public RegistryDataLossGuard(boolean off) {
        this.disabled = off;
    }

    /** Sets the replicas that were on disk at the start. */
    public void setOnDisk(Collection<ReplicaKey> onDisk) {
        knownReplicas.addAll(onDisk);
    }

    /** Whether the unknown replicas, of all that are here, may leave. If not, they are held from now on. */
    public boolean mayTrash(Collection<ReplicaKey> here, Collection<ReplicaKey> unknown) {
        heldReplicas.clear();
        if (unknown.isEmpty()) {
            knownReplicas.clear();
            knownReplicas.addAll(here);
            return true;
        }
        Collection<ReplicaKey> before =
                knownReplicas.isEmpty() ? here : knownReplicas; // a new server had no replicas before
        if (!disabled && unknown.containsAll(before)) {
            heldReplicas.addAll(unknown);
            return false;
        }
        knownReplicas.removeAll(unknown);
        return true;
    }

    /** Holds all unknown replicas, because the registry has no record of the cluster. */
    public void hold(Collection<ReplicaKey> unknown) {
        heldReplicas.clear();
        heldReplicas.addAll(unknown);
    }

    /** Replicas that stay although no table in the registry has them. */
    public List<ReplicaKey> heldReplicas() {
        return new ArrayList<>(heldReplicas);
    }
}
