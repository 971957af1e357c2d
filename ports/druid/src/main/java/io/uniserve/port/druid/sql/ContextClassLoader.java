package io.uniserve.port.druid.sql;

import java.util.function.Supplier;

/**
 * The thread's context class loader during calls into the planner. Calcite reads its character set and finds its plug-ins with it, and a
 * server's threads have the server's loader there, which does not see the port.
 */
final class ContextClassLoader {
    private ContextClassLoader() {}

    static <T> T call(Supplier<T> work) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ContextClassLoader.class.getClassLoader());
        try {
            return work.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
