package io.uniserve.testkit.cluster;

import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Key-value engine with additional operators and a planner of a test. */
abstract class ExtendedKvEngine implements Engine {
    private final KvEngine engine = new KvEngine();

    /** The test's operators. */
    abstract List<Operator<?, ?>> added();

    /** The operators of the server with this context, of the same ids. */
    List<Operator<?, ?>> added(EngineContext context) {
        return added();
    }

    /** The test's planner. */
    abstract Answer answer(QueryText query, PlanContext context);

    /** The update functions of the server with this context, in place of those of the engine. */
    List<UpdateFunction<?, ?>> updates(EngineContext context, List<UpdateFunction<?, ?>> all) {
        return all;
    }

    @Override
    public PortInfo info() {
        PortInfo info = engine.info();
        List<String> operators = new ArrayList<>(info.operators());
        added().forEach(operator -> operators.add(operator.id()));
        return new PortInfo(
                info.name(), info.version(), info.levels(), operators, info.updates(), info.wholeQueryOperator());
    }

    @Override
    public void validate(TableMeta meta) {
        engine.validate(meta);
    }

    @Override
    public EngineInstance open(EngineContext context) {
        EngineInstance opened = engine.open(context);
        return new EngineInstance() {
            @Override
            public ActorFactory<?> actors() {
                return opened.actors();
            }

            @Override
            public List<Operator<?, ?>> operators() {
                List<Operator<?, ?>> all = new ArrayList<>(opened.operators());
                all.addAll(added(context));
                return all;
            }

            @Override
            public List<UpdateFunction<?, ?>> updates() {
                return ExtendedKvEngine.this.updates(context, opened.updates());
            }

            @Override
            public void close() {
                opened.close();
            }
        };
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(this::answer);
    }
}
