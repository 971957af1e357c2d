package com.example.port;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.TrackingActorFactory;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Engine H2: one in-memory database per actor. It has no table options. */
public final class H2Engine implements Engine {
    private static final EventualUpdate<H2Actor, Document> PUT = EventualUpdate.of(
            "h2.put@1", H2Actor.class, Document.CODEC, (actor, rows) -> rows.forEach(H2Actor::check), H2Actor::put);

    private static final EventualUpdate<H2Actor, Document> DELETE = EventualUpdate.of(
            "h2.delete@1",
            H2Actor.class,
            Document.CODEC,
            (actor, rows) -> rows.forEach(H2Engine::named),
            H2Actor::delete);

    private static final EngineFunctions FUNCTIONS = new EngineFunctions(H2Operators.ALL, List.of(PUT, DELETE));

    private static void named(Document row) {
        if (!(row.fields().get(H2Actor.ID) instanceof String)) {
            throw new UniserveException(ErrorCode.INVALID_ROW, "a row to delete needs a text \"id\"");
        }
    }

    @Override
    public PortInfo info() {
        return FUNCTIONS.info("h2", "1", Set.of(ConsistencyLevel.EVENTUAL));
    }

    @Override
    public void validate(TableMeta meta) {
        if (!meta.options().isEmpty()) {
            throw UniserveException.invalid(
                    "port h2 has no table options; remove " + meta.options().keySet());
        }
        if (!meta.keyField().equals(H2Actor.ID)) {
            throw UniserveException.invalid("key field is \"" + meta.keyField() + "\": port h2 has \"id\" only");
        }
    }

    @Override
    public EngineInstance open(EngineContext context) {
        TrackingActorFactory<H2Actor> actors = new TrackingActorFactory<>(new Actors(), H2Actor::isClosed);
        return FUNCTIONS.instance(actors, actors::close);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new H2Planner());
    }

    private static final class Actors implements ActorFactory<H2Actor> {
        @Override
        public H2Actor create(ActorContext context) {
            return H2Actor.H2.call("make a database", H2Actor::new);
        }

        @Override
        public H2Actor restore(ActorContext context, Path directory) {
            return H2Actor.H2.call("restore a database", () -> H2Actor.of(directory));
        }
    }
}
