package io.uniserve.placement;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Policy that changes the number of replicas of actors, and the shares of their queries, on a running cluster. A pure function: the same
 * arguments give the same plan. It never goes below {@link LiveCluster.CopyState#least}.
 */
@FunctionalInterface
public interface ReplicationPolicy {
    /**
     * The most useful change, at most one, and the state of hot actors.
     *
     * @param cluster servers and actors, with their loads
     * @param measured measured cost of copies
     */
    Plan plan(LiveCluster cluster, CopyTraffic measured);

    /** A policy without any change. */
    static ReplicationPolicy none() {
        return (cluster, measured) -> Plan.NOTHING;
    }

    /**
     * Measured cost of copies.
     *
     * @param bytesPerSecond rate of past copies, more than 0
     * @param bytesMoving bytes of the replicas that are being copied now
     */
    record CopyTraffic(double bytesPerSecond, long bytesMoving) {
        /** Before any copy: a low rate is assumed, so that copies are rather omitted. */
        public static final CopyTraffic UNMEASURED = new CopyTraffic(20e6, 0);
    }

    /**
     * Result of a policy.
     *
     * @param change the next change; empty for none
     * @param findings one for each actor that is hot or has an automatic copy, in the order of load
     */
    record Plan(Optional<Change> change, List<Finding> findings) {
        /** A plan without changes. */
        public static final Plan NOTHING = new Plan(Optional.empty(), List.of());

        public Plan {
            findings = List.copyOf(findings);
        }
    }

    /** State of an actor's copies in words, for operators. */
    record Finding(ReplicaKey key, String reason) {}

    /** Change of one actor. */
    sealed interface Change {
        /** The actor. */
        ReplicaKey key();

        /** Short reason, for operators. */
        String reason();
    }

    /**
     * More replicas, made at the same time.
     *
     * @param targets servers of the new replicas, at least one, each once
     * @param copies number of replicas afterwards, at least 2
     */
    record AddCopies(ReplicaKey key, List<ServerId> targets, int copies, String reason) implements Change {
        public AddCopies {
            targets = List.copyOf(targets);
            if (targets.isEmpty()) {
                throw new IllegalArgumentException("AddCopies of " + key + " names no server");
            }
        }
    }

    /**
     * One replica fewer.
     *
     * @param source server that loses its replica, never that of the primary
     * @param copies automatic number of replicas afterwards; 0 for none
     */
    record DropCopy(ReplicaKey key, ServerId source, int copies, String reason) implements Change {}

    /**
     * New shares of the queries.
     *
     * @param weights share per host, with the sum 1; empty for equal shares
     */
    record SetWeights(ReplicaKey key, Map<ServerId, Double> weights, String reason) implements Change {
        public SetWeights {
            weights = Collections.unmodifiableMap(new TreeMap<>(weights));
        }
    }
}
