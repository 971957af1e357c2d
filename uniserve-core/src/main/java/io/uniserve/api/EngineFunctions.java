package io.uniserve.api;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Registry of a port's operators and update functions. {@link Engine#info} and {@link Engine#open} both use it, so the port lists each
 * function once. Immutable.
 *
 * <pre>{@code
 * private static final EngineFunctions FUNCTIONS =
 *         new EngineFunctions(List.of(COUNT, TOP), List.of(PUT, DELETE)).whoseKeysAreTexts();
 *
 * FUNCTIONS.info("h2", "1", Set.of(ConsistencyLevel.EVENTUAL)); // for Engine.info
 * FUNCTIONS.instance(actors, actors::close);                    // for Engine.open
 * }</pre>
 *
 * @param wholeQueryOperator id of the operator that answers a whole query in the engine's language on one actor; see {@link WholeQueryOperator}
 * @param replicasDiffer see {@link PortInfo}
 * @param textKeys see {@link PortInfo}
 */
public record EngineFunctions(
        List<Operator<?, ?>> operators,
        List<UpdateFunction<?, ?>> updates,
        Optional<String> wholeQueryOperator,
        boolean replicasDiffer,
        boolean textKeys) {
    public EngineFunctions {
        operators = List.copyOf(operators);
        updates = List.copyOf(updates);
    }

    /** Functions of a port without an operator for whole queries. */
    public EngineFunctions(List<Operator<?, ?>> operators, List<UpdateFunction<?, ?>> updates) {
        this(operators, updates, Optional.empty(), false, false);
    }

    /** Adds an operator made by {@link WholeQueryOperator#operator}. Clients send queries that concern one actor straight to it. */
    public EngineFunctions withWholeQuery(RetrieveOperator<?, String, Answer> wholeQuery) {
        List<Operator<?, ?>> all = new ArrayList<>(operators);
        all.add(wholeQuery);
        return new EngineFunctions(all, updates, Optional.of(wholeQuery.id()), replicasDiffer, textKeys);
    }

    /**
     * Declares that replicas of one actor may answer the same query differently, for example because scores depend on each replica's
     * statistics. Clients then send a user's queries to the same replicas.
     */
    public EngineFunctions withDifferingReplicas() {
        return new EngineFunctions(operators, updates, wholeQueryOperator, true, textKeys);
    }

    /** Declares that the engine treats all keys as texts. Clients then send the number 7 as the text "7". */
    public EngineFunctions withTextKeys() {
        return new EngineFunctions(operators, updates, wholeQueryOperator, replicasDiffer, true);
    }

    /** Builds the result of {@link Engine#info}. */
    public PortInfo info(String port, String version, Set<ConsistencyLevel> levels) {
        return new PortInfo(
                port,
                version,
                levels,
                operators.stream().map(Operator::id).toList(),
                updates.stream().map(UpdateFunction::id).toList(),
                wholeQueryOperator,
                replicasDiffer,
                textKeys);
    }

    /**
     * Builds the result of {@link Engine#open}.
     *
     * @param close closes the engine and every actor; idempotent
     */
    public EngineInstance instance(ActorFactory<?> actors, Runnable close) {
        return new Instance(actors, operators, updates, close);
    }

    private record Instance(
            ActorFactory<?> actors,
            List<Operator<?, ?>> operators,
            List<UpdateFunction<?, ?>> updates,
            Runnable closeAction)
            implements EngineInstance {
        @Override
        public void close() {
            closeAction.run();
        }
    }
}
