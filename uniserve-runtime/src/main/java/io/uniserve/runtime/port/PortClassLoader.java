package io.uniserve.runtime.port;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Class loader of a port's own jars. Its resources come before those of the JDK, so that services such as an XML parser are the
 * port's. Its classes cannot replace those of the JDK or {@link PortApiClassLoader}, as both sides must use the same types.
 */
final class PortClassLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    PortClassLoader(String name, List<URL> jars, ClassLoader shared) {
        super("uniserve-port-" + name, jars.toArray(URL[]::new), shared);
    }

    @Override
    public @Nullable URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : super.getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
        ClassLoader shared = getParent();
        if (shared != null) {
            all.addAll(Collections.list(shared.getResources(name)));
        }
        return Collections.enumeration(all);
    }
}
