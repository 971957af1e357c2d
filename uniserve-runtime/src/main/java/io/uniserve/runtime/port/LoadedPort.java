package io.uniserve.runtime.port;

import io.uniserve.api.Engine;
import java.util.function.Supplier;

/** A port's engine with the class loader it came from, which is the context class loader during every call. Thread-safe. */
public final class LoadedPort {
    private final Engine engine;
    private final ClassLoader loader;

    LoadedPort(Engine engine, ClassLoader loader) {
        this.engine = engine;
        this.loader = loader;
    }

    /** A port on the class path, for tests and simulation. */
    public static LoadedPort of(Engine engine) {
        return new LoadedPort(engine, engine.getClass().getClassLoader());
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
