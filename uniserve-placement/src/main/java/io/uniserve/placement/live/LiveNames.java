package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import java.util.function.Function;

/**
 * Names of actors and servers in texts for operators.
 *
 * @param actor name of an actor, such as words/3
 * @param server name of a server
 */
public record LiveNames(Function<ReplicaKey, String> actor, Function<ServerId, String> server) {
    /** Names by id. */
    public static LiveNames ids() {
        return new LiveNames(ReplicaKey::toString, ServerId::value);
    }
}
