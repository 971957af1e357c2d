package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.model.ServerId;
import io.uniserve.placement.ScalingDecision;
import io.uniserve.placement.ScalingView;
import java.util.Optional;

/** Check of a policy's decision. Stateless. */
final class DecisionChecker {
    private DecisionChecker() {}

    /** Reason why the decision is refused; empty if it may be carried out. */
    static Optional<String> refusal(ScalingDecision decision, ScalingView view, ScalingConfig config) {
        int servers = view.servers().size();
        if (decision.add() < 0) {
            return Optional.of("it adds " + decision.add() + " servers");
        }
        if (decision.add() > 0 && !decision.remove().isEmpty()) {
            return Optional.of("it adds and removes servers at once");
        }
        if (decision.add() > config.serversMax() - Math.min(servers, config.serversMax())) {
            return Optional.of(
                    "it adds " + decision.add() + " servers to " + servers + ", the maximum is " + config.serversMax());
        }
        if (decision.remove().size() > 1) {
            return Optional.of("it removes " + decision.remove().size() + " servers at once, use one per period");
        }
        if (!decision.remove().isEmpty() && servers <= config.serversMin()) {
            return Optional.of("it removes a server of " + servers + ", the minimum is " + config.serversMin());
        }
        for (ServerId id : decision.remove()) {
            Optional<ScalingView.Server> server =
                    view.servers().stream().filter(one -> one.id().equals(id)).findFirst();
            if (server.isEmpty()) {
                return Optional.of("it removes " + id + ", which is no server that may hold replicas");
            }
            if (!server.get().isRemovable()) {
                return Optional.of("it removes " + id + ", but " + server.get().keepReason());
            }
        }
        return Optional.empty();
    }
}
