package io.uniserve.protocol.server;

import io.uniserve.protocol.RegistryContact;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import java.util.List;

/**
 * Check that the registry still answers a server that renews no lease, since it holds no replica. It is a write without
 * effect, so a ZooKeeper that has lost its quorum does not pass it.
 */
final class ContactCheck {
    private final Environment env;
    private final RegistryContact contact;
    private final Runnable clusterChanged;
    private int version = Registry.ABSENT;
    private boolean busy;

    /** @param clusterChanged runs where the cluster's node has another version than the one that was read */
    ContactCheck(Environment env, RegistryContact contact, Runnable clusterChanged) {
        this.env = env;
        this.contact = contact;
        this.clusterChanged = clusterChanged;
    }

    /** The version of the cluster's node that was read last. */
    void clusterVersion(int read) {
        version = read;
    }

    void run() {
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
            contact.confirmed(sentAt, env.clock().nanos());
        }
    }
}
