package io.uniserve.simulator.plant;

import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import java.util.ArrayList;
import java.util.List;

/** {@link Plant#OUTCOMES_LOST}: registry of a server that drops every other outcome that moves from the log to the outcomes node. */
public final class OutcomesLostBug extends ForwardingRegistry {
    public OutcomesLostBug(Registry registry) {
        super(registry);
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        List<Op> lossy = new ArrayList<>();
        for (Op op : ops) {
            if (op instanceof Op.Create create && create.value() instanceof DecisionHistory outcomes) {
                lossy.add(new Op.Create(create.path(), without(outcomes), create.ephemeral()));
            } else if (op instanceof Op.Set set && set.value() instanceof DecisionHistory outcomes) {
                lossy.add(new Op.Set(set.path(), without(outcomes), set.version()));
            } else {
                lossy.add(op);
            }
        }
        registry.multi(lossy, completion);
    }

    private static DecisionHistory without(DecisionHistory outcomes) {
        List<Decision> kept = outcomes.decisions().stream()
                .filter(decision -> decision.version() % 2 == 0)
                .toList();
        return new DecisionHistory(outcomes.tableId(), outcomes.writeNumber(), kept);
    }

    /** {@link Plant#OUTCOMES_UNREAD}: registry of a server that shows a table's outcomes node as empty, under any number. */
    public static final class OutcomesUnreadBug extends ForwardingRegistry {
        public OutcomesUnreadBug(Registry registry) {
            super(registry);
        }

        @Override
        public void read(String path, Completion<Versioned> completion) {
            registry.read(
                    path,
                    outcome -> completion.done(
                            outcome instanceof Outcome.Ok<Versioned> ok
                                            && ok.value().value() instanceof DecisionHistory outcomes
                                    ? Outcome.ok(new Versioned(
                                            new DecisionHistory(outcomes.tableId(), outcomes.writeNumber(), List.of()),
                                            ok.value().version()))
                                    : outcome));
        }
    }

    /**
     * {@link Plant#OUTCOMES_APART}: registry of a server that splits one multi in two. It writes the transaction log first and the outcomes
     * that left it afterwards.
     */
    public static final class OutcomesApartBug extends ForwardingRegistry {
        public OutcomesApartBug(Registry registry) {
            super(registry);
        }

        @Override
        public void multi(List<Op> ops, Completion<MultiResult> completion) {
            int last = ops.size() - 1;
            if (ops.get(last) instanceof Op.Check) { // of the cluster's identity
                last--;
            }
            if (last < 1 || !RegistryPaths.isOutcomes(ops.get(last).path())) {
                registry.multi(ops, completion);
                return;
            }
            apart(ops, last, completion);
        }

        private void apart(List<Op> ops, int last, Completion<MultiResult> completion) {
            registry.multi(ops.subList(0, last), first -> {
                if (first instanceof Outcome.Ok<MultiResult> log && log.value().applied()) {
                    registry.multi(ops.subList(last, ops.size()), second -> {
                        if (second instanceof Outcome.Ok<MultiResult> older
                                && older.value().applied()) {
                            List<Integer> versions = new ArrayList<>(log.value().versions());
                            versions.addAll(older.value().versions());
                            completion.done(Outcome.ok(new MultiResult(true, versions, -1)));
                        } else {
                            completion.done(second);
                        }
                    });
                } else {
                    completion.done(first);
                }
            });
        }
    }
}
