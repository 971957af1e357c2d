package io.uniserve.cli.status;

import io.uniserve.cli.ServerNames;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.PeerReply.Load;
import io.uniserve.protocol.message.PeerReply.ReplicaLoad;
import io.uniserve.protocol.message.PeerReply.Serving;
import java.util.Optional;

/** Health check of one replica that is in sync by the map, with the report of its server. */
final class ReplicaStatusCheck {
    private ReplicaStatusCheck() {}

    /**
     * Returns whether the replica serves according to the map.
     *
     * @param live true if the server is live by the coordinator
     * @param server its report; empty if it did not answer
     * @param replica its report about this replica
     */
    static HealthStatus of(
            ActorState actor, ServerId id, boolean live, Optional<Load> server, Optional<ReplicaLoad> replica) {
        String on = " on " + ServerNames.shortName(id);
        if (!live) {
            return HealthStatus.failed("its server " + ServerNames.shortName(id) + " is not live");
        }
        if (server.isEmpty()) {
            return HealthStatus.unknown("server " + ServerNames.shortName(id) + " does not answer the coordinator");
        }
        if (replica.isEmpty() || replica.get().epoch() != actor.epoch()) {
            return HealthStatus.failed("has not started epoch " + actor.epoch() + on);
        }
        String role = replica.get().role();
        boolean expected = actor.primary().equals(id) ? role.equals(ReplicaLoad.PRIMARY) : role.equals("follower");
        if (!expected) {
            return HealthStatus.failed("is " + role + on);
        }
        return replica.get().serving() == Serving.NO ? HealthStatus.failed("has no read lease" + on) : HealthStatus.OK;
    }
}
