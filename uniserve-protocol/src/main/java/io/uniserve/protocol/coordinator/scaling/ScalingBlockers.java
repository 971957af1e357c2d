package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingInstance.State;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reasons why the auto-scaler must not act, at one moment. The first reason is the one that operators see. */
final class ScalingBlockers {
    private final LeaderContext leader;
    private final ScalingRecord record;
    private final List<String> operations;

    /**
     * Blockers of a moment.
     *
     * @param operations operations under way during which no server may go, such as backups
     */
    ScalingBlockers(LeaderContext leader, ScalingRecord record, List<String> operations) {
        this.leader = leader;
        this.record = record;
        this.operations = operations;
    }

    /** Reasons why no server may be added. */
    List<String> ofAddition() {
        List<String> reasons = new ArrayList<>();
        hold().ifPresent(reasons::add);
        int silent = leader.silentServers();
        if (2 * silent > leader.members().servers().size()) {
            reasons.add(silent + " of " + leader.members().servers().size() + " servers are unreachable");
        }
        record.instances().stream()
                .filter(one -> one.state() == State.REQUESTED || one.state() == State.LAUNCHED)
                .findFirst()
                .ifPresent(one -> reasons.add(one.serverId() + " is being launched"));
        return reasons;
    }

    /** Reasons why no server may be removed. */
    List<String> ofRemoval() {
        List<String> reasons = ofContinuedRemoval();
        reasons.addAll(ofCertificate());
        record.instances().stream()
                .filter(one -> one.state() == State.REQUESTED || one.state() == State.LAUNCHED)
                .findFirst()
                .ifPresent(one -> reasons.add(one.serverId() + " is being launched"));
        draining().ifPresent(reasons::add);
        return reasons;
    }

    /** Reasons why a removal under way must not go on. */
    List<String> ofContinuedRemoval() {
        List<String> reasons = new ArrayList<>();
        hold().ifPresent(reasons::add);
        int silent = leader.silentServers();
        if (silent > 0) {
            reasons.add(silent + " servers are unreachable");
        }
        incompleteActor().ifPresent(reasons::add);
        return reasons;
    }

    /** Reasons why a drained server must wait for its certificate. They pass by themselves. */
    List<String> ofCertificate() {
        List<String> reasons = new ArrayList<>(operations);
        for (Table table : leader.catalog().tables()) {
            table.map().actors().stream()
                    .filter(actor -> !actor.epochStarted())
                    .findFirst()
                    .ifPresent(actor -> reasons.add(table.meta.name() + "/" + actor.actor() + " has not started"));
        }
        return reasons;
    }

    private Optional<String> hold() {
        return record.hold().isEmpty() ? Optional.empty() : Optional.of("held by an operator: " + record.hold());
    }

    /** A drain that the auto-scaler or an operator has requested, while it is under way. */
    private Optional<String> draining() {
        for (ScalingInstance one : record.instances()) {
            if (one.state() == State.DRAINING) {
                return Optional.of(one.serverId() + " is being drained");
            }
        }
        for (ServerRecord server : leader.liveServers()) {
            if (leader.clusterView().isDraining(server.id())
                    && occupyingActor(leader, server.id()).isPresent()) {
                return Optional.of(server.id() + " is being drained at an operator's request, or shuts down");
            }
        }
        return Optional.empty();
    }

    private Optional<String> incompleteActor() {
        ClusterView view = leader.clusterView();
        for (Table table : leader.catalog().tables()) {
            for (ActorState actor : table.map().actors()) {
                String name = table.meta.name() + "/" + actor.actor();
                if (actor.isr().size() < table.meta.rf()) {
                    return Optional.of(name + " lacks replicas");
                }
                if (!actor.isr().stream().allMatch(view::isLive)) {
                    return Optional.of(name + " has a replica on a server that is not live");
                }
            }
        }
        return Optional.empty();
    }

    /** First reason why this server may not go; empty if it may. */
    Optional<String> ofServer(ServerId id) {
        Optional<ScalingInstance> instance = record.instances().stream()
                .filter(one -> one.serverId().equals(id))
                .findFirst();
        if (instance.isEmpty()) {
            return Optional.of("the auto-scaler has not launched it");
        }
        if (instance.get().state() != State.JOINED) {
            return Optional.of("it is " + instance.get().state());
        }
        if (leader.catalog().cluster().drainedServers().contains(id)) {
            return Optional.of("an operator has drained it");
        }
        List<String> all = ofRemoval();
        return all.isEmpty() ? tooFewOthers(id) : Optional.of(all.get(0));
    }

    private Optional<String> tooFewOthers(ServerId id) {
        for (Table table : leader.catalog().tables()) {
            long others = leader.usableServers().stream()
                    .filter(other -> !other.id().equals(id) && ClusterView.offersPort(other, table.meta.port()))
                    .count();
            if (others < table.meta.rf()) {
                return Optional.of("table " + table.meta.name() + " keeps " + table.meta.rf()
                        + " replicas per actor, and there would be " + others + " servers with port "
                        + table.meta.port());
            }
        }
        return Optional.empty();
    }

    /**
     * An actor that still needs the server: a replica, a learner, a desired place, a read lease, or data of the time before a takeover. Also
     * a table whose map is not known exactly. Empty if the server is empty in all maps, which only this term changes.
     */
    static Optional<String> occupyingActor(LeaderContext leader, ServerId id) {
        for (Table table : leader.catalog().tables()) {
            if (table.writePending || table.stale) {
                return Optional.of("the map of " + table.meta.name() + " is being written");
            }
            for (ActorState actor : table.map().actors()) {
                if (actor.hasReplicaOn(id)
                        || actor.desiredServers().contains(id)
                        || actor.previousIsr().isr().contains(id)
                        || actor.fencing().stream()
                                .anyMatch(fencing -> fencing.server().equals(id))) {
                    return Optional.of(table.meta.name() + "/" + actor.actor() + " needs it");
                }
            }
        }
        return Optional.empty();
    }
}
