package io.uniserve.api;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import java.util.List;
import java.util.Set;

/**
 * The operators and update functions of a port: what it tells about itself before it is open, and what it offers when it
 * is, from the same two lists.
 */
public record EngineFunctions(List<Operator<?, ?>> operators, List<UpdateFunction<?, ?>> updates) {
    public EngineFunctions {
        operators = List.copyOf(operators);
        updates = List.copyOf(updates);
    }

    /** For {@link Engine#info}. */
    public PortInfo info(String port, String version, Set<ConsistencyLevel> levels) {
        return new PortInfo(
                port,
                version,
                levels,
                operators.stream().map(Operator::id).toList(),
                updates.stream().map(UpdateFunction::id).toList());
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
