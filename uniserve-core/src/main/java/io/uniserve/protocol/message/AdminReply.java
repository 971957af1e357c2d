package io.uniserve.protocol.message;

import io.uniserve.model.Routing;
import io.uniserve.model.Routing.TableRoute;
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

    /** The cluster as the coordinator sees it. */
    record ClusterStatus(Routing routing, long term, List<PeerReply.Load> loads) implements AdminReply {
        public ClusterStatus {
            loads = List.copyOf(loads);
        }
    }
}
