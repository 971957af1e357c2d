package io.uniserve.protocol.server;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.RegistryConnectionMonitor;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.server.identity.RegistryDataLossGuard;
import io.uniserve.protocol.server.identity.ServerRegistration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Readiness of a server: connection to the registry, its node there, an in-sync replica for every actor that the maps give it, and a valid
 * confirmed read lease on each.
 */
final class ServerReadinessChecker {
    private final ServerId self;
    private final ServerRegistration registration;
    private final ClusterMembers members;
    private final TableViewCache views;
    private final HostedReplicas replicas;
    private final RegistryDataLossGuard guard;
    private final RegistryConnectionMonitor contact;

    ServerReadinessChecker(
            ServerId self,
            ServerRegistration registration,
            ClusterMembers members,
            TableViewCache views,
            HostedReplicas replicas,
            RegistryDataLossGuard guard,
            RegistryConnectionMonitor contact) {
        this.contact = contact;
        this.self = self;
        this.registration = registration;
        this.members = members;
        this.views = views;
        this.replicas = replicas;
        this.guard = guard;
    }

    /** One sentence per missing condition; empty if the server is ready. */
    List<String> missingConditions(long now) {
        List<String> missing = new ArrayList<>();
        contact.lossReason(now).ifPresent(missing::add);
        ServerRecord mine = members.find(self);
        if (!registration.isRegistered()) {
            missing.add("it is not registered with ZooKeeper");
        } else if (mine == null || mine.incarnation() != registration.incarnation()) {
            missing.add("its node in ZooKeeper has not been seen yet");
        }
        if (!views.isComplete()) {
            missing.add("it has not read all tables yet");
        }
        List<ReplicaKey> held = guard.heldReplicas();
        if (!held.isEmpty()) {
            missing.add("the registry does not know the tables of its " + held.size() + " replicas, e.g. " + held.get(0)
                    + ": their files are kept");
        }
        for (TableViewCache.View view : views.all()) {
            for (ActorState actor : view.map().actors()) {
                String lacks = missingCondition(view, actor, now);
                if (lacks != null) {
                    missing.add(view.meta().name() + "/" + actor.actor() + " " + lacks);
                }
            }
        }
        return missing;
    }

    private @Nullable String missingCondition(TableViewCache.View view, ActorState actor, long now) {
        if (!actor.hasReplicaOn(self) && !actor.desiredServers().contains(self)) {
            return null;
        }
        if (!actor.isr().contains(self)) {
            return "is not in sync here yet";
        }
        Replica replica = replicas.find(new ReplicaKey(view.meta().tableId(), actor.actor()));
        if (replica == null || replica.installedEpoch() != actor.epoch()) {
            return "has not installed epoch " + actor.epoch() + " here";
        }
        ReadGate gate = replica.gate();
        if (!gate.serving()) {
            return "is recovering here:  " + replica.role();
        }
        return gate.leaseUntilNanos() - now <= 0 ? "has no read lease here" : null;
    }
}
