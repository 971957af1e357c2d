package io.uniserve.port.druid;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineFunctions;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.EngineSwitch;
import io.uniserve.api.TrackingActorFactory;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.plan.Planner;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.query.ActorQueryRunner;
import io.uniserve.port.druid.query.NativeQueryPlanner;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.TableLookups;
import io.uniserve.port.druid.segment.DruidActor;
import io.uniserve.port.druid.segment.DruidUpdateFunctions;
import io.uniserve.port.druid.segment.TableSchema;
import io.uniserve.port.druid.sql.SqlQueryPlanner;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Engine of the Druid port. Table options: {@code dataSchema} in Druid's own JSON and {@code maxRowsInMemory}, see {@link TableSchema}, and
 * {@code lookups}, see {@link TableLookups}.
 */
public final class DruidEngine implements Engine {
    private static final Set<String> OPTIONS =
            Set.of(TableSchema.OPTION, TableSchema.ROWS_IN_MEMORY_OPTION, TableLookups.OPTION);
    private static final EngineFunctions FUNCTIONS =
            new EngineFunctions(ActorQueryRunner.ALL, DruidUpdateFunctions.ALL);

    @Override
    public PortInfo info() {
        return FUNCTIONS.info("druid", "1", Set.of(ConsistencyLevel.EVENTUAL));
    }

    @Override
    public void validate(TableMeta meta) {
        for (String option : BroadcastUpdate.withoutOption(meta).options().keySet()) {
            if (!OPTIONS.contains(option)) {
                throw UniserveException.invalid("port druid has no table option " + option + ": use " + OPTIONS);
            }
        }
        TableSchema.of(meta);
    }

    @Override
    public List<EngineSwitch> switches() {
        return List.of(DruidServices.JAVASCRIPT);
    }

    @Override
    public EngineInstance open(EngineContext context) {
        TrackingActorFactory<DruidActor> actors = new TrackingActorFactory<>(new Actors(), DruidActor::isClosed);
        return FUNCTIONS.instance(actors, actors::close);
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(new SqlQueryPlanner(new NativeQueryPlanner()));
    }

    private static final class Actors implements ActorFactory<DruidActor> {
        @Override
        public DruidActor create(ActorContext context) {
            return DruidActor.create(context);
        }

        @Override
        public DruidActor restore(ActorContext context, Path checkpoint) {
            return DruidActor.restore(context, checkpoint);
        }
    }
}
