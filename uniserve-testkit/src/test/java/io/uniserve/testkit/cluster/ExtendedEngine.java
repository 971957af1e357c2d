package io.uniserve.testkit.cluster;

import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.model.PortInfo;
import io.uniserve.model.TableMeta;
import io.uniserve.port.kv.KvEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The key-value engine with operators of a test's own, and its planner. */
class ExtendedEngine implements Engine {
    private final KvEngine engine = new KvEngine();
    private final List<Operator<?, ?>> more;
    private final Planner planner;

    ExtendedEngine(List<Operator<?, ?>> more, Planner planner) {
        this.more = more;
        this.planner = planner;
    }

    @Override
    public PortInfo info() {
        PortInfo info = engine.info();
        List<String> operators = new ArrayList<>(info.operators());
        more.forEach(operator -> operators.add(operator.id()));
        return new PortInfo(info.name(), info.version(), info.levels(), operators, info.updates(), info.whole());
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
                all.addAll(more);
                return all;
            }

            @Override
            public List<UpdateFunction<?, ?>> updates() {
                return opened.updates();
            }

            @Override
            public void close() {
                opened.close();
            }
        };
    }

    @Override
    public Optional<Planner> planner() {
        return Optional.of(planner);
    }
}
