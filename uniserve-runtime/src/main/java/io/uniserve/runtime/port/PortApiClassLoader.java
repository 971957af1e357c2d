package io.uniserve.runtime.port;

import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Class loader of everything that a port sees besides its own jars: the JDK, the packages of uniserve-core for ports, jspecify and
 * slf4j's API. These classes come from here even if a port's jars have a copy, so that both sides use the same types. It hides
 * logging bindings and everything else on the application's class path.
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

    /** Packages of slf4j-api. Other packages with this prefix belong to bindings and bridges. */
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

    /** Hides resources of the application, above all services; those of the JDK are visible. */
    @Override
    protected @Nullable URL findResource(String name) {
        return null;
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        return Collections.emptyEnumeration();
    }
}
