package io.uniserve.simulator.plant.chunk;

import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.simulator.plant.ForwardingRegistry;
import io.uniserve.simulator.plant.Plant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** {@link Plant#EXPIRED_AWAITED}: registry of a server that keeps expired actors in the decisions of transaction logs. */
public final class ExpiredAwaitedBug extends ForwardingRegistry {
    private final BiPredicate<Long, Integer> isExpired;
    private final Map<String, TransactionLogState> last = new HashMap<>();

    /** @param isExpired true for the actors, by table number and actor, that the map in the registry lacks */
    public ExpiredAwaitedBug(Registry registry, BiPredicate<Long, Integer> isExpired) {
        super(registry);
        this.isExpired = isExpired;
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        registry.read(path, outcome -> {
            if (outcome instanceof Outcome.Ok<Versioned> ok && ok.value().value() instanceof TransactionLogState log) {
                last.put(path, log);
            }
            completion.done(outcome);
        });
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        Map<String, TransactionLogState> written = new HashMap<>();
        List<Op> kept = new ArrayList<>();
        for (Op op : ops) {
            if (op instanceof Op.Set set && set.value() instanceof TransactionLogState log) {
                TransactionLogState other = withExpired(last.get(set.path()), log);
                written.put(set.path(), other);
                kept.add(new Op.Set(set.path(), other, set.version()));
            } else {
                kept.add(op);
            }
        }
        registry.multi(kept, outcome -> {
            if (outcome instanceof Outcome.Ok<MultiResult> ok && ok.value().applied()) {
                last.putAll(written);
            }
            completion.done(outcome);
        });
    }

    private TransactionLogState withExpired(@Nullable TransactionLogState before, TransactionLogState log) {
        if (before == null || before.tableId() != log.tableId()) {
            return log;
        }
        Map<Long, Decision> known = new HashMap<>();
        before.decisions().forEach(decision -> known.put(decision.version(), decision));
        List<Decision> decisions = log.decisions().stream()
                .map(decision -> {
                    Decision old = known.get(decision.version());
                    return old == null ? decision : withExpired(log.tableId(), old, decision);
                })
                .toList();
        return log.withDecisions(decisions);
    }

    private Decision withExpired(long tableId, Decision old, Decision decision) {
        TreeSet<Integer> unacked = new TreeSet<>(decision.unackedParticipants());
        old.unackedParticipants().stream()
                .filter(actor -> isExpired.test(tableId, actor))
                .forEach(unacked::add);
        return decision.withUnacked(List.copyOf(unacked));
    }
}
