package io.uniserve.port.druid.sql;

import java.util.function.Supplier;

/**
 * Switch of the thread's context class loader during calls into the planner. Calcite finds its settings and plug-ins with this loader. On a
 * server's threads it is the server's loader, which does not have the port's classes.
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
