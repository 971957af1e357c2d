package io.uniserve.port.kv;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Documents by key, in memory. Options: none. */
public final class KvEngine implements Engine {
    /** The port's name, as tables give it. */
    public static final String NAME = "kv";

    @Override
    public PortInfo info() {
        return new PortInfo(
                NAME,
                "1",
                Set.of(ConsistencyLevel.EVENTUAL),
                KvOperators.ALL.stream().map(Operator::id).toList(),
                KvUpdates.ALL.stream().map(UpdateFunction::id).toList());
    }

    @Override
    public void validate(TableMeta meta) {
        if (!meta.options().isEmpty()) {
            throw UniserveException.invalid("port kv has no table options; remove "
                    + String.join(", ", meta.options().keySet()));
        }
        if (meta.level() != ConsistencyLevel.EVENTUAL) {
            throw UniserveException.invalid("port kv supports level EVENTUAL, not " + meta.level());
        }
    }

    @Override
    public EngineInstance open(EngineContext context) {
        return new Instance();
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new KvPlanner());
    }

    private static final class Instance implements EngineInstance, ActorFactory<KvActor> {
        @Override
        public ActorFactory<KvActor> actors() {
            return this;
        }

        @Override
        public List<Operator<?, ?>> operators() {
            return KvOperators.ALL;
        }

        @Override
        public List<UpdateFunction<?, ?>> updates() {
            return KvUpdates.ALL;
        }

        @Override
        public KvActor create(ActorContext context) {
            return new KvActor(new TreeMap<>());
        }

        @Override
        public KvActor restore(ActorContext context, Path directory) {
            return new KvActor(KvFiles.read(directory));
        }

        @Override
        public void close() {
            // Actors live in memory only and are released with their references.
        }
    }
}
