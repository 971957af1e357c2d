package io.uniserve.port.duckdb;

import static io.uniserve.port.duckdb.DuckDatabase.DUCKDB;

import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.EngineSwitch;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.api.plan.Planner;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.sql.engine.RowActorFactory;
import io.uniserve.sql.engine.RowUpdateFunctions;
import io.uniserve.sql.engine.SqlTableValidator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Engine DuckDB. Table options: {@code columns} and {@code primary}, see {@link ColumnSchema}. Settings: {@code memory}, the limit of the
 * actors, such as 4GB; {@code merge-memory}, the limit of merges.
 */
public final class DuckEngine implements Engine {
    private static final EngineFunctions FUNCTIONS =
            new EngineFunctions(DuckOperators.ALL, RowUpdateFunctions.of("duckdb", DuckActor.class));

    private static final String MERGE_MEMORY = "merge-memory";

    private final DuckResultMerger merging = new DuckResultMerger();

    @Override
    public PortInfo info() {
        return FUNCTIONS.info("duckdb", "1", Set.of(ConsistencyLevel.values()));
    }

    @Override
    public void validate(TableMeta meta) {
        SqlTableValidator.check("duckdb", meta);
    }

    @Override
    public List<EngineSwitch> switches() {
        return DuckDatabase.SWITCHES;
    }

    @Override
    public EngineInstance open(EngineContext context) {
        SqlTableValidator.checkSettings("duckdb", context.settings(), Set.of("memory", MERGE_MEMORY));
        Optional.ofNullable(context.settings().get(MERGE_MEMORY)).ifPresent(merging::setMemoryLimit);
        DuckDatabase duckDatabase = new DuckDatabase(
                Optional.of(
                        DUCKDB.call("find its folder", () -> context.scratch().toRealPath())),
                Optional.ofNullable(context.settings().get("memory")));
        // Actors attach to one DuckDB under unique names.
        AtomicLong made = new AtomicLong();
        RowActorFactory<DuckActor> actors = new RowActorFactory<>(
                actor -> {
                    String name = "actor_" + made.incrementAndGet();
                    return DUCKDB.call(
                            "make a table", () -> new DuckActor(duckDatabase, name, ColumnSchema.of(actor.meta())));
                },
                DuckActor::restore);
        return FUNCTIONS.instance(actors, () -> {
            actors.close();
            duckDatabase.close();
        });
    }

    /** Returns a new planner per server of this process: a planner's caches belong to one cluster. */
    @Override
    public Optional<Planner> planner() {
        return Optional.of(merging.planner());
    }
}
