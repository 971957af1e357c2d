package io.uniserve.runtime.port;

import io.uniserve.api.Engine;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Class loader of all classes that a port can use besides its own jars: the JDK, the uniserve-core jar, jspecify and slf4j's API. These
 * classes come from here even if a port's jars have a copy, so that both sides use the same types. It hides logging bindings and
 * everything else on the application's class path.
 */
final class PortApiClassLoader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    /** Packages of slf4j-api and jspecify. Other packages with the prefix of slf4j belong to bindings and bridges. */
    private static final List<String> PACKAGES = List.of(
            "org.slf4j.", "org.slf4j.event.", "org.slf4j.helpers.", "org.slf4j.spi.", "org.jspecify.annotations.");

    private static final String OWN_PREFIX = "io.uniserve.";

    private final ClassLoader application;
    private final String core;

    PortApiClassLoader(ClassLoader application) {
        super("uniserve-shared", ClassLoader.getPlatformClassLoader());
        this.application = application;
        String file = file(Engine.class.getName());
        String url = String.valueOf(application.getResource(file));
        core = url.substring(0, url.length() - file.length());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (!shared(name)) {
            throw new ClassNotFoundException(name);
        }
        return application.loadClass(name);
    }

    private boolean shared(String name) {
        if (PACKAGES.contains(name.substring(0, name.lastIndexOf('.') + 1))) {
            return true;
        }
        String file = file(name);
        return name.startsWith(OWN_PREFIX)
                && String.valueOf(application.getResource(file)).equals(core + file);
    }

    private static String file(String name) {
        return name.replace('.', '/') + ".class";
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
