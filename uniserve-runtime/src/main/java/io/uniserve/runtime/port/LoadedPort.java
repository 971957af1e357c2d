package io.uniserve.runtime.port;

import io.uniserve.api.Engine;
import java.util.function.Supplier;

/** Loaded port: its engine with its class loader, which is the context class loader during every call. Thread-safe. */
public final class LoadedPort {
    private final Engine engine;
    private final ClassLoader loader;
    private final String build;

    LoadedPort(Engine engine, ClassLoader loader, String build) {
        this.engine = engine;
        this.loader = loader;
        this.build = build;
    }

    /** Creates a port from an engine on the class path, for tests and simulation. */
    public static LoadedPort of(Engine engine) {
        return of(engine, "");
    }

    /** Creates a port from an engine on the class path, with this build. */
    public static LoadedPort of(Engine engine, String build) {
        return new LoadedPort(engine, engine.getClass().getClassLoader(), build);
    }

    /** Build of the port, see {@link PortBuildId}; empty if it was not loaded from jars. */
    public String build() {
        return build;
    }

    /** Engine; call it only inside {@link #call}. */
    public Engine engine() {
        return engine;
    }

    /** Runs code of the port with its class loader as the context class loader. */
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
