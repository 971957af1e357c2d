package io.uniserve.simulator.scaling;

import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Checks of the auto-scaler: no server is terminated that an actor needs, no token runs twice, no machine of others ends, and in the end
 * every running machine is recorded as in use.
 */
public final class ScalingCheck {
    private static final String CODE = "SCALE";

    private final SimEnsemble ensemble;
    private final ViolationCollector violations;

    public ScalingCheck(SimEnsemble ensemble, ViolationCollector violations) {
        this.ensemble = ensemble;
        this.violations = violations;
    }

    void launched(String token, List<String> running) {
        if (Collections.frequency(running, token) > 1) {
            violations.add(CODE, "token " + token + " runs twice");
        }
    }

    /** Checks a server in the moment in which it is terminated. */
    void terminated(ServerId server, String token, boolean stranger) {
        if (stranger) {
            violations.add(CODE, "the machine of another user was terminated");
        }
        record().find(token)
                .filter(instance -> instance.state() != ScalingInstance.State.TERMINATING
                        && instance.state() != ScalingInstance.State.ENDED)
                .ifPresent(instance ->
                        violations.add(CODE, server + " was terminated and is recorded as " + instance.state()));
        for (TableRoute route :
                SimRoutingView.routing(ensemble, ensemble.zxid()).tables()) {
            for (ActorState actor : route.map().actors()) {
                if (actor.isr().contains(server)) {
                    violations.add(
                            CODE,
                            server + " was terminated, and " + route.meta().name() + "/" + actor.actor()
                                    + " has in-sync replicas " + actor.isr());
                }
            }
        }
    }

    boolean isDraining(String token) {
        return record().find(token)
                .filter(instance -> instance.state() == ScalingInstance.State.DRAINING)
                .isPresent();
    }

    /** The auto-scaler's record in the registry. */
    public ScalingRecord record() {
        return ensemble.read(RegistryPaths.SCALING, ensemble.zxid()).value() instanceof ScalingRecord record
                ? record
                : ScalingRecord.EMPTY;
    }

    /** Reason why the auto-scaler has not come to rest; empty if every running machine is recorded as in use, and no other. */
    public Optional<String> unfinished(SimServerProvider provider) {
        List<String> joined = record().instances().stream()
                .filter(instance -> instance.state() == ScalingInstance.State.JOINED)
                .map(ScalingInstance::token)
                .sorted()
                .toList();
        if (!joined.equals(provider.runningTokens())) {
            return Optional.of("machines " + provider.runningTokens() + " run, recorded as in use are " + joined
                    + " of " + record().instances());
        }
        return record().instances().stream()
                .filter(instance -> instance.state() != ScalingInstance.State.JOINED
                        && instance.state() != ScalingInstance.State.ENDED)
                .findFirst()
                .map(instance -> instance.serverId() + " is " + instance.state() + ": " + instance.reason());
    }
}
