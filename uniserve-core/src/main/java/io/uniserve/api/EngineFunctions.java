package io.uniserve.api;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.WholeQuery;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The operators and update functions of a port: what it tells about itself before it is open, and what it offers when it
 * is, from the same lists.
 *
 * @param whole the operator that answers a whole query in the engine's language on one actor
 * @param copiesDiffer see {@link PortInfo}
 * @param textKeys see {@link PortInfo}
 */
public record EngineFunctions(
        List<Operator<?, ?>> operators,
        List<UpdateFunction<?, ?>> updates,
        Optional<String> whole,
        boolean copiesDiffer,
        boolean textKeys) {
    public EngineFunctions {
        operators = List.copyOf(operators);
        updates = List.copyOf(updates);
    }

    /** Those of a port none of whose operators answers whole queries. */
    public EngineFunctions(List<Operator<?, ?>> operators, List<UpdateFunction<?, ?>> updates) {
        this(operators, updates, Optional.empty(), false, false);
    }

    /** The same with an operator, made by {@link WholeQuery#operator}, for queries of one actor. */
    public EngineFunctions with(RetrieveOperator<?, String, Answer> wholeQuery) {
        List<Operator<?, ?>> all = new ArrayList<>(operators);
        all.add(wholeQuery);
        return new EngineFunctions(all, updates, Optional.of(wholeQuery.id()), copiesDiffer, textKeys);
    }

    /** The same of an engine whose copies of one actor may answer differently, as by scores of their own. */
    public EngineFunctions whoseCopiesDiffer() {
        return new EngineFunctions(operators, updates, whole, true, textKeys);
    }

    /** The same of an engine whose keys are texts: 7 is the text "7". */
    public EngineFunctions whoseKeysAreTexts() {
        return new EngineFunctions(operators, updates, whole, copiesDiffer, true);
    }

    /** For {@link Engine#info}. */
    public PortInfo info(String port, String version, Set<ConsistencyLevel> levels) {
        return new PortInfo(
                port,
                version,
                levels,
                operators.stream().map(Operator::id).toList(),
                updates.stream().map(UpdateFunction::id).toList(),
                whole,
                copiesDiffer,
                textKeys);
    }

    /**
     * For {@link Engine#open}.
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
            Runnable closing)
            implements EngineInstance {
        @Override
        public void close() {
            closing.run();
        }
    }
}
