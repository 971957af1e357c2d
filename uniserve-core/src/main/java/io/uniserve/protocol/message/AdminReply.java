package io.uniserve.protocol.message;

import io.uniserve.model.BackupInfo;
import io.uniserve.model.Routing;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.model.TrashReport;
import java.util.List;

/** Answers to {@link AdminRequest}s. */
public sealed interface AdminReply {
    /** Done. */
    record Ack() implements AdminReply {}

    /** The tables asked for. */
    record Tables(List<TableRoute> tables) implements AdminReply {
        public Tables {
            tables = List.copyOf(tables);
        }
    }

    /**
     * The cluster as the coordinator sees it.
     *
     * @param drained servers that are to hold nothing, live or not
     * @param rebalance what moves, and why
     * @param problems of the coordinator
     */
    record ClusterStatus(
            Routing routing,
            long term,
            List<PeerReply.Load> loads,
            List<ServerId> drained,
            Rebalance rebalance,
            List<Problem> problems)
            implements AdminReply {
        public ClusterStatus {
            loads = List.copyOf(loads);
            drained = List.copyOf(drained);
            problems = List.copyOf(problems);
        }

        /** Of a coordinator without a problem. */
        public ClusterStatus(
                Routing routing, long term, List<PeerReply.Load> loads, List<ServerId> drained, Rebalance rebalance) {
            this(routing, term, loads, drained, rebalance, List.of());
        }

        /** With nothing to tell of moves. */
        public ClusterStatus(Routing routing, long term, List<PeerReply.Load> loads, List<ServerId> drained) {
            this(routing, term, loads, drained, Rebalance.NONE);
        }
    }

    /**
     * Replicas on their way, whoever wished it, and what the coordinator does about load by itself.
     *
     * @param state in a few words; empty where it tells nothing
     * @param waiting moves of the last plan that have not begun
     */
    record Rebalance(String state, int waiting, List<Moving> moves) {
        /** Nothing to tell. */
        public static final Rebalance NONE = new Rebalance("", 0, List.of());

        public Rebalance {
            moves = List.copyOf(moves);
        }
    }

    /**
     * A replica on its way.
     *
     * @param from the servers it leaves; none where that is not decided
     * @param to the servers that it is to be on, and is not yet for good
     * @param why empty where the coordinator did not wish it by itself, or another one did before it
     */
    record Moving(TableName table, int actor, List<ServerId> from, List<ServerId> to, String why) {
        public Moving {
            from = List.copyOf(from);
            to = List.copyOf(to);
        }
    }

    /** What a comparison of an actor's copies found. */
    record Verified(PeerReply.Compared compared) implements AdminReply {}

    /** Backups in durable storage. */
    record Backups(List<BackupInfo> backups) implements AdminReply {
        public Backups {
            backups = List.copyOf(backups);
        }
    }

    /** So many actors of a backup are done, of so many; both 0 where nothing is under way. */
    record WorkDone(int done, int total) implements AdminReply {}

    /** Definitions of tables. */
    record Definitions(List<TableMeta> tables) implements AdminReply {
        public Definitions {
            tables = List.copyOf(tables);
        }
    }

    /** A server's trash. */
    record Trashed(TrashReport report) implements AdminReply {}
}
