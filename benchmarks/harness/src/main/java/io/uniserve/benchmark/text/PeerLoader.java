package io.uniserve.benchmark.text;

import io.uniserve.benchmark.peer.SearchPeer;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** Class loader for a peer's directory of jars. The peer sees only the JDK, {@link SearchPeer} and its own classes. */
final class PeerLoader {
    private static final String SHOWN = SearchPeer.class.getPackageName() + ".";

    private final Path folder;

    PeerLoader(Path folder) {
        this.folder = folder;
        if (!Files.isDirectory(folder)) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "the peer's folder " + folder + " does not exist; build the whole distribution");
        }
    }

    /** Returns the class path for a JVM of the peer. */
    String classPath() {
        return folder.resolve("*").toString();
    }

    /** Returns the peer's client, which runs in this JVM. */
    SearchPeer connect(String zooKeeper) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        ClassLoader own = loader();
        Thread.currentThread().setContextClassLoader(own);
        try {
            return ServiceLoader.load(SearchPeer.Factory.class, own)
                    .findFirst()
                    .orElseThrow()
                    .connect(zooKeeper);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private ClassLoader loader() {
        try (Stream<Path> files = Files.list(folder)) {
            List<URL> jars = new ArrayList<>();
            for (Path jar : (Iterable<Path>)
                    files.filter(file -> file.toString().endsWith(".jar")).sorted()::iterator) {
                jars.add(jar.toUri().toURL());
            }
            return new URLClassLoader("peer", jars.toArray(URL[]::new), new FilteringClassLoader());
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot list " + folder, e);
        }
    }

    /** Parent loader with the JDK and the interface. */
    private static final class FilteringClassLoader extends ClassLoader {
        FilteringClassLoader() {
            super("peer-shown", ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith(SHOWN)) {
                throw new ClassNotFoundException(name);
            }
            return Class.forName(name, false, SearchPeer.class.getClassLoader());
        }
    }
}
