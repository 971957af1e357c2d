package io.uniserve.protocol.message;

import io.uniserve.model.Routing;
import io.uniserve.model.Routing.TableRoute;
import io.uniserve.model.ServerId;
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
     */
    record ClusterStatus(Routing routing, long term, List<PeerReply.Load> loads, List<ServerId> drained)
            implements AdminReply {
        public ClusterStatus {
            loads = List.copyOf(loads);
            drained = List.copyOf(drained);
        }
    }
}
