package io.uniserve.port.lucene;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.TrackingActorFactory;
import io.uniserve.api.plan.Planner;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Engine Apache Lucene. Table option: {@code dimensions}, the length of every document's vector; without it there are no vectors. */
public final class LuceneEngine implements Engine {
    private static final int DIMENSIONS_MAX = 1_024;
    private static final EngineFunctions FUNCTIONS = new EngineFunctions(
                    LuceneOperators.ALL, List.of(LuceneUpdateFunctions.PUT, LuceneUpdateFunctions.DELETE))
            .withDifferingReplicas();

    @Override
    public PortInfo info() {
        return FUNCTIONS.info("lucene", "2", Set.of(ConsistencyLevel.EVENTUAL));
    }

    @Override
    public void validate(TableMeta meta) {
        meta.options().keySet().stream()
                .filter(name -> !name.equals("dimensions"))
                .findFirst()
                .ifPresent(name -> {
                    throw UniserveException.invalid("port lucene has no table option " + name + ": use dimensions");
                });
        dimensions(meta);
    }

    @Override
    public EngineInstance open(EngineContext context) {
        TrackingActorFactory<LuceneActor> actors = new TrackingActorFactory<>(new Actors(), LuceneActor::isClosed);
        return FUNCTIONS.instance(actors, actors::close);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new LucenePlanner());
    }

    private static int dimensions(TableMeta meta) {
        String text = meta.options().getOrDefault("dimensions", "0");
        int dimensions = text.matches("\\d{1,4}") ? Integer.parseInt(text) : -1;
        if (dimensions < 0 || dimensions > DIMENSIONS_MAX) {
            throw UniserveException.invalid(
                    "table option dimensions is \"" + text + "\": use a whole number, 0 to " + DIMENSIONS_MAX);
        }
        return dimensions;
    }

    private static final class Actors implements ActorFactory<LuceneActor> {
        @Override
        public LuceneActor create(ActorContext context) {
            return LuceneCheckpointFiles.LUCENE.call(
                    "open an index", () -> new LuceneActor(context.scratch(), dimensions(context.meta())));
        }

        @Override
        public LuceneActor restore(ActorContext context, Path checkpoint) {
            LuceneCheckpointFiles.restore(checkpoint, context.scratch());
            return create(context);
        }
    }
}
