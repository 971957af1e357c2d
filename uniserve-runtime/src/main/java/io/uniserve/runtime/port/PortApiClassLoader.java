package io.uniserve.runtime.port;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a port sees besides its own jars: the JDK, the part of uniserve-core that ports are written against, jspecify
 * and slf4j's API. These come from here even where a port's jars hold a copy, so that both sides mean the same types.
 * Logging bindings, and all else on the application's class path, are not shown.
 */
final class PortApiClassLoader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    private static final List<String> WITH_SUBPACKAGES = List.of(
            "io.uniserve.api.",
            "io.uniserve.codec.",
            "io.uniserve.error.",
            "io.uniserve.limit.",
            "io.uniserve.model.",
            "org.jspecify.");

    /** The packages of slf4j-api; others of that name are bindings and bridges. */
    private static final List<String> PACKAGES =
            List.of("org.slf4j.", "org.slf4j.event.", "org.slf4j.helpers.", "org.slf4j.spi.");

    private final ClassLoader application;

    PortApiClassLoader(ClassLoader application) {
        super("uniserve-shared", ClassLoader.getPlatformClassLoader());
        this.application = application;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (!shared(name)) {
            throw new ClassNotFoundException(name);
        }
        return application.loadClass(name);
    }

    static boolean shared(String name) {
        String itsPackage = name.substring(0, name.lastIndexOf('.') + 1);
        return PACKAGES.contains(itsPackage) || WITH_SUBPACKAGES.stream().anyMatch(itsPackage::startsWith);
    }

    /** Resources of the application, services above all, are not shown; those of the JDK are. */
    @Override
    protected @Nullable URL findResource(String name) {
        return null;
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        return Collections.emptyEnumeration();
    }
}
