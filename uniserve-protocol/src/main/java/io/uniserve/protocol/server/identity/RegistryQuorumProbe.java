package io.uniserve.protocol.server.identity;

import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import java.util.List;

/**
 * Check that the registry answers, for a server without replicas, which renews no lease. It sends a write without effect, which ZooKeeper
 * answers only with a quorum.
 */
public final class RegistryQuorumProbe {
    private final Environment env;
    private final RegistryConnectionMonitor contact;
    private final Runnable clusterChanged;
    private int version = Registry.ABSENT;
    private boolean busy;

    /** @param clusterChanged runs if the cluster's node has another znode version than the one last read */
    public RegistryQuorumProbe(Environment env, RegistryConnectionMonitor contact, Runnable clusterChanged) {
        this.env = env;
        this.contact = contact;
        this.clusterChanged = clusterChanged;
    }

    /** Sets the znode version of the cluster's node as last read. */
    public void clusterVersion(int read) {
        version = read;
    }

    public void run() {
        if (busy) {
            return;
        }
        busy = true;
        long sentAt = env.clock().nanos();
        if (version == Registry.ABSENT) {
            env.registry().sync(synced -> done(sentAt, synced instanceof Outcome.Ok));
            return;
        }
        env.registry().multi(List.of(new Op.Check(RegistryPaths.CLUSTER, version)), checked -> {
            done(sentAt, checked instanceof Outcome.Ok);
            if (checked instanceof Outcome.Ok<MultiResult> ok && !ok.value().applied()) {
                clusterChanged.run();
            }
        });
    }

    private void done(long sentAt, boolean confirmed) {
        busy = false;
        if (confirmed) {
            contact.onConfirmed(sentAt, env.clock().nanos());
        }
    }
}
