package io.uniserve.protocol.tx;

import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.TransactionLogState;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Phase two of the commit: sends decisions to the participants' primaries and retries. It keeps their acknowledgements until the next write
 * of the transaction log, which removes these participants from the decision.
 */
final class DecisionSender {
    private static final int ATTEMPTS_MAX = 40;

    private final TransactionContext host;
    private final TransactionConfig config;
    private final TableName table;
    private final long tableId;
    private final TransactionLogPublisher transactionLogPublisher;
    private final TreeMap<Long, TreeSet<Integer>> acked = new TreeMap<>();
    private Listener listener = (version, actor) -> {};

    /** Callback for acknowledgements. */
    interface Listener {
        void acked(long version, int actor);
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

    void listener(Listener next) {
        listener = next;
    }

    /** True if the actor has acknowledged the version, and the transaction log does not have the acknowledgement yet. */
    boolean hasAck(long version, int actor) {
        return acked.getOrDefault(version, new TreeSet<>()).contains(actor);
    }

    /** Sends the decision to the actors' primaries, with retries until each has logged it or {@code ATTEMPTS_MAX} is reached. */
    void tell(long version, boolean commit, List<Integer> actors) {
        actors.forEach(actor -> tell(version, commit, actor, 0));
    }

    private void tell(long version, boolean commit, int actor, int attempt) {
        TransactionContext.Table known = host.table(table);
        if (attempt == ATTEMPTS_MAX || known == null || known.meta().tableId() != tableId) {
            return;
        }
        ActorState state = known.map().actors().get(actor);
        Address primary = host.addressOf(state.primary());
        if (primary == null) {
            later(version, commit, actor, attempt);
            return;
        }
        ReplicaKey key = new ReplicaKey(tableId, actor);
        PeerRequest request =
                new PeerRequest.Decide(table, key, version, commit, transactionLogPublisher.news(state.primary()));
        host.env().network().call(primary, request, config.rpcTimeoutNanos(), reply -> {
            if (reply instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Ack) {
                acked(version, actor);
            } else {
                later(version, commit, actor, attempt);
            }
        });
    }

    private void later(long version, boolean commit, int actor, int attempt) {
        host.env().timers().after(4 * config.retryNanos(), () -> tell(version, commit, actor, attempt + 1));
    }

    /** Notes that the decision is in the log of the actor's primary and of every other in-sync replica. */
    void acked(long version, int actor) {
        acked.computeIfAbsent(version, v -> new TreeSet<>()).add(actor);
        listener.acked(version, actor);
    }

    boolean hasAcks() {
        return !acked.isEmpty();
    }

    /** The transaction log without the participants that have acknowledged. */
    TransactionLogState struck(TransactionLogState log) {
        return acked.isEmpty() ? log : TransactionLogTransitions.strike(log, acked);
    }

    /** Called after a write of {@link #struck} was applied: drops the acknowledgements that it contains. */
    void written(TransactionLogState log) {
        List<Long> done = new ArrayList<>();
        for (Map.Entry<Long, TreeSet<Integer>> entry : acked.entrySet()) {
            boolean open = TransactionLogTransitions.decision(log, entry.getKey())
                    .filter(decision -> decision.unacked().stream().anyMatch(entry.getValue()::contains))
                    .isPresent();
            if (!open) {
                done.add(entry.getKey());
            }
        }
        done.forEach(acked::remove);
    }
}
