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
import io.uniserve.model.registry.TableMeta;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** In-memory key-value engine. It has no table options. */
public final class KvEngine implements Engine {
    /** Name of the port in table definitions. */
    public static final String NAME = "kv";

    private static final EngineFunctions FUNCTIONS = new EngineFunctions(KvOperators.ALL, KvUpdateFunctions.ALL);

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

    /** Factory of actors. They are in memory only and are garbage-collected, so there is nothing to close. */
    private static final class Actors implements ActorFactory<KvActor> {
        @Override
        public KvActor create(ActorContext context) {
            return new KvActor(KvTree.EMPTY);
        }

        @Override
        public KvActor restore(ActorContext context, Path directory) {
            return KvCheckpointFile.read(directory);
        }
    }
}
