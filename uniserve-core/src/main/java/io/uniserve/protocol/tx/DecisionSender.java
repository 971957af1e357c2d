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
 * Tells primaries what became of versions, and keeps what they acknowledge until it is struck off in the table's log with
 * the next write.
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

    /** Hears of acknowledgements. */
    interface Listener {
        void acked(long version, int actor);
    }

    /** @param transactionLogPublisher gives each server what it was not told of the table's log yet */
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

    /** True when the actor has acknowledged the version, and no log says so yet. */
    boolean hasAck(long version, int actor) {
        return acked.getOrDefault(version, new TreeSet<>()).contains(actor);
    }

    /** Tells the actor's primary until it has logged the decision, or for as long as a driver bothers. */
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

    /** The actor's primary has the decision in its log, and so has every in-sync replica. */
    void acked(long version, int actor) {
        acked.computeIfAbsent(version, v -> new TreeSet<>()).add(actor);
        listener.acked(version, actor);
    }

    boolean hasAcks() {
        return !acked.isEmpty();
    }

    /** The log without what is acknowledged. */
    TransactionLogState struck(TransactionLogState log) {
        return acked.isEmpty() ? log : TransactionLogTransitions.strike(log, acked);
    }

    /** A write with {@link #struck} was applied: what it struck is done with. */
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
