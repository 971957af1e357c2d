package io.uniserve.protocol.message;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import java.util.List;

/** What daemons ask of each other. Every request names the cluster; another cluster's is refused with WRONG_CLUSTER. */
public sealed interface PeerRequest {
    /** Are you alive? {@code to} is the server meant: another one at the same address answers WRONG_SERVER by its own id. */
    record Ping(ServerId from, ServerId to) implements PeerRequest {}

    /**
     * Log entries from the primary; entries follow the one at {@code prevIndex}, which has {@code prevEpoch}.
     *
     * @param baseIndex the index after which the primary's log begins: it cannot send what comes before
     */
    record Replicate(
            ReplicaKey key,
            long epoch,
            ServerId primary,
            long prevIndex,
            long prevEpoch,
            List<LogEntry> entries,
            long stableIndex,
            long baseIndex)
            implements PeerRequest {
        public Replicate {
            entries = List.copyOf(entries);
        }
    }

    /** A server tells the coordinator that pings to another one failed. */
    record Suspect(ServerId reporter, ServerId suspect, long incarnation, int failedPings) implements PeerRequest {}

    /** The primary tells the coordinator that the learner holds the whole log; valid in this epoch only. */
    record Certified(ReplicaKey key, long epoch, ServerId primary, ServerId learner) implements PeerRequest {}

    /** The primary tells the coordinator that replicas removed at these epochs are fenced. */
    record Fenced(ReplicaKey key, long epoch, List<ServerId> servers) implements PeerRequest {
        public Fenced {
            servers = List.copyOf(servers);
        }
    }

    /** A replica tells the coordinator that it cannot serve and must leave the ISR (quarantined log, failed engine). */
    record Unfit(ReplicaKey key, long epoch, ServerId server, String reason) implements PeerRequest {}

    /** A server tells the coordinator that it drains (SIGTERM): move primaries and replicas away. */
    record Draining(ServerId server, long incarnation) implements PeerRequest {}

    /** The coordinator asks a server to check a new table's definition with its port. */
    record ValidateTable(io.uniserve.model.TableMeta meta) implements PeerRequest {}

    /** The coordinator asks a server to delete from durable storage what belongs to an actor of a dropped table. */
    record EraseBackup(TableName table, ReplicaKey key) implements PeerRequest {}

    /** Asks a server for its replicas' state and load. */
    record ReportLoad() implements PeerRequest {}
}
