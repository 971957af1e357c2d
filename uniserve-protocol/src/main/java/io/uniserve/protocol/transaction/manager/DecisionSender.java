package io.uniserve.protocol.transaction.manager;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionContext;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Phase two of the commit: sends decisions to the participants' primaries and retries. It keeps their acknowledgements until the next write
 * of the transaction log, which removes these participants from the decision.
 */
public final class DecisionSender {
    private static final int ATTEMPTS_MAX = 40;

    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final TransactionLogPublisher transactionLogPublisher;
    private final TreeMap<Long, TreeSet<Integer>> ackedActors = new TreeMap<>();
    private Listener listener = (version, actor) -> {};

    /** Callback for acknowledgements. */
    interface Listener {
        void onAck(long version, int actor);
    }

    /** @param transactionLogPublisher adds the transaction log to requests for servers that do not have it yet */
    DecisionSender(
            TransactionContext host,
            TransactionConfig config,
            TableName table,
            long tableId,
            TransactionLogPublisher transactionLogPublisher) {
        this.transactionLogPublisher = transactionLogPublisher;
        this.host = host;
        this.config = config;
        this.table = table;
        this.tableId = tableId;
    }

    void setListener(Listener next) {
        listener = next;
    }

    /** True if the actor has acknowledged the version, and the transaction log does not have the acknowledgement yet. */
    boolean hasAck(long version, int actor) {
        return ackedActors.getOrDefault(version, new TreeSet<>()).contains(actor);
    }

    /** Sends the decision to the actors' primaries, with retries until each has logged it or {@code ATTEMPTS_MAX} is reached. */
    void send(long version, boolean commit, List<Integer> actors) {
        actors.forEach(actor -> send(version, commit, actor, 0));
    }

    private void send(long version, boolean commit, int actor, int attempt) {
        TransactionContext.Table known = host.table(table);
        if (attempt == ATTEMPTS_MAX || known == null || known.meta().tableId() != tableId) {
            return;
        }
        if (known.isExpired(actor)) {
            // its replicas go, and its number never comes back: no process needs the decision
            recordAck(version, actor);
            return;
        }
        ActorState state = known.map().find(actor);
        Address primary = state == null ? null : host.addressOf(state.primary());
        if (state == null || primary == null) {
            sendLater(version, commit, actor, attempt);
            return;
        }
        ReplicaKey key = new ReplicaKey(tableId, actor);
        PeerRequest request =
                new PeerRequest.Decide(table, key, version, commit, transactionLogPublisher.unsentLog(state.primary()));
        host.env().network().call(primary, request, config.rpcTimeoutNanos(), reply -> {
            if (reply instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Ack) {
                recordAck(version, actor);
            } else {
                sendLater(version, commit, actor, attempt);
            }
        });
    }

    private void sendLater(long version, boolean commit, int actor, int attempt) {
        host.env().timers().after(4 * config.retryNanos(), () -> send(version, commit, actor, attempt + 1));
    }

    /**
     * Notes that the decision is in the log of the actor's primary and of every other in-sync replica, or that the actor's chunk is expired.
     */
    public void recordAck(long version, int actor) {
        ackedActors.computeIfAbsent(version, v -> new TreeSet<>()).add(actor);
        listener.onAck(version, actor);
    }

    /** Notes the participants of the decision whose chunks are expired: no process will log it for them. */
    public void recordExpired(TransactionLogState.Decision decision) {
        TransactionContext.Table known = host.table(table);
        if (known != null && known.meta().tableId() == tableId) {
            decision.unackedParticipants().stream()
                    .filter(known::isExpired)
                    .forEach(actor -> recordAck(decision.version(), actor));
        }
    }

    boolean hasAcks() {
        return !ackedActors.isEmpty();
    }

    /** The transaction log without the participants that have acknowledged. */
    TransactionLogState withoutAckedParticipants(TransactionLogState log) {
        return ackedActors.isEmpty() ? log : TransactionLogTransitions.removeAcked(log, ackedActors);
    }

    /** Called after a write of {@link #withoutAckedParticipants} was applied: drops the acknowledgements that it contains. */
    void onLogWritten(TransactionLogState log) {
        List<Long> done = new ArrayList<>();
        for (Map.Entry<Long, TreeSet<Integer>> entry : ackedActors.entrySet()) {
            boolean open = TransactionLogTransitions.decision(log, entry.getKey())
                    .filter(decision -> decision.unackedParticipants().stream().anyMatch(entry.getValue()::contains))
                    .isPresent();
            if (!open) {
                done.add(entry.getKey());
            }
        }
        done.forEach(ackedActors::remove);
    }
}
