package io.uniserve.protocol.server;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.MultiResult;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.replica.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Read leases of a server. One multi checks the maps of all tables with replicas here. A lease runs from the sending of the multi. A
 * replica has it once the epoch of the checked map is installed.
 */
final class LeaseKeeper {
    private static final int OUTSTANDING_MAX = 3;
    private static final long SOON_NANOS = 5_000_000;

    private final Environment env;
    private final long leaseNanos;
    private final Supplier<List<TableViewCache.View>> hosted;
    private final Function<ReplicaKey, @Nullable Replica> replicas;
    private final TableViewCache views;
    private final RegistryConnectionMonitor contact;
    private int outstanding;
    private boolean renewScheduled;

    LeaseKeeper(
            Environment env,
            long leaseNanos,
            Supplier<List<TableViewCache.View>> hosted,
            Function<ReplicaKey, @Nullable Replica> replicas,
            TableViewCache views,
            RegistryConnectionMonitor contact) {
        this.contact = contact;
        this.env = env;
        this.leaseNanos = leaseNanos;
        this.hosted = hosted;
        this.replicas = replicas;
        this.views = views;
    }

    /** Renews shortly, because a map or the hosted replicas have changed. */
    void renewSoon() {
        if (!renewScheduled) {
            renewScheduled = true;
            env.timers().after(SOON_NANOS, () -> {
                renewScheduled = false;
                renew(hosted.get());
            });
        }
    }

    /** Renews all leases; returns false if this server has no replica. */
    boolean renew() {
        List<TableViewCache.View> tables = hosted.get();
        renew(tables);
        return !tables.isEmpty();
    }

    private void renew(List<TableViewCache.View> tables) {
        if (tables.isEmpty() || outstanding >= OUTSTANDING_MAX) {
            return;
        }
        List<Op> checks = new ArrayList<>();
        for (TableViewCache.View view : tables) {
            checks.add(new Op.Check(RegistryPaths.map(view.meta().name()), view.mapVersion()));
        }
        long sentAt = env.clock().nanos();
        outstanding++;
        env.registry().multi(checks, checked -> {
            outstanding--;
            if (!(checked instanceof Outcome.Ok<MultiResult> ok)) {
                return;
            }
            contact.onConfirmed(sentAt, env.clock().nanos());
            if (ok.value().applied()) {
                tables.forEach(view -> grant(view, sentAt + leaseNanos));
                return;
            }
            int conflict = ok.value().conflict();
            views.refresh(tables.get(conflict).meta().name());
            List<TableViewCache.View> rest = new ArrayList<>(tables);
            rest.remove(conflict);
            renew(rest);
        });
    }

    private void grant(TableViewCache.View view, long until) {
        view.map().actors().forEach(actor -> {
            Replica replica = replicas.apply(new ReplicaKey(view.meta().tableId(), actor.actor()));
            if (replica != null) {
                replica.renewLease(actor.epoch(), until);
            }
        });
    }
}
