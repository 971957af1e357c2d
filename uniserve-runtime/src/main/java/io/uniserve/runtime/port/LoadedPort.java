package io.uniserve.runtime.port;

import io.uniserve.api.Engine;
import java.util.function.Supplier;

/** A port's engine with the class loader it came from, which is the context class loader during every call. Thread-safe. */
public final class LoadedPort {
    private final Engine engine;
    private final ClassLoader loader;
    private final String build;

    LoadedPort(Engine engine, ClassLoader loader, String build) {
        this.engine = engine;
        this.loader = loader;
        this.build = build;
    }

    /** A port on the class path, for tests and simulation. */
    public static LoadedPort of(Engine engine) {
        return of(engine, "");
    }

    /** The same that is told from others by this build. */
    public static LoadedPort of(Engine engine, String build) {
        return new LoadedPort(engine, engine.getClass().getClassLoader(), build);
    }

    /** What tells it from other builds of the port, see {@link PortBuild}; empty where it comes from no jars. */
    public String build() {
        return build;
    }

    /** The engine; call it only inside {@link #call}. */
    public Engine engine() {
        return engine;
    }

    /** Runs code of the port with its class loader as context. */
    public <T> T call(Supplier<T> work) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return work.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
