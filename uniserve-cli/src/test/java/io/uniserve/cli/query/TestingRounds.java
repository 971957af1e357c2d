package io.uniserve.cli.query;

import io.uniserve.api.Engine;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.Planner;
import io.uniserve.runtime.port.LoadedPort;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Port whose queries can be paused by a test between their rounds, on the thread that plans them. */
final class TestingRounds {
    private final Engine engine;
    private volatile Listener listener = new Listener() {};

    /** Callbacks of a test. */
    interface Listener {
        /** A plan begins, the query's first or a later one. */
        default void begins() {}

        /** A plan has completed a round and is about to start another one. */
        default void between() {}
    }

    TestingRounds(LoadedPort port) {
        this.engine = port.engine();
    }

    void listen(Listener now) {
        listener = now;
    }

    /** Returns the port; its engine's class is of the port's own loader, which remains the context of all calls. */
    LoadedPort port() {
        return LoadedPort.of((Engine) Proxy.newProxyInstance(
                engine.getClass().getClassLoader(),
                new Class<?>[] {Engine.class},
                (proxy, method, args) -> method.getName().equals("planner") ? planner() : call(engine, method, args)));
    }

    private Optional<Planner> planner() {
        return engine.planner().map(planner -> (query, context) -> {
            listener.begins();
            return planner.answer(query, rounds(context));
        });
    }

    private PlanContext rounds(PlanContext context) {
        boolean[] begun = {false};
        return (PlanContext) Proxy.newProxyInstance(
                PlanContext.class.getClassLoader(), new Class<?>[] {PlanContext.class}, (proxy, method, args) -> {
                    if (method.getName().startsWith("retrieve")) {
                        if (begun[0]) {
                            listener.between();
                        }
                        begun[0] = true;
                    }
                    return call(context, method, args);
                });
    }

    private static @Nullable Object call(Object on, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(on, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
