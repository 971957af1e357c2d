package io.uniserve.protocol.coordinator.failover;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.IntactReplicaList;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that their servers have reported as intact. A returned server may have damaged or missing files, so the coordinator removes
 * another copy only if the remaining one is reported as intact. A report is valid for one incarnation of the server, until the replica
 * reports lost data. Reports are requested when a decision first needs them. Soft state.
 */
public final class IntactReplicaTracker {
    private static final int KEYS_PER_REQUEST_MAX = 4_096;

    private final LeaderContext leader;
    private final TreeMap<ServerId, ServerReports> reports = new TreeMap<>();

    /** Reports of one server. */
    private static final class ServerReports {
        private final long incarnation;
        private final TreeMap<ReplicaKey, Long> installedEpochs = new TreeMap<>();
        private final TreeSet<ReplicaKey> wanted = new TreeSet<>();
        private boolean requestPending;

        private ServerReports(long incarnation) {
            this.incarnation = incarnation;
        }
    }

    public IntactReplicaTracker(LeaderContext leader) {
        this.leader = leader;
    }

    /** True when the server has reported its replica as intact. Otherwise a report will be requested. */
    boolean isIntact(ReplicaKey key, ActorState actor, ServerId server) {
        ServerReports book = reportsOf(server);
        if (book == null) {
            return false;
        }
        Long installed = book.installedEpochs.get(key);
        if (installed != null && installed >= (actor.epochStarted() ? Math.max(1, actor.restoreEpoch()) : 0)) {
            return true;
        }
        book.wanted.add(key);
        return false;
    }

    /** True when the server has an intact replica that was in sync before the pending takeover. Otherwise a report will be requested. */
    boolean wasInSync(ReplicaKey key, ActorState actor, ServerId server) {
        ServerReports book = reportsOf(server);
        if (book == null) {
            return false;
        }
        Long installed = book.installedEpochs.get(key);
        if (installed != null && actor.previousIsr().hasAllData(server, installed)) {
            return true;
        }
        book.wanted.add(key);
        return false;
    }

    private @Nullable ServerReports reportsOf(ServerId server) {
        ServerRecord record = leader.members().find(server);
        if (record == null) {
            return null;
        }
        ServerReports book = reports.get(server);
        if (book == null || book.incarnation != record.incarnation()) {
            book = new ServerReports(record.incarnation());
            reports.put(server, book);
        }
        return book;
    }

    /** Removes the report of a replica whose data are lost. */
    public void revoke(ReplicaKey key, ServerId server) {
        ServerReports book = reports.get(server);
        if (book != null) {
            book.installedEpochs.remove(key);
        }
    }

    /** Requests the reports that decisions were missing. */
    void requestReports() {
        reports.keySet().removeIf(server -> leader.members().find(server) == null);
        for (ServerId server : List.copyOf(reports.keySet())) {
            ServerReports book = reportsOf(server);
            ServerRecord record = leader.members().find(server);
            if (book != null && record != null && !book.requestPending && !book.wanted.isEmpty()) {
                requestReport(book, record);
            }
        }
    }

    private void requestReport(ServerReports book, ServerRecord record) {
        List<ReplicaKey> keys = book.wanted.stream().limit(KEYS_PER_REQUEST_MAX).toList();
        book.requestPending = true;
        book.wanted.clear();
        leader.env()
                .network()
                .call(
                        record.address(),
                        new PeerRequest.ListIntactReplicas(keys),
                        leader.config().pingTimeoutNanos(),
                        leader.registry().scoped(outcome -> onReply(book, outcome)));
    }

    private void onReply(ServerReports book, Outcome<PeerReply> outcome) {
        book.requestPending = false;
        boolean news = false;
        if (outcome instanceof Outcome.Ok<PeerReply> ok
                && ok.value() instanceof IntactReplicaList intact
                && intact.incarnation() == book.incarnation) {
            for (IntactReplicaList.IntactReplica replica : intact.replicas()) {
                news |= !Long.valueOf(replica.installedEpoch())
                        .equals(book.installedEpochs.put(replica.key(), replica.installedEpoch()));
            }
        }
        if (news) {
            leader.reconcileSoon();
        }
    }
}
