package io.uniserve.cli.badinput;

import io.uniserve.api.ActorFactory;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Key-value engine with misbehaving operators, {@link TroubleOperators}, and plans, {@link TroublePlans}. */
final class TroubleEngine implements Engine {
    static final String NAME = "trouble";

    private final KvEngine kv = new KvEngine();

    @Override
    public PortInfo info() {
        PortInfo info = kv.info();
        List<String> operators = new ArrayList<>(info.operators());
        TroubleOperators.ALL.forEach(operator -> operators.add(operator.id()));
        TroublePlans.OPERATORS.forEach(operator -> operators.add(operator.id()));
        return new PortInfo(NAME, info.version(), info.levels(), operators, info.updates());
    }

    @Override
    public void validate(TableMeta meta) {
        kv.validate(meta);
    }

    @Override
    public Optional<Planner> planner() {
        Planner plain = kv.planner().orElseThrow();
        return Optional.of((query, context) -> query.text().startsWith(TroublePlans.PREFIX)
                ? TroublePlans.answer(query, context)
                : plain.answer(query, context));
    }

    @Override
    public EngineInstance open(EngineContext context) {
        EngineInstance instance = kv.open(context);
        List<Operator<?, ?>> operators = new ArrayList<>(instance.operators());
        operators.addAll(TroubleOperators.ALL);
        operators.addAll(TroublePlans.OPERATORS);
        return new EngineInstance() {
            @Override
            public ActorFactory<?> actors() {
                return instance.actors();
            }

            @Override
            public List<Operator<?, ?>> operators() {
                return operators;
            }

            @Override
            public List<UpdateFunction<?, ?>> updates() {
                return instance.updates();
            }

            @Override
            public void close() {
                instance.close();
            }
        };
    }
}
