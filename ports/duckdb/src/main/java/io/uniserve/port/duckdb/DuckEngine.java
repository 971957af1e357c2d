package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.Duck.DUCKDB;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Columns;
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
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** DuckDB. Table options: {@code columns} and {@code primary}, see {@link Columns}. Setting: {@code memory}, such as 4GB. */
public final class DuckEngine implements Engine {
    private static final EngineFunctions FUNCTIONS = new EngineFunctions(DuckOperators.ALL, DuckUpdates.ALL);

    @Override
    public PortInfo info() {
        return FUNCTIONS.info("duckdb", "1", Set.of(ConsistencyLevel.values()));
    }

    @Override
    public void validate(TableMeta meta) {
        Set<String> unknown = new TreeSet<>(meta.options().keySet());
        unknown.removeAll(Set.of(Columns.OPTION, Columns.OPTION_PRIMARY));
        if (!unknown.isEmpty()) {
            throw UniserveException.invalid("port duckdb has no table option "
                    + unknown.iterator().next() + ": use " + Columns.OPTION + " and " + Columns.OPTION_PRIMARY);
        }
        Columns known = Columns.of(meta);
        if (known.columns().isEmpty()) {
            throw UniserveException.invalid("table option columns is empty");
        }
    }

    @Override
    public EngineInstance open(EngineContext context) {
        Set<String> unknown = new TreeSet<>(context.settings().keySet());
        unknown.remove("memory");
        if (!unknown.isEmpty()) {
            throw UniserveException.invalid(
                    "port duckdb has no setting " + unknown.iterator().next() + ": use memory");
        }
        Duck duck = new Duck(
                Optional.of(context.scratch()),
                Optional.ofNullable(context.settings().get("memory")));
        Actors actors = new Actors(duck);
        return FUNCTIONS.instance(actors, actors::close);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(DuckMerging.PLANNER);
    }

    /** Actors attach to one DuckDB under names of their own. */
    private static final class Actors implements ActorFactory<DuckActor> {
        private final Duck duck;
        private final AtomicLong made = new AtomicLong();
        private final Queue<DuckActor> all = new ConcurrentLinkedQueue<>();

        Actors(Duck duck) {
            this.duck = duck;
        }

        @Override
        public DuckActor create(ActorContext context) {
            String name = "actor_" + made.incrementAndGet();
            DuckActor actor = DUCKDB.translated(
                    "make a table", () -> new DuckActor(duck, name, Columns.of(context.meta()), context.scratch()));
            all.removeIf(DuckActor::closed);
            all.add(actor);
            return actor;
        }

        @Override
        public DuckActor restore(ActorContext context, Path checkpoint) {
            DuckActor actor = create(context);
            try {
                actor.restore(checkpoint);
                return actor;
            } catch (UniserveException e) {
                actor.destroy();
                throw e;
            }
        }

        void close() {
            all.forEach(DuckActor::close);
            duck.close();
        }
    }
}
