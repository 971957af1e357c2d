package io.uniserve.port.druid.suite;

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
import io.uniserve.codec.Bytes;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.DruidEngine;
import io.uniserve.port.druid.segment.SegmentRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The port with two additions for the suites: an update function that loads whole segments, and queries that are objects of this JVM. A
 * query's text is its number; a server's planner runs the object by the port's runner, and keeps Druid's results as objects. Between planner
 * and actors everything is as ever: requests are serialized, sent, retried, merged per server.
 */
final class SuiteEngine implements Engine {
    private static final String PREFIX = "suite:";
    private static final Map<String, Call> CALLS = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final Engine port = new DruidEngine();

    /** A query under way, and its outcome. */
    private static final class Call {
        private final Function<PlanContext, List<?>> work;
        private volatile List<?> rows = List.of();
        private volatile Optional<RuntimeException> failure = Optional.empty();

        Call(Function<PlanContext, List<?>> work) {
            this.work = work;
        }
    }

    /**
     * Runs work in a planner.
     *
     * @param send sends a query text to a server
     * @return the rows; the planner's exception is thrown as it was
     */
    static List<?> call(Function<PlanContext, List<?>> work, Consumer<String> send) {
        String text = PREFIX + NUMBERS.incrementAndGet();
        Call call = new Call(work);
        CALLS.put(text, call);
        try {
            send.accept(text);
            return call.rows;
        } catch (RuntimeException e) {
            throw call.failure.orElse(e);
        } finally {
            CALLS.remove(text);
        }
    }

    @Override
    public PortInfo info() {
        PortInfo info = port.info();
        List<String> updates = new ArrayList<>(info.updates());
        updates.add(SegmentRow.ADD.id());
        return new PortInfo(
                info.name(),
                info.version(),
                info.levels(),
                info.operators(),
                updates,
                info.wholeQueryOperator(),
                info.replicasDiffer(),
                info.textKeys());
    }

    @Override
    public void validate(TableMeta meta) {
        port.validate(meta);
    }

    @Override
    public EngineInstance open(EngineContext context) {
        EngineInstance opened = port.open(context);
        return new EngineInstance() {
            @Override
            public ActorFactory<?> actors() {
                return opened.actors();
            }

            @Override
            public List<Operator<?, ?>> operators() {
                return opened.operators();
            }

            @Override
            public List<UpdateFunction<?, ?>> updates() {
                List<UpdateFunction<?, ?>> updates = new ArrayList<>(opened.updates());
                updates.add(SegmentRow.ADD);
                return updates;
            }

            @Override
            public void close() {
                opened.close();
            }
        };
    }

    @Override
    public Optional<Planner> planner() {
        Planner planner = port.planner().orElseThrow();
        return Optional.of(new Planner() {
            @Override
            public Answer answer(QueryText query, PlanContext context) {
                Call call = CALLS.get(query.text());
                return call == null ? planner.answer(query, context) : answer(call, context);
            }

            private Answer answer(Call call, PlanContext context) {
                try {
                    call.rows = call.work.apply(context);
                    return new Answer("text/plain", Bytes.utf8("done"));
                } catch (RuntimeException e) {
                    call.failure = Optional.of(e);
                    throw e;
                }
            }
        });
    }
}
