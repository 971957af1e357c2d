package io.uniserve.port.kv;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.plan.Planner;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Documents by key, in memory. Options: none. */
public final class KvEngine implements Engine {
    /** The port's name, as tables give it. */
    public static final String NAME = "kv";

    private static final EngineFunctions FUNCTIONS = new EngineFunctions(KvOperators.ALL, KvUpdates.ALL);

    @Override
    public PortInfo info() {
        return FUNCTIONS.info(NAME, "1", Set.of(ConsistencyLevel.values()));
    }

    @Override
    public void validate(TableMeta meta) {
        if (!meta.options().isEmpty()) {
            throw UniserveException.invalid("port kv has no table options; remove "
                    + String.join(", ", meta.options().keySet()));
        }
    }

    @Override
    public EngineInstance open(EngineContext context) {
        return FUNCTIONS.instance(new Actors(), () -> {});
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new KvPlanner());
    }

    /** Actors live in memory only and are released with their references: nothing to close. */
    private static final class Actors implements ActorFactory<KvActor> {
        @Override
        public KvActor create(ActorContext context) {
            return new KvActor(KvTree.EMPTY);
        }

        @Override
        public KvActor restore(ActorContext context, Path directory) {
            return KvFiles.read(directory);
        }
    }
}
