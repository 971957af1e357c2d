package io.uniserve.protocol.message;

import io.uniserve.model.BackupInfo;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ScalingRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.ChunkPolicy;
import io.uniserve.placement.ScalingView;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Replies to {@link AdminRequest}s. */
public sealed interface AdminReply {
    /** The request succeeded. */
    record Ack() implements AdminReply {}

    /** The requested tables. */
    record Tables(List<TableRoute> tables) implements AdminReply {
        public Tables {
            tables = List.copyOf(tables);
        }
    }

    /**
     * The cluster as the coordinator sees it.
     *
     * @param drained servers that must have no replicas, live or not
     * @param rebalance replica moves under way
     * @param problems problems of the coordinator itself
     */
    record ClusterStatus(
            Routing routing,
            long term,
            List<PeerReply.Load> loads,
            List<ServerId> drained,
            Rebalance rebalance,
            List<HealthProblem> problems)
            implements AdminReply {
        public ClusterStatus {
            loads = List.copyOf(loads);
            drained = List.copyOf(drained);
            problems = List.copyOf(problems);
        }

        /** Status of a coordinator without problems. */
        public ClusterStatus(
                Routing routing, long term, List<PeerReply.Load> loads, List<ServerId> drained, Rebalance rebalance) {
            this(routing, term, loads, drained, rebalance, List.of());
        }

        /** Status without information about moves. */
        public ClusterStatus(Routing routing, long term, List<PeerReply.Load> loads, List<ServerId> drained) {
            this(routing, term, loads, drained, Rebalance.NONE);
        }
    }

    /**
     * Moves of replicas under way, requested by operators or by the rebalancer, and the state of the rebalancer.
     *
     * @param state state of the rebalancer in a few words; may be empty
     * @param pendingMoves number of moves of the last plan that have not started
     * @param copies actors that are hot, have automatic copies, or have shares of queries per server
     */
    record Rebalance(String state, int pendingMoves, List<MoveStatus> moves, List<CopyStatus> copies) {
        /** No moves and no rebalancer. */
        public static final Rebalance NONE = new Rebalance("", 0, List.of());

        public Rebalance {
            moves = List.copyOf(moves);
            copies = List.copyOf(copies);
        }

        /** Moves without automatic copies. */
        public Rebalance(String state, int pendingMoves, List<MoveStatus> moves) {
            this(state, pendingMoves, moves, List.of());
        }
    }

    /**
     * Automatic copies of an actor.
     *
     * @param replicas replicas in sync
     * @param requested replicas that the table's rf or an operator requires
     * @param automatic replicas that the rebalancer has requested, 0 for none
     * @param weights share of the queries per server; empty for equal shares
     * @param reason the rebalancer's reason; empty if it has not evaluated the actor yet
     */
    record CopyStatus(
            TableName table,
            int actor,
            int replicas,
            int requested,
            int automatic,
            Map<ServerId, Double> weights,
            String reason) {
        public CopyStatus {
            weights = Collections.unmodifiableMap(new TreeMap<>(weights));
        }
    }

    /**
     * A move of a replica.
     *
     * @param from servers that the replica leaves; empty if not decided
     * @param to servers that the replica moves to and is not finally on yet
     * @param reason the rebalancer's reason; empty if an operator requested the move, or an earlier leader planned it
     */
    record MoveStatus(TableName table, int actor, List<ServerId> from, List<ServerId> to, String reason) {
        public MoveStatus {
            from = List.copyOf(from);
            to = List.copyOf(to);
        }
    }

    /**
     * Placement of a chunk with its reasons.
     *
     * @param policy name of the policy
     * @param start start of the chunk in ISO-8601
     * @param firstActor number of its first actor
     * @param present servers of its actors now, per bucket; empty if the chunk does not exist
     * @param decision servers that the policy would choose now, with the costs of all servers and the model
     */
    record ChunkExplanation(
            String policy, String start, int firstActor, List<List<ServerId>> present, ChunkPolicy.Decision decision)
            implements AdminReply {
        public ChunkExplanation {
            present = present.stream().map(List::copyOf).toList();
        }
    }

    /**
     * State of the auto-scaler.
     *
     * @param state what it does, or why it does nothing
     * @param record launched servers and last decisions
     * @param servers load of the servers, with the first reason why each may not go
     * @param addReason first reason why no server may be added now; empty if one may
     * @param problem last failure of the provider; empty if there is none
     */
    record Scaling(
            String state, ScalingRecord record, List<ScalingView.Server> servers, String addReason, String problem)
            implements AdminReply {
        public Scaling {
            servers = List.copyOf(servers);
        }
    }

    /**
     * Rules.
     *
     * @param user the user that was asked for, or the caller; empty for all users
     * @param revocations all of them if all rules were asked for, else none
     * @param limits all of them if all rules were asked for, else those that the user has
     */
    record UserRoles(String user, List<RoleGrant> grants, List<Revocation> revocations, List<RoleLimit> limits)
            implements AdminReply {
        public UserRoles {
            grants = List.copyOf(grants);
            revocations = List.copyOf(revocations);
            limits = List.copyOf(limits);
        }
    }

    /** Users with a password, in order of their names. */
    record Users(List<UserInfo> users) implements AdminReply {
        public Users {
            users = List.copyOf(users);
        }
    }

    /**
     * A user with a password.
     *
     * @param iterations iterations of its salted password
     */
    record UserInfo(String name, int iterations) {}

    /** Result of a comparison of an actor's copies. */
    record Verified(PeerReply.Compared compared) implements AdminReply {}

    /** Backups in durable storage. */
    record Backups(List<BackupInfo> backups) implements AdminReply {
        public Backups {
            backups = List.copyOf(backups);
        }
    }

    /** Progress of a backup: number of actors done, and in all; both 0 if nothing is under way. */
    record WorkProgress(int done, int total) implements AdminReply {}

    /** Definitions of tables. */
    record Definitions(List<TableMeta> tables) implements AdminReply {
        public Definitions {
            tables = List.copyOf(tables);
        }
    }

    /** A server's trash. */
    record Trashed(TrashReport report) implements AdminReply {}
}
